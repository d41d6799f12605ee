import { counted } from "../../core/counted.ts";
import type { FilterChoices, Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { Fact, Panel, TitleRow } from "../parts/blocks.tsx";
import { closedMonthWords, describeConsequences, ImportButton, Verdict } from "../parts/import-preview.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Given, Period } from "../parts/show.tsx";
import type { OutcomeReject, StatementOutcome } from "./actions.ts";
import { Consequences } from "./consequences.tsx";
import { problemColumns } from "./problem-columns.tsx";
import { Repeated, Replaced, Restated } from "./told-changes.tsx";
import { TotalsTable } from "./totals-table.tsx";
import { UploadForm } from "./upload-form.tsx";

/** What an import would do, all of it, before anything is written. */
export function showPreview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { outcome, form, profiles, choices }: PreviewShown,
): Promise<Response> {
  return show(web, c, visitor, {
    title: "Preview",
    under: "/statements",
    children: (
      <>
        <TitleRow title="Preview">
          <a href="/statements">Back to Statements</a>
        </TitleRow>
        <Preview outcome={outcome} visitor={visitor} />
        <Panel title="Choose the file again to import it" id="again">
          <UploadForm
            profiles={profiles}
            choices={choices}
            visitor={visitor}
            sent={(name) => textOf(form, name)}
          />
        </Panel>
      </>
    ),
  });
}

interface PreviewShown {
  outcome: StatementOutcome;
  /** As it was sent. */
  form: FormData;
  profiles: readonly string[];
  choices: FilterChoices;
}

function Preview({ outcome, visitor }: { outcome: StatementOutcome; visitor: Visitor }) {
  const { state, statement, problems, rejects, restated, repeated, closedMonths, consequences } = outcome;
  const warnings = [...statement.warnings, ...closedMonthWords(closedMonths)];
  const { zone } = visitor.preferences;
  return (
    <div id="preview" aria-live="polite">
      <Panel
        title={`What an import of ${statement.fileName} would do`}
        id="preview-title"
        aside={<Verdict state={state} problems={problems} rejected={statement.rowsRejected} />}
      >
        <Counts outcome={outcome} />
        <Replaced replaced={outcome.replaced} />
        <dl class="facts">
          <Fact name="Provider" value={<Given text={statement.provider} />} />
          <dt>Profile</dt>
          <dd>
            {statement.profile}, version {statement.profileVersion}
          </dd>
          <dt>File</dt>
          <dd>
            {tableForms[statement.encoding] ??
              `${statement.encoding}, columns separated by ${delimiterWords[statement.delimiter] ?? statement.delimiter}`}
          </dd>
          <dt>Period</dt>
          <dd>
            <Period from={statement.periodFrom} to={statement.periodTo} zone={zone} />
          </dd>
          <Fact name="Matching afterwards" value={describeConsequences(consequences)} />
        </dl>
        <details>
          <summary>Mapping of columns</summary>
          <dl class="facts">
            {Object.entries(statement.mapping).map(([field, column]) => (
              <>
                <dt class="mono">{field}</dt>
                <dd>
                  <Given text={column} mono />
                </dd>
              </>
            ))}
          </dl>
        </details>
        {warnings.length > 0 && (
          <ul class="warning">
            {warnings.map((text) => (
              <li>{text}</li>
            ))}
          </ul>
        )}
        <Consequences outcome={outcome} zone={zone} />
        <TotalsTable totals={statement.totals} />
        {rejects.length > 0 && <Rejects rejects={rejects} all={statement.rowsRejected} />}
        <Restated restated={restated} all={statement.rowsRestated} zone={zone} />
        <Repeated repeated={repeated} />
        <ImportButton
          form="statement-form"
          action="/statements/import"
          state={state}
          problems={problems}
          rows={statement.rowsAccepted}
        />
      </Panel>
    </div>
  );
}

function Counts({ outcome: { state, statement, repeated } }: { outcome: StatementOutcome }) {
  const rows = `${counted(statement.rowsRead, "row")} of data in ${counted(statement.rowsOfFile, "line")}`;
  if (state === "already_imported") {
    return (
      <p>
        These very bytes are imported already, as{" "}
        <a href={`/statements/${statement.id}`}>statement {statement.id}</a>: {rows}. Importing them again
        changes nothing.
      </p>
    );
  }
  const repeats = repeated.rows === 0 ? "" : ` (${formatCount(repeated.rows)} of them from this file itself)`;
  return (
    <p>
      {rows}: <strong>{formatCount(statement.rowsAccepted)} accepted</strong> (
      {counted(statement.rowsRestated, "restates", "restate")} a known line),{" "}
      {formatCount(statement.rowsDuplicate)} known before{repeats},{" "}
      <strong>{formatCount(statement.rowsRejected)} rejected</strong>.
    </p>
  );
}

const tableForms: Record<string, string> = { xlsx: "workbook", json: "JSON" };
const delimiterWords: Record<string, string> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

/** Grouped by what is to be done: the same reason in the same column is one problem, however many rows have it. */
export function Rejects({ rejects, all }: { rejects: readonly OutcomeReject[]; all: number }) {
  const groups = new Map<string, OutcomeReject[]>();
  for (const reject of rejects) {
    const key = `${reject.code} ${reject.field ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), reject]);
  }
  const cut = all > rejects.length ? `; the first ${rejects.length} of ${formatCount(all)}` : "";
  return (
    <ListTable
      label="Rejected rows"
      caption={`Rejected rows, grouped by what to do about them${cut}`}
      rows={[...groups.values()].flatMap((group) => (group[0] === undefined ? [] : [{ ...group[0], group }]))}
      columns={[
        ...problemColumns,
        { title: "Rows", figures: ({ group }) => group.length },
        {
          title: "Example",
          show: ({ group, originalText }) => (
            <>
              line{" "}
              {group
                .map(({ lineNo }) => lineNo)
                .slice(0, 5)
                .join(", ")}
              <br />
              <Given text={originalText} mono />
            </>
          ),
        },
      ]}
    />
  );
}
