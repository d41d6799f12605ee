import { counted } from "../../core/counted.ts";
import { formatAmount, formatCount } from "../format.ts";
import { ListTable } from "../parts/list-table.tsx";
import { Given, GivenLink, Nothing, Time } from "../parts/show.tsx";
import type { OutcomeRestated, StatementOutcome } from "./actions.ts";
import { byField, fieldOf } from "./field-names.ts";

/** The statement that an import withdraws, and the lines that would be lost with it. */
export function Replaced({ replaced }: Pick<StatementOutcome, "replaced">) {
  if (replaced === null) return null;
  const { id, fileName, gone } = replaced;
  const names = `${gone.names.join(", ")}${gone.lines > gone.names.length ? ", …" : ""}`;
  const sums = gone.sums.map(({ currency, amount }) =>
    `${formatAmount(amount, currency)} ${currency}`.trimEnd(),
  );
  return (
    <p class="warning">
      Withdraws statement {id}, <GivenLink href={`/statements/${id}`} text={fileName} />.{" "}
      {gone.lines === 0 ? (
        "All of its lines are in this file too."
      ) : (
        <>
          {counted(gone.lines, "line")} of it {gone.lines === 1 ? "is" : "are"} not in this file and would no
          longer count: <Given text={names} whole />
          {sums.length > 0 && `, ${sums.join(", ")} of what is owed to us`}.
        </>
      )}
    </p>
  );
}

interface Change {
  row: OutcomeRestated;
  column: string;
  before: string | null;
  after: string | null;
  isFirst: boolean;
}

/** Both versions of each known line, field by field, and which of the two applies. */
export function Restated({ restated, all, zone }: RestatedProps) {
  if (restated.length === 0) return null;
  const cut = all > restated.length ? `; the first ${formatCount(restated.length)}` : "";
  const changes = restated.flatMap((row) =>
    Object.entries(row.changes)
      .toSorted(([one], [other]) => byField(one, other))
      .map(([column, values], at): Change => ({ row, column, ...values, isFirst: at === 0 })),
  );
  return (
    <ListTable
      label="Restated lines"
      caption={`${counted(all, "known line")} would be restated${cut}. Times in ${zone}.`}
      rows={changes}
      columns={[
        { title: "Line", rowName: ({ row }) => `line ${row.lineNo}` },
        { title: "Field", show: ({ column }) => fieldOf(column).title },
        {
          title: "Before",
          show: ({ column, before }) => <Value column={column} text={before} zone={zone} />,
        },
        { title: "After", show: ({ column, after }) => <Value column={column} text={after} zone={zone} /> },
        {
          title: "Which applies",
          show: ({ row, isFirst }) =>
            isFirst ? (
              `${row.stands ? "The new value applies" : "The old value stays"}: ${row.because}`
            ) : (
              <span class="muted">as above</span>
            ),
        },
      ]}
    />
  );
}

interface RestatedProps {
  restated: readonly OutcomeRestated[];
  all: number;
  zone: string;
}

function Value({ column, text, zone }: { column: string; text: string | null; zone: string }) {
  const { isFigure, isTime } = fieldOf(column);
  if (text === null) return <Nothing />;
  if (isTime) return <Time at={text} zone={zone} />;
  return isFigure ? <span class="figure">{formatAmount(text, null)}</span> : <Given text={text} />;
}

/** Rows that stand twice in one file: they look like a mistake of the provider's until someone has seen which they are. */
export function Repeated({ repeated }: Pick<StatementOutcome, "repeated">) {
  const { rows, first } = repeated;
  if (rows === 0) return null;
  const cut = rows > first.length ? `; the first ${formatCount(first.length)}` : "";
  return (
    <details open={rows <= 5}>
      <summary>
        {counted(rows, "row repeats", "rows repeat")} another row of this file and{" "}
        {rows === 1 ? "counts" : "count"} once{cut}
      </summary>
      <ul>
        {first.map(({ lineNo, firstLineNo }) => (
          <li>
            line {lineNo} repeats line {firstLineNo}
          </li>
        ))}
      </ul>
    </details>
  );
}
