import { counted } from "../../core/counted.ts";
import type { receiptImport } from "../../api/receipts/file-schema.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { Fact, Panel, TitleRow } from "../parts/blocks.tsx";
import { closedMonthWords, describeConsequences, ImportButton, Verdict } from "../parts/import-preview.tsx";
import { Given, GivenLink } from "../parts/show.tsx";
import { Rejects } from "../statements/preview.tsx";
import { Balances } from "./balances.tsx";
import { ReceiptUpload } from "./upload-form.tsx";
import { formatWords } from "./words.ts";

/** As the API answers. */
export type ReceiptOutcome = ReturnType<typeof receiptImport.present>;

interface PreviewShown {
  outcome: ReceiptOutcome;
  /** As it was sent. */
  form: FormData;
  accounts: readonly string[];
}

/** What an import would do, all of it, before anything is written. */
export function showReceiptPreview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { outcome, form, accounts }: PreviewShown,
): Promise<Response> {
  return show(web, c, visitor, {
    title: "Preview",
    under: "/receipts",
    children: (
      <>
        <TitleRow title="Preview">
          <a href="/receipts">Back to Receipts</a>
        </TitleRow>
        <Preview outcome={outcome} visitor={visitor} />
        <Panel title="Choose the file again to import it" id="again">
          <ReceiptUpload accounts={accounts} visitor={visitor} sent={(name) => textOf(form, name)} />
        </Panel>
      </>
    ),
  });
}

function Preview({ outcome, visitor }: { outcome: ReceiptOutcome; visitor: Visitor }) {
  const { state, file, problems, warnings, rejects, consequences } = outcome;
  const closedMonths = closedMonthsOf(outcome);
  return (
    <div id="preview" aria-live="polite">
      <Panel
        title={`What an import of ${file.file_name} would do`}
        id="preview-title"
        aside={<Verdict state={state} problems={problems} rejected={file.rows.rejected} />}
      >
        <Counts outcome={outcome} />
        <dl class="facts">
          <Fact name="Account" value={<Given text={file.account} />} />
          <Fact name="Format" value={formatWords(file.format)} />
          <dt>Days</dt>
          <dd>
            {file.period_from} – {file.period_to}
          </dd>
          {consequences !== null && (
            <Fact name="Matching afterwards" value={describeConsequences({ ...consequences })} />
          )}
        </dl>
        <Balances balances={file.balances} format={file.format} visitor={visitor} />
        {warnings.length + closedMonths.length > 0 && (
          <ul class="warning">
            {warnings.map(({ message }) => (
              <li>
                <Given text={message} />
              </li>
            ))}
            {closedMonths.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        )}
        {rejects.length > 0 && (
          <Rejects
            rejects={rejects.map(({ line_no, code, field, reason, original_text }) => ({
              lineNo: line_no,
              code: code ?? "",
              field,
              reason: reason ?? "",
              originalText: original_text,
            }))}
            all={file.rows.rejected}
          />
        )}
        <ImportButton
          form="receipt-form"
          action="/receipts/import"
          state={state}
          problems={problems}
          rows={file.rows.accepted}
        />
      </Panel>
    </div>
  );
}

/** A sentence each. */
export function closedMonthsOf({ closed_months: months }: ReceiptOutcome): string[] {
  return closedMonthWords(months.map(({ counts_in: countsIn, ...month }) => ({ ...month, countsIn })));
}

function Counts({ outcome: { state, file } }: { outcome: ReceiptOutcome }) {
  const { rows } = file;
  if (state === "already_imported") {
    return (
      <p>
        This file has already been imported, as{" "}
        <GivenLink href={`/receipts/${(file.id ?? "").replace("rcf_", "")}`} text={file.file_name} />.
        Importing it again changes nothing.
      </p>
    );
  }
  return (
    <p>
      {counted(rows.read, "row")}: <strong>{formatCount(rows.accepted)} accepted</strong> (
      {formatCount(rows.restated)} of them restate a known line), {formatCount(rows.duplicate)} known before,{" "}
      <strong>{formatCount(rows.rejected)} rejected</strong>.
    </p>
  );
}
