import { decimal, subtractDecimals, zero } from "../core/decimal.ts";
import { utc } from "../core/zone.ts";
import { type JournalBalance, readJournalBalance } from "../store/books/journal-balance.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import type { ChecklistPart, ChecklistScope } from "../store/periods/checklist-sql.ts";
import { readRows } from "./report-rows.ts";

export type MoneyScope = ChecklistScope & { account: string; priorKnownAt: string | null };

/**
 * Whether every balance follows from its movements, and which have changed for the months before since those were closed. The
 * report is a row per provider and currency, so all of it is read.
 */
export async function receivableParts(snapshot: Snapshot, scope: MoneyScope): Promise<ChecklistPart[]> {
  const rows = await readRows(snapshot, "receivable", { ...scope, zone: utc });
  const providers = new Map<string, ReceivablePart>();
  for (const row of rows) {
    const provider = String(row["provider"]);
    const part = providers.get(provider) ?? newPart(provider);
    providers.set(provider, part);
    part.total += 1;
    if (String(row["prior_period"]) !== "0") part.figures.of_earlier_months += 1;
    if (String(row["unexplained"]) === "0") continue;
    part.left += 1;
    part.state = "red";
    part.figures.unexplained += 1;
    part.amounts.push({ currency: String(row["currency"]), amount: String(row["unexplained"]) });
  }
  return [...providers.values()];
}

type ReceivablePart = ChecklistPart & { figures: { unexplained: number; of_earlier_months: number } };

function newPart(provider: string): ReceivablePart {
  const figures = { unexplained: 0, of_earlier_months: 0 };
  return { provider, total: 0, left: 0, state: "green", amounts: [], figures };
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
