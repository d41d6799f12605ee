import type { Zone } from "../../core/zone.ts";
import { type AccountReader, addAccounts, addAnyWord, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { localDay } from "../zone-sql.ts";

/** Currencies are always among the groups: a sum across currencies is not a figure. */
export const summaryGroups = [
  "day",
  "account",
  "provider",
  "transaction_type",
  "status",
  "payment_method",
  "country",
] as const;

export type SummaryGroup = (typeof summaryGroups)[number];

export interface SummaryRow {
  day: string | null;
  account: string | null;
  provider: string | null;
  transaction_type: string | null;
  status: string | null;
  payment_method: string | null;
  country: string | null;
  source_currency: string | null;
  target_currency: string | null;
  transactions: string;
  in_amount: string | null;
  out_amount: string | null;
}

export interface SummaryQuestion {
  from: string;
  to: string;
  /** The days are its days. */
  zone: Zone;
  groups: readonly SummaryGroup[];
  account?: readonly string[] | undefined;
  provider?: readonly string[] | undefined;
  status?: readonly string[] | undefined;
  transaction_type?: readonly string[] | undefined;
  source_currency?: readonly string[] | undefined;
  target_currency?: readonly string[] | undefined;
}

const allGroups = [...summaryGroups, "source_currency", "target_currency"] as const;

/** Nothing sorts before the empty text, so a missing word and an empty one stay apart by the mark before each. */
const sortText = (column: string) =>
  `(case when ${column} is null then '' else '=' || ${column} end) collate "C"`;

const byGroup: Keyset = {
  keys: allGroups.map((column) => ({ expression: sortText(`g.${column}`), kind: "text" as const })),
  descending: false,
};

export const summaryKeyset = {
  keyset: byGroup,
  positionOf: (row: SummaryRow) => allGroups.map((column) => (row[column] === null ? "" : `=${row[column]}`)),
};

export async function listSummary(
  reader: AccountReader,
  question: SummaryQuestion,
  page: PageWanted,
): Promise<Page<SummaryRow>> {
  const conditions = conditionsFor(reader, "t.account_id");
  addAccounts(conditions, "t.account_id", question.account);
  for (const column of [
    "provider",
    "status",
    "transaction_type",
    "source_currency",
    "target_currency",
  ] as const) {
    addAnyWord(conditions, `t.${column}`, question[column]);
  }
  conditions.add(`t.status_date >= ${conditions.bind(question.from)}::timestamptz`);
  conditions.add(`t.status_date < ${conditions.bind(question.to)}::timestamptz`);
  const bind = (value: string, type: string) => `${conditions.bind(value)}::${type}`;
  const expressions: Record<SummaryGroup, () => string> = {
    day: () => `${localDay("t.status_date", question.zone, bind)}::text`,
    account: () => "(select a.name from tieout.accounts as a where a.id = t.account_id)",
    provider: () => "t.provider",
    transaction_type: () => "t.transaction_type",
    status: () => "t.status",
    payment_method: () => "t.payment_method",
    country: () => "t.country",
  };
  const grouped = summaryGroups.map((group) =>
    question.groups.includes(group) ? `${expressions[group]()} as ${group}` : `null::text as ${group}`,
  );
  const from = `(
       select ${grouped.join(", ")}, t.source_currency, t.target_currency, count(*)::text as transactions,
              trim_scale(sum(t.in_amount)) as in_amount, trim_scale(sum(t.out_amount)) as out_amount
       from tieout.transactions as t
       where ${conditions.toSql()}
       group by 1, 2, 3, 4, 5, 6, 7, 8, 9
     ) as g`;
  const outer = {
    ...conditionsFor({ ...reader, accountIds: null }, ""),
    values: conditions.values,
    bind: conditions.bind,
  };
  return readPage(reader.database, { select: "g.*", from, conditions: outer, keyset: byGroup, page });
}
