import { randomUUID } from "node:crypto";
import type { FilterChoices, Visitor } from "../deps.ts";
import { Choice, FormToken } from "../parts/blocks.tsx";
import { FileInput } from "../parts/file-input.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";

interface UploadFormProps {
  profiles: readonly string[];
  choices: FilterChoices;
  visitor: Visitor;
  /** What was sent before, on the page that shows a preview without a script. */
  sent?: (name: string) => string;
}

/**
 * One form with two buttons: the preview is put below it, and so the file stays chosen for the import. Without a script
 * the preview is a page of its own with this form once more, because a browser gives a chosen file away only once.
 */
export function UploadForm({ profiles, choices, visitor, sent = () => "" }: UploadFormProps) {
  const [onlyAccount = ""] = choices.accounts.length === 1 ? choices.accounts : [];
  const name = randomUUID();
  return (
    <form
      id="statement-form"
      method="post"
      action="/statements/preview"
      enctype="multipart/form-data"
      data-progress={`/statements/progress/${name}`}
    >
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="progress" value={name} />
      <FileInput
        label="Provider’s file, unchanged: drop it here, or choose it"
        hint="CSV, XLSX or JSON, up to 50 MB. Nothing is saved until you have seen what it would do."
        accept=".csv,.txt,.tsv,.xlsx,.json,.jsonl,.ndjson,text/csv,text/plain,application/json"
      />
      <div class="filter-row">
        <Choice
          name="account"
          label="Account"
          any="Choose …"
          options={choices.accounts}
          chosen={sent("account") || onlyAccount}
        />
        <Choice
          name="profile"
          label="Format"
          any="Detect automatically"
          options={profiles}
          chosen={sent("profile")}
        />
        <label>
          <span>Provider</span>
          <input
            type="text"
            name="provider"
            placeholder="from the format"
            maxlength={60}
            value={sent("provider")}
          />
        </label>
        <label>
          <span>Replaces statement</span>
          <input
            type="text"
            name="replaces"
            inputmode="numeric"
            placeholder="number, if any"
            maxlength={15}
            value={sent("replaces")}
          />
        </label>
        <PreviewButton action="/statements/preview" />
      </div>
    </form>
  );
}
