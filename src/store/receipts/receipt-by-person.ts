import type { Queryable, Transaction } from "../database.ts";

/** A bank line that someone wants to match by hand, with what is left of it. */
export interface ReceiptToMatch {
  id: number;
  accountId: number;
  currency: string;
  originalCurrency: string | null;
  counts: boolean;
  /** On which the bank booked it. */
  bankDay: string;
  /** Signed, less what people have matched already. */
  remaining: string;
  /** The same of what was sent, where the bank has converted it. */
  originalRemaining: string | null;
}

export async function findReceiptToMatch(
  tx: Queryable,
  lineId: number,
  accountIds: readonly number[] | null,
): Promise<ReceiptToMatch | null> {
  const [row] = await tx.query<ReceiptToMatch>(
    `select l.id::int, l.account_id as "accountId", l.currency, l.original_currency as "originalCurrency",
            not exists (
              select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null
            ) as counts, coalesce(l.booking_date, l.value_date)::text as "bankDay",
            trim_scale(whole.amount - matched.amount)::text as remaining,
            trim_scale(whole.original - matched.original)::text as "originalRemaining"
     from tieout.receipt_lines as l
     cross join lateral (
       select l.amount * way.sign as amount, l.original_amount * way.sign as original
       from (select case l.direction when 'credit' then 1 else -1 end) as way (sign)
     ) as whole
     cross join lateral (       -- what was matched in the one currency is that much less in the other, at the bank's own rate
       select coalesce(sum(case when same.is_own then m.amount else round(m.amount * whole.amount / nullif(whole.original, 0), 2) end), 0) as amount,
              coalesce(sum(case when same.is_own then round(m.amount * whole.original / nullif(whole.amount, 0), 2) else m.amount end), 0) as original
       from tieout.receipt_matches as m
       cross join lateral (select lower(m.currency) = lower(l.currency)) as same (is_own)
       where m.receipt_line_id = l.id
         and m.state = 'active'
         and m.rule = 'person'
     ) as matched
     where l.id = $1::bigint
       and ($2::int[] is null or l.account_id = any ($2::int[]))`,
    [lineId, accountIds],
  );
  return row ?? null;
}

export interface PayoutToMatch {
  id: number;
  accountId: number;
  payoutRef: string;
  currency: string;
  /** A file in force declares it, or has lines of it. */
  inForce: boolean;
  /** What is declared, less what has arrived by other lines. */
  outstanding: string;
  /** The same, less only what people have booked as the bank's fees: a fee by rule gives way to that of a person. */
  short: string;
  /** The active match of the line and the payout, where there is one. */
  matchId: number | null;
}

export async function findPayoutToMatch(
  tx: Queryable,
  { payoutId, lineId }: { payoutId: number; lineId: number },
): Promise<PayoutToMatch | null> {
  const [row] = await tx.query<PayoutToMatch>(
    `select p.id::int, p.account_id as "accountId", p.payout_ref as "payoutRef", p.currency,
            p.line_count > 0 or p.net_declared is not null as "inForce",
            trim_scale(coalesce(p.net_declared, p.net_computed)
              - coalesce(sum(m.amount + m.bank_fee + m.rounding) filter (where m.receipt_line_id <> $2), 0))::text as outstanding,
            trim_scale(coalesce(p.net_declared, p.net_computed)
              - coalesce(sum(m.amount + case m.rule when 'person' then m.bank_fee else 0 end)
                         filter (where m.receipt_line_id <> $2), 0))::text as short,
            min(m.id) filter (where m.receipt_line_id = $2)::int as "matchId"
     from tieout.payouts as p
     left join tieout.receipt_matches as m on m.payout_id = p.id and m.state = 'active'
     where p.id = $1::bigint
     group by p.id`,
    [payoutId, lineId],
  );
  return row ?? null;
}

export interface NewReceiptMatch {
  readonly accountId: number;
  readonly lineId: number;
  readonly payoutId: number;
  readonly amount: string;
  readonly currency: string;
  readonly bankFee: string;
  readonly actor: string;
  readonly reason: string;
  /** From when it counts; `null`: from now. */
  readonly bookedAt: string | null;
}

/** Counts from the day on which it is booked, never before the money came: a decision changes no day before it. */
export async function insertReceiptMatch(tx: Transaction, match: NewReceiptMatch): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into tieout.receipt_matches (account_id, receipt_line_id, payout_id, rule, amount, currency, bank_fee, rounding, state,
       made_by, reason, effective_at, matched_at)
     select $1, l.id, $3, 'person', $4, $5, $6, 0, 'active', $7, $8, greatest(l.effective_at, coalesce($9::timestamptz, clock_timestamp())),
            clock_timestamp()
     from tieout.receipt_lines as l
     where l.id = $2
     returning id::int`,
    [
      match.accountId,
      match.lineId,
      match.payoutId,
      match.amount,
      match.currency,
      match.bankFee,
      match.actor,
      match.reason,
      match.bookedAt,
    ],
  );
  if (!row) throw new TypeError(`bank line ${match.lineId} was just read`);
  return row.id;
}

/** Ends it for good: no rule matches the two again. `false` when it has ended already. */
export async function endReceiptMatch(
  tx: Transaction,
  ending: { matchId: number; actor: string; reason: string; barred: boolean },
): Promise<boolean> {
  const ended = await tx.query(
    `update tieout.receipt_matches
     set state = 'ended', ended_at = clock_timestamp(), ended_by = $2, ended_reason = $3, barred = $4
     where id = $1::bigint
       and state = 'active'
     returning id`,
    [ending.matchId, ending.actor, ending.reason, ending.barred],
  );
  return ended.length > 0;
}
