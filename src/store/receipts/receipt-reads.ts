import { type AccountReader, type Conditions, conditionsFor } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

/** A bank line with its file and what it settles. */
export interface ReceiptLineRow {
  id: number;
  account: string;
  accountId: number;
  fileId: number;
  fileName: string;
  lineNo: number;
  bankAccount: string;
  valueDate: string;
  bookingDate: string | null;
  effectiveAt: string;
  amount: string;
  currency: string;
  direction: "credit" | "debit";
  isReversal: boolean;
  reference: string | null;
  endToEndId: string | null;
  bankReference: string | null;
  hash: string | null;
  remittance: string | null;
  counterparty: string | null;
  charges: string;
  originalAmount: string | null;
  originalCurrency: string | null;
  counts: boolean;
  settled: string;
  unmatched: string;
}

const columns = `l.id::int, a.name as account, l.account_id as "accountId", l.file_id::int as "fileId", f.file_name as "fileName",
  w.line_no as "lineNo", l.bank_account as "bankAccount", l.value_date::text as "valueDate",
  l.booking_date::text as "bookingDate", l.effective_at::text as "effectiveAt", trim_scale(l.amount)::text as amount, l.currency,
  l.direction, l.is_reversal as "isReversal", l.reference, l.end_to_end_id as "endToEndId",
  l.bank_reference as "bankReference", l.hash, l.remittance, l.counterparty, trim_scale(l.charges)::text as charges,
  trim_scale(l.original_amount)::text as "originalAmount", l.original_currency as "originalCurrency",
  retired.line_id is null as counts, trim_scale(coalesce(m.settled, 0))::text as settled,
  case when coalesce(m.is_converted, false) then '0'
       when l.direction = 'credit' then trim_scale(l.amount - coalesce(m.settled, 0))::text
       when l.is_reversal then trim_scale(-l.amount - coalesce(m.settled, 0))::text
       else '0' end as unmatched`;

const from = `tieout.receipt_lines as l
  join tieout.accounts as a on a.id = l.account_id
  join tieout.receipt_files as f on f.id = l.file_id
  join tieout.receipt_rows as w on w.file_id = l.file_id and w.row_no = l.row_no
  left join tieout.receipt_retirements as retired on retired.line_id = l.id and retired.restored_at is null
  left join lateral (
    select sum(m.amount) as settled, bool_or(lower(m.currency) <> lower(l.currency)) as is_converted
    from tieout.receipt_matches as m
    where m.receipt_line_id = l.id
      and m.state = 'active'
  ) as m on true`;

const newestFirst: Keyset = {
  keys: [
    { expression: "l.effective_at", kind: "time" },
    { expression: "l.id", kind: "integer" },
  ],
  descending: true,
};

export const receiptLinePaging = {
  keyset: newestFirst,
  positionOf: (row: ReceiptLineRow) => [row.effectiveAt, String(row.id)],
};

export interface ReceiptLineFilters {
  readonly account?: readonly string[] | undefined;
  readonly fileId?: number | undefined;
  readonly payoutId?: number | undefined;
  readonly direction?: readonly string[] | undefined;
  readonly currency?: readonly string[] | undefined;
  /** Only money that names no payout; or only lines that are used up. */
  readonly matched?: boolean | undefined;
}

export async function listReceiptLines(
  reader: AccountReader,
  filters: ReceiptLineFilters,
  page: PageWanted,
): Promise<Page<ReceiptLineRow>> {
  const conditions = conditionsFor(reader, "l.account_id");
  if (filters.fileId === undefined) conditions.add("retired.line_id is null");
  narrow(conditions, filters);
  return readPage<ReceiptLineRow>(reader.database, {
    select: columns,
    from,
    conditions,
    keyset: newestFirst,
    page,
  });
}

function narrow(conditions: Conditions, filters: ReceiptLineFilters): void {
  const { account, fileId, payoutId, direction, currency, matched } = filters;
  if (account) conditions.add(`a.name = any (${conditions.bind(account)}::text[])`);
  if (direction) conditions.add(`l.direction = any (${conditions.bind(direction)}::text[])`);
  if (currency) {
    conditions.add(
      `lower(l.currency) = any (${conditions.bind(currency.map((code) => code.toLowerCase()))}::text[])`,
    );
  }
  if (fileId !== undefined) {
    conditions.add(
      `l.id in (select line_id from tieout.receipt_rows where file_id = ${conditions.bind(fileId)}::bigint)`,
    );
  }
  if (payoutId !== undefined) {
    conditions.add(`l.id in (
      select receipt_line_id from tieout.receipt_matches where payout_id = ${conditions.bind(payoutId)}::bigint and state = 'active'
    )`);
  }
  if (matched === true) conditions.add("m.settled is not null");
  if (matched === false)
    conditions.add(
      "(l.direction = 'credit' or l.is_reversal) and l.amount > abs(coalesce(m.settled, 0)) and not coalesce(m.is_converted, false)",
    );
}

export async function readReceiptLine(reader: AccountReader, id: number): Promise<ReceiptLineRow | null> {
  const [row] = await reader.database.query<ReceiptLineRow>(
    `select ${columns}
     from ${from}
     where l.id = $1::bigint
       and ($2::int[] is null or l.account_id = any ($2::int[]))`,
    [id, reader.accountIds],
  );
  return row ?? null;
}

export interface ReceiptMatchRow {
  id: number;
  accountId: number;
  lineId: number;
  payoutId: number;
  provider: string;
  payoutRef: string;
  rule: string;
  key: string | null;
  amount: string;
  currency: string;
  bankFee: string;
  rounding: string;
  state: "active" | "ended";
  madeBy: string;
  madeByName: string;
  reason: string | null;
  /** On which the bank booked the line. */
  bankDay: string;
  /** From when it counts. */
  effectiveAt: string;
  matchedAt: string;
  endedAt: string | null;
  endedBy: string | null;
  endedByName: string | null;
  endedReason: string | null;
}

/** Of a line, of a payout, or one by its number; the ended ones among them. */
export async function listReceiptMatches(
  database: Queryable,
  of: { lineId?: number; payoutId?: number; matchId?: number },
): Promise<ReceiptMatchRow[]> {
  return database.query<ReceiptMatchRow>(
    `select m.id::int, m.account_id as "accountId", m.receipt_line_id::int as "lineId", m.payout_id::int as "payoutId", p.provider,
            p.payout_ref as "payoutRef", m.rule, m.key, trim_scale(m.amount)::text as amount, m.currency,
            trim_scale(m.bank_fee)::text as "bankFee", trim_scale(m.rounding)::text as rounding, m.state, m.made_by as "madeBy",
            tieout.actor_name(m.made_by) as "madeByName", m.reason,
            coalesce(l.booking_date, l.value_date)::text as "bankDay",
            m.effective_at::text as "effectiveAt", m.matched_at::text as "matchedAt", m.ended_at::text as "endedAt",
            m.ended_by as "endedBy", tieout.actor_name(m.ended_by) as "endedByName", m.ended_reason as "endedReason"
     from tieout.receipt_matches as m
     join tieout.receipt_lines as l on l.id = m.receipt_line_id
     join tieout.payouts as p on p.id = m.payout_id
     where ($1::bigint is null or m.receipt_line_id = $1)
       and ($2::bigint is null or m.payout_id = $2)
       and ($3::bigint is null or m.id = $3)
     order by m.state, m.id desc
     limit 200`,
    [of.lineId ?? null, of.payoutId ?? null, of.matchId ?? null],
  );
}

export interface SuggestedPayout {
  payoutId: number;
  provider: string;
  payoutRef: string;
  currency: string;
  payoutDate: string | null;
  expected: string;
  outstanding: string;
  /** Days from the payout's date to the line's. */
  daysApart: number | null;
  /** The amount is the same to the minor unit. */
  sameAmount: boolean;
  /** A name of the line is the payout's, and of another provider's too. */
  named: boolean;
}

/**
 * Payouts that a line might have brought: of the same account and currency, still owed, with the same amount or near in
 * time. Only to be shown: an amount and a date prove nothing.
 */
export async function suggestPayouts(
  database: Queryable,
  lineId: number,
  limit = 10,
): Promise<SuggestedPayout[]> {
  return database.query<SuggestedPayout>(
    `select p.id::int as "payoutId", p.provider, p.payout_ref as "payoutRef", p.currency, p.payout_date::text as "payoutDate",
            trim_scale(due.expected)::text as expected, trim_scale(due.outstanding)::text as outstanding,
            (l.effective_at::date - p.payout_date::date) as "daysApart",
            near.same as "sameAmount", near.named
     from tieout.receipt_lines as l
     join tieout.payouts as p on p.account_id = l.account_id and lower(p.currency) in (lower(l.currency), lower(l.original_currency))
     cross join lateral (
       select coalesce(p.net_declared, p.net_computed) as expected,
              coalesce(p.net_declared, p.net_computed) - coalesce((
                select sum(m.amount + m.bank_fee + m.rounding)
                from tieout.receipt_matches as m
                where m.payout_id = p.id
                  and m.state = 'active'
              ), 0) as outstanding
     ) as due
     left join tieout.currency_words as w on w.word = lower(p.currency)
     cross join lateral (select power(10::numeric, -coalesce(w.places, 2)::int)) as unit (amount)
     cross join lateral (select l.is_reversal and l.direction = 'debit') as back (is_taken)
     cross join lateral (
       select case
                -- what the bank takes back has arrived before
                when back.is_taken then abs(due.expected - due.outstanding - l.amount) <= unit.amount
                else abs(due.outstanding - case l.direction when 'credit' then l.amount else -l.amount end) <= unit.amount
              end as same,
              l.keys @> array[tieout.comparable_name(p.payout_ref)]
                or coalesce(tieout.short_name(p.payout_ref)
                            in (tieout.short_name(l.reference), tieout.short_name(l.end_to_end_id)), false) as named
     ) as near
     where l.id = $1::bigint
       and (abs(due.outstanding) > unit.amount or (back.is_taken and near.same))
       and (near.same or near.named or abs(l.effective_at::date - p.payout_date::date) <= 15)
     order by near.named desc, near.same desc, abs(l.effective_at::date - p.payout_date::date) nulls last, p.id
     limit $2`,
    [lineId, limit],
  );
}
