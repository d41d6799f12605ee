import { type Decimal, decimal, subtractDecimals, sumDecimals, zero } from "../core/decimal.ts";
import { type JournalBalance, readJournalBalance } from "../store/books/journal-balance.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import type { ChecklistPart, ChecklistScope } from "../store/periods/checklist-sql.ts";
import type { Period } from "./period.ts";
import { readRows } from "./report-rows.ts";

/** Rates are looked up by day, in the month's own zone. */
export type MoneyScope = ChecklistScope & Pick<Period, "account" | "priorKnownAt" | "zone">;

/**
 * Whether every balance follows from its movements, in its own and in the functional currency, and which have changed for the
 * months before since those were closed. The report is a row per provider and currency, so all of it is read.
 */
export async function receivableParts(snapshot: Snapshot, scope: MoneyScope): Promise<ChecklistPart[]> {
  const rows = await readRows(snapshot, "receivable", scope);
  const providers = new Map<string, ReceivablePart>();
  for (const row of rows) {
    const provider = String(row["provider"]);
    const part = providers.get(provider) ?? newPart(provider);
    providers.set(provider, part);
    part.total += 1;
    if (String(row["prior_period"]) !== "0") part.figures.of_earlier_months += 1;
    if (isWithoutRate(row)) part.figures.without_rate += 1;
    const unexplained = String(row["unexplained"]) !== "0";
    const untied = functionalDifference(row);
    if (!unexplained && untied === zero) continue;
    part.left += 1;
    part.state = "red";
    if (unexplained) {
      part.figures.unexplained += 1;
      part.amounts.push({ currency: String(row["currency"]), amount: String(row["unexplained"]) });
    }
    if (untied !== zero) {
      part.figures.functional_not_tied += 1;
      part.amounts.push({ currency: String(row["functional_currency"]), amount: untied });
    }
  }
  return [...providers.values()];
}

/** At the start or the end, or on a day with a booking: the exchange difference is not known. */
function isWithoutRate(row: Record<string, string | number | null>): boolean {
  return row["functional_currency"] !== null && row["exchange_difference"] === null;
}

/**
 * What the closing balance is worth, less opening, movements and exchange difference: zero. The one comes from the claims and the
 * others from the journal. Without a functional currency, or without a rate, there is nothing to compare.
 */
function functionalDifference(row: Record<string, string | number | null>): Decimal {
  const [closing, ...steps] = [
    "functional_closing",
    "functional_opening",
    "functional_moved",
    "exchange_difference",
  ].map((name) => row[name] ?? null);
  if (closing === undefined || closing === null || steps.includes(null)) return zero;
  return subtractDecimals(decimal(String(closing)), sumDecimals(steps.map((step) => decimal(String(step)))));
}

type ReceivablePart = ChecklistPart & { figures: ReturnType<typeof newFigures> };

function newPart(provider: string): ReceivablePart {
  return { provider, total: 0, left: 0, state: "green", amounts: [], figures: newFigures() };
}

function newFigures() {
  return { unexplained: 0, functional_not_tied: 0, without_rate: 0, of_earlier_months: 0 };
}

/** Whether the journal balances in every currency, and books to the receivable what the claims moved by. */
export async function journalParts(
  snapshot: Snapshot,
  { accountId, from, to, knownAt }: MoneyScope,
): Promise<ChecklistPart[]> {
  const currencies = await readJournalBalance(snapshot, { accountIds: [accountId], from, to, knownAt });
  const wrong = currencies.filter(({ balanced, tied }) => !balanced || !tied);
  return [
    {
      provider: null,
      total: currencies.length,
      left: wrong.length,
      state: wrong.length === 0 ? "green" : "red",
      amounts: wrong.map((one) => ({ currency: one.currency, amount: differenceOf(one) })),
      figures: {
        entries: currencies.reduce((sum, { events }) => sum + events, 0),
        not_balanced: wrong.filter(({ balanced }) => !balanced).length,
        not_tied: wrong.filter(({ tied }) => !tied).length,
      },
    },
  ];
}

function differenceOf({ debit, credit, receivablePosted, receivableMoved }: JournalBalance): string {
  const unbalanced = subtractDecimals(decimal(debit), decimal(credit));
  return unbalanced === zero
    ? subtractDecimals(decimal(receivablePosted), decimal(receivableMoved))
    : unbalanced;
}
