import { and, eq, getTableColumns } from "drizzle-orm";
import { accountName } from "../accounts/accounts.ts";
import { type AccountReader, anyOf, conditionsFor, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { payouts } from "../schema/reconciliation.ts";
import { pagingBy, selectPage } from "../select-page.ts";

export type PayoutRow = typeof payouts.$inferSelect & { account: string };

const columns = { ...getTableColumns(payouts), account: accountName(payouts.accountId) };

export const payoutPaging = pagingBy(payouts, "descending", "id");

export async function listPayouts(
  reader: AccountReader,
  filters: Filters<"account" | "provider" | "status">,
  page: PageWanted,
): Promise<Page<PayoutRow>> {
  const select = reader.database.orm.select(columns).from(payouts).$dynamic();
  return selectPage(select, payoutPaging, page, [
    seenBy(reader, payouts.accountId),
    ofAccounts(payouts.accountId, filters.account),
    anyOf(payouts.provider, filters.provider),
    anyOf(payouts.status, filters.status),
  ]);
}

export async function readPayout(reader: AccountReader, id: number): Promise<PayoutRow | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(payouts)
    .where(and(seenBy(reader, payouts.accountId), eq(payouts.id, id)));
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
  conditions.add(`l.account_id = ${conditions.bind(payout.accountId)}`);
  conditions.add(`l.provider = ${conditions.bind(payout.provider)}`);
  conditions.add(belongsTo(conditions.bind(payout.payoutRef), conditions.bind(payout.currency)));
  conditions.add(
    "not exists (select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null)",
  );
  return readPage<PayoutLine>(reader.database, {
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
