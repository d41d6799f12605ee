/** What every preview of an import says, and the button that goes on with it. */
import { type ClosedMonth, describeClosedMonth } from "../../core/closed-month.ts";
import { counted } from "../../core/counted.ts";
import { formatAmount, formatCount } from "../format.ts";
import { Chip } from "./show.tsx";

interface Previewed {
  state: "imported" | "already_imported" | "previewed";
  /** What would refuse the file as a whole. */
  problems: readonly { code: string; message: string }[];
}

/** What matching would make of it, in words; what it would make nothing of is left out. */
export function describeConsequences(consequences: Readonly<Record<string, number>>): string {
  const counts = Object.entries(consequences).filter(([, count]) => count > 0);
  if (counts.length === 0) return "changes nothing";
  return counts
    .map(([name, count]) =>
      results[name] ? counted(count, ...results[name]) : `${formatCount(count)} ${name}`,
    )
    .join(", ");
}

const results: Readonly<Record<string, [one: string, many: string]>> = {
  matched: ["match made", "matches made"],
  unmatched: ["match ended", "matches ended"],
  suggested: ["match suggested", "matches suggested"],
  payouts: ["payout added up", "payouts added up"],
  raised: ["discrepancy raised", "discrepancies raised"],
  changed: ["discrepancy changed", "discrepancies changed"],
  reopened: ["discrepancy reopened", "discrepancies reopened"],
  agreed: ["discrepancy cleared", "discrepancies cleared"],
};

/** As sentences: what is dated in a closed month counts in a later one. */
export function closedMonthWords(months: readonly ClosedMonth[]): string[] {
  return months.map((month) => describeClosedMonth(month, formatAmount));
}

export function Verdict({ state, problems, rejected }: Previewed & { rejected: number }) {
  if (state === "already_imported") return <Chip tone="plain">imported before: nothing would change</Chip>;
  if (problems.length > 0) return <Chip tone="bad">refused, unless accepted with a reason</Chip>;
  return rejected > 0 ? (
    <Chip tone="warn">some rows rejected</Chip>
  ) : (
    <Chip tone="good">ready to import</Chip>
  );
}

/** Belongs to the form above, where the file is still chosen. */
export function ImportButton({
  form,
  action,
  state,
  problems,
  rows,
}: Previewed & { form: string; action: string; rows: number }) {
  if (state === "already_imported") return null;
  return (
    <>
      <div class="row-form">
        {problems.length > 0 && (
          <>
            <ul class="form-error">
              {problems.map(({ code, message }) => (
                <li>
                  {message} <code>{code}</code>
                </li>
              ))}
            </ul>
            <label class="grow">
              <span>Reason for importing it anyway</span>
              <input type="text" name="accept_reason" form={form} required maxlength={500} />
            </label>
          </>
        )}
        <button type="submit" form={form} formaction={action}>
          {rows === 0 ? "Import the file" : `Import ${counted(rows, "row")}`}
        </button>
      </div>
      {problems.length > 0 && (
        <small class="muted">The file keeps a note that it was accepted in spite of this.</small>
      )}
    </>
  );
}
