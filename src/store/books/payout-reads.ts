import { type AccountReader, addAccounts, addAnyOf, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

export interface PayoutRow {
  id: string;
  account_id: number;
  account: string;
  provider: string;
  payout_ref: string;
  currency: string;
  payout_date: string | null;
  line_count: number;
  gross: string;
  fees: string;
  refunds: string;
  chargebacks: string;
  chargeback_reversals: string;
  commissions: string;
  adjustments: string;
  reserves: string;
  net_computed: string;
  net_declared: string | null;
  difference: string | null;
  transaction_hash: string | null;
  status: string;
  last_changed_at: string;
}

const amounts = [
  "gross",
  "fees",
  "refunds",
  "chargebacks",
  "chargeback_reversals",
  "commissions",
  "adjustments",
  "reserves",
  "net_computed",
  "net_declared",
  "difference",
];

const columns = `p.id::text, p.account_id, ${accountName("p")}, p.provider, p.payout_ref, p.currency, p.payout_date::text,
  p.line_count, ${amounts.map((name) => `trim_scale(p.${name}) as ${name}`).join(", ")}, p.transaction_hash, p.status,
  p.last_changed_at::text`;

const from = "tieout.payouts as p";

const newestFirst: Keyset = { keys: [{ expression: "p.id", kind: "integer" }], descending: true };

export const payoutPaging = { keyset: newestFirst, positionOf: (row: PayoutRow) => [row.id] };

export async function listPayouts(
  reader: AccountReader,
  filters: { account?: readonly string[]; provider?: readonly string[]; status?: readonly string[] },
  page: PageWanted,
): Promise<Page<PayoutRow>> {
  const conditions = conditionsFor(reader, "p.account_id");
  addAccounts(conditions, "p.account_id", filters.account);
  addAnyOf(conditions, "p.provider", filters.provider);
  addAnyOf(conditions, "p.status", filters.status);
  return readPage<PayoutRow & Record<string, unknown>>(reader.database, {
    select: columns,
    from,
    conditions,
    keyset: newestFirst,
    page,
  });
}

export async function readPayout(reader: AccountReader, id: string): Promise<PayoutRow | null> {
  const conditions = conditionsFor(reader, "p.account_id");
  conditions.add(`p.id = ${conditions.bind(id)}::bigint`);
  const [row] = await reader.database.query<PayoutRow & Record<string, unknown>>(
    `select ${columns} from ${from} where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

export interface PayoutLine {
  id: string;
  line_no: number;
  statement_id: string;
  file_name: string;
  line_type: string;
  status: string;
  effective_at: string;
  provider_transaction_id: string | null;
  fiat_currency: string | null;
  fiat_gross: string | null;
  fee_total: string | null;
  fee_currency: string | null;
  net_amount: string;
  net_currency: string | null;
  /** The transaction that it settles or relates to. */
  transaction_id: string | null;
}

const inOrder: Keyset = { keys: [{ expression: "l.id", kind: "integer" }], descending: false };

export const payoutLinePaging = { keyset: inOrder, positionOf: (row: PayoutLine) => [row.id] };

/** The lines that count and make up the payout; the reader has been found to see it. */
export async function listPayoutLines(
  reader: AccountReader,
  payout: PayoutRow,
  page: PageWanted,
): Promise<Page<PayoutLine>> {
  const conditions = conditionsFor(reader, "l.account_id");
  conditions.add(`l.account_id = ${conditions.bind(payout.account_id)}`);
  conditions.add(`l.provider = ${conditions.bind(payout.provider)}`);
  conditions.add(belongsTo(conditions.bind(payout.payout_ref), conditions.bind(payout.currency)));
  conditions.add(
    "not exists (select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null)",
  );
  return readPage<PayoutLine & Record<string, unknown>>(reader.database, {
    select: `l.id::text, l.line_no, l.statement_id::text, s.file_name, l.line_type, l.status, l.effective_at::text,
      l.provider_transaction_id, l.fiat_currency, trim_scale(l.fiat_gross) as fiat_gross, trim_scale(l.fee_total) as fee_total,
      l.fee_currency, trim_scale(l.net_amount) as net_amount,
      l.net_currency,
      (select m.transaction_id from tieout.matches as m where m.line_id = l.id and m.state = 'active') as transaction_id`,
    from: "tieout.statement_lines as l join tieout.statements as s on s.id = l.statement_id",
    conditions,
    keyset: inOrder,
    page,
  });
}

/**
 * As runs group lines: by the reference they name; where they name none, by their own id or by the one payout of their
 * file. A line in another currency belongs to this payout when there is none in its own.
 */
function belongsTo(ref: string, currency: string): string {
  return `l.line_type <> 'balance'
  and (
    l.payout_ref = ${ref}
    or l.payout_ref is null and l.line_type = 'payout' and l.provider_transaction_id = ${ref}
    or l.payout_ref is null and l.net_amount <> 0 and l.statement_id in (
      select declaring.statement_id
      from tieout.statement_lines as declaring
      where declaring.account_id = l.account_id
        and declaring.provider = l.provider
        and declaring.line_type = 'payout'
      group by declaring.statement_id, declaring.net_currency
      having count(*) = 1
         and min(coalesce(declaring.payout_ref, declaring.provider_transaction_id)) = ${ref}
    )
  )
  and (coalesce(l.net_currency, l.fiat_currency) = ${currency} or not exists (
    select
    from tieout.payouts as own
    where own.account_id = l.account_id
      and own.provider = l.provider
      and own.payout_ref = ${ref}
      and own.currency = coalesce(l.net_currency, l.fiat_currency)
  ))`;
}
