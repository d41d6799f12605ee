import { bookParts, findingParts } from "./findings.ts";
import { balances } from "./findings-of-positions.ts";
import type { Frame, Part } from "./frame.ts";
import { filePayouts, laterParts, payoutOfLine } from "./payout-parts.ts";

/**
 * The classification: every completed transaction, and every line that counts, is in exactly one of excluded,
 * discrepant, matched and pending. For the live state the discrepancies are those that the runs have written; for the
 * past they are found anew, and what persons had done about them by then is laid over them.
 */
export function classParts(frame: Frame): Part[] {
  return [
    ...(frame.mode === "live"
      ? [...bookParts(frame), filePayouts(frame), livePayouts(frame), balances, liveStanding(frame)]
      : [...findingParts(frame), ...pastStanding(frame)]),
    openErrors,
    overdue,
    unpaid,
    ...laterParts(frame),
    declaredRefs,
    transactionClass,
    lineClass,
  ];
}

/** What stands against each subject: open, or closed by a person. `discrepancies`, as they are. */
function liveStanding({ provider }: Frame): Part {
  return {
    name: "standing",
    materialized: true,
    sql: `
  select d.account_id, d.provider, d.code, d.level, d.subject_kind, d.transaction_id, d.line_id, p.payout_ref, d.period_from,
         d.period_to, d.currency, d.state, d.state in ('open', 'investigating') as is_open
  from tieout.discrepancies as d
  left join tieout.payouts as p on p.id = d.payout_id
  where d.account_id = $1
    and d.provider = ${provider}
    and (d.state, d.reason) is distinct from ('resolved', 'agreed')`,
  };
}

function livePayouts({ provider }: Frame): Part {
  return {
    name: "payout",
    materialized: true,
    sql: `
  select p.account_id, p.provider, p.payout_ref as ref, p.currency, p.net_declared
  from tieout.payouts as p
  where p.account_id = $1
    and p.provider = ${provider}`,
  };
}

function pastStanding({ accounts, knownAt }: Frame): Part[] {
  return [
    {
      // The last event known by then says how it stood, and with which facts.
      name: "life",
      materialized: true,
      sql: `
  select distinct on (d.id) d.id as discrepancy_id, d.fingerprint, e.id as event_id, e.state, e.owner, e.facts_hash,
         closing.reason, closing.actor as resolved_by, closing.at as resolved_at, raised.at as first_seen_at
  from tieout.discrepancies as d
  join tieout.discrepancy_events as e on e.discrepancy_id = d.id and e.at <= ${knownAt}
  left join lateral (
    select c.reason, c.actor, c.at
    from tieout.discrepancy_events as c
    where c.discrepancy_id = d.id
      and c.event in ('resolved', 'written_off', 'agreed')
      and c.at <= ${knownAt}
    order by c.id desc
    limit 1
  ) as closing on e.state in ('resolved', 'written_off')
  left join lateral (
    select c.at
    from tieout.discrepancy_events as c
    where c.discrepancy_id = d.id
      and c.event = 'raised'
    limit 1
  ) as raised on true
  where d.account_id = any (${accounts})
  order by d.id, e.id desc`,
    },
    {
      name: "standing",
      materialized: true,
      sql: `
  select f.*,
         life.discrepancy_id,
         life.first_seen_at,
         life.owner,
         closed.is_closed is not true as is_open,
         case when closed.is_closed then life.state when life.state = 'investigating' then life.state else 'open' end as state,
         case when closed.is_closed then life.reason end as reason,
         case when closed.is_closed then life.resolved_by end as resolved_by,
         case when closed.is_closed then life.resolved_at end as resolved_at
  from finding as f
  left join life on life.fingerprint = f.fingerprint
  cross join lateral (
    select life.state in ('resolved', 'written_off') and life.resolved_by <> 'tieout' and life.facts_hash = f.facts_hash
  ) as closed (is_closed)`,
    },
  ];
}

const openErrors: Part = {
  name: "verdict",
  materialized: true,
  sql: `
  select account_id, transaction_id, bool_or(is_open and level = 'error') as is_discrepant,
         bool_or(state = 'written_off') as is_written_off,
         string_agg(distinct code, ' ' order by code) filter (where is_open) as codes
  from standing
  where subject_kind = 'transaction'
  group by account_id, transaction_id`,
};

/** A few rows, apart from thousands: every transaction is held against them. */
const overdue: Part = {
  name: "overdue",
  materialized: true,
  sql: `
  select account_id, provider, period_from, currency, is_open, state
  from standing
  where code = 'statement_overdue'`,
};

/** The same of payouts, for lines. What a person has closed is not waited for either. */
const unpaid: Part = {
  name: "unpaid",
  materialized: true,
  sql: `
  select account_id, provider, period_from, period_to, currency
  from standing
  where code = 'payout_overdue'`,
};

/** Once for each payout: every line is held against these. */
const declaredRefs: Part = {
  name: "declared_ref",
  materialized: true,
  sql: `
  select distinct account_id, provider, ref
  from payout
  where net_declared is not null`,
};

const transactionClass: Part = {
  name: "transaction_class",
  materialized: false,
  sql: `
  select w.*,
         case
           when w.class <> 'pending' then null
           when later.transaction_id is not null then 'in_transit_at_cutoff'
           when w.is_carried then 'below_payout_threshold'
           else 'awaiting_statement'
         end as pending_code
  from (${judgedTransactions()}
  ) as w
  left join settled_later as later on later.account_id = w.account_id and later.transaction_id = w.transaction_id`,
};

function judgedTransactions(): string {
  return `
  select w.*,
         verdict.codes as own_codes,
         late.is_open as is_overdue,
         verdict.is_written_off is true or late.state is not distinct from 'written_off' as is_written_off,
         case
           when w.is_excluded or w.is_before_first then 'excluded'
           when verdict.is_discrepant or (w.line_id is null and late.is_open) then 'discrepant'
           when w.line_id is not null then 'matched'
           -- A person has closed what stood against it.
           when verdict.transaction_id is not null and verdict.codes is null or late.is_open is false then 'excluded'
           else 'pending'
         end as class
  from due as w
  left join verdict on verdict.account_id = w.account_id and verdict.transaction_id = w.transaction_id
  left join overdue as late
    on late.account_id = w.account_id
   and late.provider = w.provider
   and late.period_from = w.period_from
   and late.currency is not distinct from w.fiat_currency
   and w.line_id is null
   and not w.is_told`;
}

function judgedLines(): string {
  return `
  select l.*,
         m.transaction_id as matched_id,
         m.rule,
         m.role,
         concat_ws(' ', own.codes, pair.codes) as codes,
         case
           when own.is_discrepant or pair.is_discrepant then 'discrepant'
           when m.line_id is not null then 'matched'
           when own.line_id is not null and own.codes is null then 'excluded'
           when l.line_type = 'charge' and not l.moved_money then 'excluded'
           when l.line_type in ('payout', 'fee', 'commission', 'adjustment', 'reserve') and paid.ref is not null then 'matched'
           -- Nothing to meet but the balance before it; the first has none, and only says where to begin.
           when l.line_type = 'balance' then (select case when b.nth > 1 then 'matched' else 'excluded' end from balance as b where b.line_id = l.id)
           else 'pending'
         end as class,
         paid.ref is not null as is_paid
  from l
  left join declared_ref as paid on paid.account_id = l.account_id and paid.provider = l.provider and paid.ref = ${payoutOfLine}
  left join m on m.line_id = l.id
  left join verdict as pair on pair.account_id = m.account_id and pair.transaction_id = m.transaction_id and m.role = 'settles'
  left join (
    select line_id, bool_or(is_open and level = 'error') as is_discrepant,
           string_agg(distinct code, ' ' order by code) filter (where is_open) as codes
    from standing
    where subject_kind <> 'transaction'       -- a balance stands for its period
      and line_id is not null
    group by line_id
  ) as own on own.line_id = l.id`;
}

/** A charge or a reversal stands for a transaction; the others may name one. */
const namesTransaction = `(
             l.line_type in ('charge', 'refund', 'chargeback', 'chargeback_reversal')
             or coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash) is not null
           )`;

const isComing = `(
             exists (
               select
               from coming
               where coming.account_id = l.account_id
                 and coming.provider = l.provider
                 and coming.ref = l.payout_ref
             ) or (l.payout_ref is null and exists (
               select
               from coming
               where coming.statement_id = l.statement_id
                 and coming.currency = coalesce(l.net_currency, l.fiat_currency)
                 and coming.is_only
             ))
           )`;

/**
 * A line without a match may wait for our records. What it adds to what is owed waits for its payout, whether or not it has
 * found its transaction; one that is dated after the instant is on its way.
 */
const lineClass: Part = {
  name: "line_class",
  materialized: false,
  sql: `
  select l.*,
         case
           when l.class in ('discrepant', 'excluded') or l.line_type in ('payout', 'balance') then null
           when l.matched_id is null and ${namesTransaction} and not exists (
             select from read_so_far as r where r.account_id = l.account_id and r.covered @> l.effective_at
           ) then 'awaiting_records'
           when l.net_amount = 0 or l.is_paid then null
           when l.matched_id is not null and ${isComing} then 'in_transit_at_cutoff'
           when exists (
             select
             from unpaid
             where unpaid.account_id = l.account_id
               and unpaid.provider = l.provider
               and unpaid.currency = coalesce(l.net_currency, l.fiat_currency)
               and l.effective_at >= unpaid.period_from
               and l.effective_at < unpaid.period_to
           ) then null
           else 'awaiting_payout'
         end as pending_code
  from (${judgedLines()}
  ) as l`,
};
