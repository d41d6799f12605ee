import { receiptFormats } from "../../core/receipt-line.ts";
import type { Visitor } from "../deps.ts";
import { Choice, FormToken } from "../parts/blocks.tsx";
import { FileInput } from "../parts/file-input.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { formatWords } from "./words.ts";

interface ReceiptUploadProps {
  accounts: readonly string[];
  visitor: Visitor;
  /** What was sent before, on the page that shows a preview without a script. */
  sent?: (name: string) => string;
}

/** One form with two buttons, as that of statements: the second one comes with the preview. */
export function ReceiptUpload({ accounts, visitor, sent = () => "" }: ReceiptUploadProps) {
  const [onlyAccount = ""] = accounts.length === 1 ? accounts : [];
  return (
    <form id="receipt-form" method="post" action="/receipts/preview" enctype="multipart/form-data">
      <FormToken csrf={visitor.csrf} />
      <FileInput
        label="Bank’s file, unchanged: drop it here, or choose it"
        hint="camt.053, MT940, BAI2, OFX or CSV, up to 50 MB. Nothing is saved until you have seen what it would do."
      />
      <div class="filter-row">
        <Choice
          name="account"
          label="Account"
          any="Choose …"
          options={accounts}
          chosen={sent("account") || onlyAccount}
        />
        <Choice
          name="format"
          label="Format"
          any="Detect automatically"
          options={receiptFormats}
          chosen={sent("format")}
          words={formatWords}
        />
        {givenFields.map(({ name, label, max }) => (
          <label>
            <span>{label}</span>
            <input type="text" name={name} placeholder="from the file" maxlength={max} value={sent(name)} />
          </label>
        ))}
        <PreviewButton action="/receipts/preview" />
      </div>
    </form>
  );
}

/** What a file may leave open, most of all a CSV. */
const givenFields = [
  { name: "profile", label: "CSV profile", max: 60 },
  { name: "bank_account", label: "Bank account", max: 100 },
  { name: "currency", label: "Currency", max: 12 },
  { name: "encoding", label: "Encoding", max: 30 },
] as const;
