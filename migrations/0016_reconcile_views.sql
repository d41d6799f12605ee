-- What reconciliation shows to people: views only, columns only added at the end.

-- 64 characters, or 0x, are hexadecimal: there letters mean the same in either case, 0x may be left out, and leading zeros
-- may have been dropped after it. Base58 and base64 have other lengths and are never folded: there the case counts. Cheaper
-- than looking at every character, which an import of a million lines pays a million times.
drop index tieout.lines_by_hash;
--> statement-breakpoint
create or replace function tieout.comparable_hash(hash text) returns text
language sql immutable parallel safe as $$
  select case
    when length(hash) = 64 then lower(hash)
    when hash like '0x%' or hash like '0X%' then
      case
        when length(hash) = 66 then lower(substr(hash, 3))
        when length(hash) between 50 and 65 then lpad(lower(substr(hash, 3)), 64, '0')
        else hash
      end
    else nullif(hash, '')
  end
$$;
--> statement-breakpoint
create index lines_by_hash on tieout.statement_lines
  (tieout.comparable_hash(transaction_hash), account_id, provider)
  where transaction_hash is not null;
--> statement-breakpoint
-- Not strict, so that the planner can write it out in the query instead of calling it.
create or replace function tieout.comparable_address(address text) returns text
language sql immutable parallel safe as $$
  select case
    when address ~* '^(0x[0-9a-f]{40}|(bc|ltc|tb)1[0-9a-z]+)$' then lower(address)
    else nullif(address, '')
  end
$$;
--> statement-breakpoint
-- The keys of accounts are noted anew by the next run, now with their odd histories and shared hashes.
delete from tieout.reconcile_runs where provider = '*';
--> statement-breakpoint
-- A match that stands is found by its own index; this one is for those that do not.
drop index tieout.matches_by_line;
--> statement-breakpoint
create index matches_by_line on tieout.matches (line_id)
  where state <> 'active';
--> statement-breakpoint
create function tieout.age_days(since timestamptz, until timestamptz) returns integer
language sql immutable parallel safe as $$
  select greatest(0, (until at time zone 'UTC')::date - (since at time zone 'UTC')::date)
$$;
--> statement-breakpoint
create function tieout.age_bucket(days integer) returns text
language sql immutable parallel safe as $$
  select case
    when days <= 1 then '0-1'
    when days <= 3 then '2-3'
    when days <= 7 then '4-7'
    when days <= 30 then '8-30'
    when days <= 60 then '31-60'
    when days <= 90 then '61-90'
    else '91+'
  end
$$;
--> statement-breakpoint
create view reporting.payouts as
select a.name as account,
       p.provider,
       p.id as payout_id,
       p.payout_ref,
       p.payout_date,
       p.currency,
       p.line_count,
       p.gross,
       p.fees,
       p.refunds,
       p.chargebacks,
       p.chargeback_reversals,
       p.commissions,
       p.adjustments,
       p.reserves,
       p.net_computed,
       p.net_declared,
       p.difference,
       p.transaction_hash,
       p.status,
       p.first_seen_at,
       p.last_changed_at
from tieout.payouts as p
left join tieout.accounts as a on a.id = p.account_id;
--> statement-breakpoint
create view reporting.matches as
select m.id as match_id,
       a.name as account,
       m.provider,
       m.transaction_id,
       encode(m.record_hash, 'hex') as record_hash,
       m.line_id,
       m.role,
       m.rule,
       m.keys,
       m.state,
       m.made_by,
       m.in_expected,
       m.in_actual,
       m.in_difference,
       m.out_expected,
       m.out_actual,
       m.out_difference,
       m.difference_name,
       m.effective_at,
       m.matched_at,
       m.ended_at,
       m.ended_reason,
       m.reason,
       m.ended_by
from tieout.matches as m
left join tieout.accounts as a on a.id = m.account_id;
--> statement-breakpoint
create view reporting.discrepancies as
select d.id as discrepancy_id,
       encode(d.fingerprint, 'hex') as fingerprint,
       a.name as account,
       d.provider,
       d.code,
       d.level,
       d.subject_kind,
       d.transaction_id,
       d.line_id,
       d.payout_id,
       case when d.period_from is not null then tstzrange(d.period_from, d.period_to) end as period,
       d.expected,
       d.actual,
       d.delta,
       d.currency,
       d.expected_text,
       d.actual_text,
       d.value,
       d.value_currency,
       d.since,
       d.first_seen_at,
       d.last_changed_at,
       tieout.age_days(d.since, coalesce(d.resolved_at, now())) as age_days,
       tieout.age_bucket(tieout.age_days(d.since, coalesce(d.resolved_at, now()))) as bucket,
       d.near_period_edge,
       d.state,
       d.owner,
       d.reason,
       d.resolved_by,
       d.resolved_at
from tieout.discrepancies as d
left join tieout.accounts as a on a.id = d.account_id;
--> statement-breakpoint
comment on table tieout.odd_histories is 'Transactions of which two status rows may contradict each other; only these are compared row by row.';
--> statement-breakpoint
comment on column tieout.odd_histories.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.odd_histories.transaction_id is 'The transaction.';
--> statement-breakpoint
comment on table tieout.shared_hashes is 'Chain hashes that stand on more than one transaction of an account.';
--> statement-breakpoint
comment on column tieout.shared_hashes.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.shared_hashes.transaction_hash is 'The hash as received.';
--> statement-breakpoint
comment on view reporting.payouts is 'Payouts as providers declare them, each with the sum of its lines. Grain: one row per account, provider, reference and currency.';
--> statement-breakpoint
comment on column reporting.payouts.account is 'Name of the account.';
--> statement-breakpoint
comment on column reporting.payouts.provider is 'The provider.';
--> statement-breakpoint
comment on column reporting.payouts.payout_id is 'Our number for the payout.';
--> statement-breakpoint
comment on column reporting.payouts.payout_ref is 'The reference that its lines carry.';
--> statement-breakpoint
comment on column reporting.payouts.payout_date is 'When the provider says it paid.';
--> statement-breakpoint
comment on column reporting.payouts.currency is 'Currency of all its amounts.';
--> statement-breakpoint
comment on column reporting.payouts.line_count is 'How many lines it sums.';
--> statement-breakpoint
comment on column reporting.payouts.gross is 'Charges before fees, where the provider owes us the customers money.';
--> statement-breakpoint
comment on column reporting.payouts.fees is 'Fees kept by the provider.';
--> statement-breakpoint
comment on column reporting.payouts.refunds is 'Refunds.';
--> statement-breakpoint
comment on column reporting.payouts.chargebacks is 'Chargebacks.';
--> statement-breakpoint
comment on column reporting.payouts.chargeback_reversals is 'Chargebacks that were won back.';
--> statement-breakpoint
comment on column reporting.payouts.commissions is 'Our share.';
--> statement-breakpoint
comment on column reporting.payouts.adjustments is 'Adjustments, with their sign.';
--> statement-breakpoint
comment on column reporting.payouts.reserves is 'Reserves: released less withheld.';
--> statement-breakpoint
comment on column reporting.payouts.net_computed is 'gross - fees - refunds - chargebacks + chargeback_reversals + commissions + adjustments + reserves.';
--> statement-breakpoint
comment on column reporting.payouts.net_declared is 'What the provider says it paid.';
--> statement-breakpoint
comment on column reporting.payouts.difference is 'net_declared - net_computed.';
--> statement-breakpoint
comment on column reporting.payouts.transaction_hash is 'Chain hash of a payout in crypto.';
--> statement-breakpoint
comment on column reporting.payouts.status is 'tied, not_tied, or undeclared (no net stated).';
--> statement-breakpoint
comment on column reporting.payouts.first_seen_at is 'When it was first computed.';
--> statement-breakpoint
comment on column reporting.payouts.last_changed_at is 'When any of its figures last changed.';
--> statement-breakpoint
comment on view reporting.matches is 'Lines of statements and the transactions they stand for, with the rule that says so. Grain: one row per match; state says whether it stands.';
--> statement-breakpoint
comment on column reporting.matches.match_id is 'Our number for the match.';
--> statement-breakpoint
comment on column reporting.matches.account is 'Name of the account.';
--> statement-breakpoint
comment on column reporting.matches.provider is 'The provider.';
--> statement-breakpoint
comment on column reporting.matches.transaction_id is 'The transaction.';
--> statement-breakpoint
comment on column reporting.matches.record_hash is 'Its status row at the time of matching, hexadecimal.';
--> statement-breakpoint
comment on column reporting.matches.line_id is 'The version of the line.';
--> statement-breakpoint
comment on column reporting.matches.role is 'settles (one active per transaction) or relates.';
--> statement-breakpoint
comment on column reporting.matches.rule is 'provider_id, our_reference, hash, suggested or person.';
--> statement-breakpoint
comment on column reporting.matches.keys is 'What agreed.';
--> statement-breakpoint
comment on column reporting.matches.state is 'active, suggested or ended.';
--> statement-breakpoint
comment on column reporting.matches.made_by is 'rules, or who chose it.';
--> statement-breakpoint
comment on column reporting.matches.in_expected is 'Our in leg.';
--> statement-breakpoint
comment on column reporting.matches.in_actual is 'The lines.';
--> statement-breakpoint
comment on column reporting.matches.in_difference is 'in_actual - in_expected.';
--> statement-breakpoint
comment on column reporting.matches.out_expected is 'Our out leg.';
--> statement-breakpoint
comment on column reporting.matches.out_actual is 'The lines.';
--> statement-breakpoint
comment on column reporting.matches.out_difference is 'out_actual - out_expected.';
--> statement-breakpoint
comment on column reporting.matches.difference_name is 'Name of a difference inside the tolerance: rounding, fee, quote_drift or other.';
--> statement-breakpoint
comment on column reporting.matches.effective_at is 'The later of both sides times.';
--> statement-breakpoint
comment on column reporting.matches.matched_at is 'When it was made.';
--> statement-breakpoint
comment on column reporting.matches.ended_at is 'When it ended.';
--> statement-breakpoint
comment on column reporting.matches.ended_reason is 'Why it ended.';
--> statement-breakpoint
comment on column reporting.matches.reason is 'Why a person chose it.';
--> statement-breakpoint
comment on column reporting.matches.ended_by is 'Who or what ended it.';
--> statement-breakpoint
comment on view reporting.discrepancies is 'What disagrees between transactions, statements and payouts, with what was done about it. Grain: one row per discrepancy, open or closed.';
--> statement-breakpoint
comment on column reporting.discrepancies.discrepancy_id is 'Our number for the discrepancy.';
--> statement-breakpoint
comment on column reporting.discrepancies.fingerprint is 'What identifies it over all runs, hexadecimal.';
--> statement-breakpoint
comment on column reporting.discrepancies.account is 'Name of the account.';
--> statement-breakpoint
comment on column reporting.discrepancies.provider is 'The provider.';
--> statement-breakpoint
comment on column reporting.discrepancies.code is 'What disagrees; a closed list, see docs/reconciliation.md.';
--> statement-breakpoint
comment on column reporting.discrepancies.level is 'error changes the class of its subject, warning does not.';
--> statement-breakpoint
comment on column reporting.discrepancies.subject_kind is 'transaction, line, payout or period.';
--> statement-breakpoint
comment on column reporting.discrepancies.transaction_id is 'The transaction, where there is one.';
--> statement-breakpoint
comment on column reporting.discrepancies.line_id is 'The line, where there is one.';
--> statement-breakpoint
comment on column reporting.discrepancies.payout_id is 'The payout, where there is one.';
--> statement-breakpoint
comment on column reporting.discrepancies.period is 'The period, half-open, where it is about one.';
--> statement-breakpoint
comment on column reporting.discrepancies.expected is 'Our side.';
--> statement-breakpoint
comment on column reporting.discrepancies.actual is 'Their side.';
--> statement-breakpoint
comment on column reporting.discrepancies.delta is 'actual - expected.';
--> statement-breakpoint
comment on column reporting.discrepancies.currency is 'Currency of these.';
--> statement-breakpoint
comment on column reporting.discrepancies.expected_text is 'Our side, where it is no amount.';
--> statement-breakpoint
comment on column reporting.discrepancies.actual_text is 'Their side, where it is no amount.';
--> statement-breakpoint
comment on column reporting.discrepancies.value is 'What is at stake, never negative.';
--> statement-breakpoint
comment on column reporting.discrepancies.value_currency is 'Currency of value; never add values of two currencies.';
--> statement-breakpoint
comment on column reporting.discrepancies.since is 'When the difference began by the facts, never the day of import.';
--> statement-breakpoint
comment on column reporting.discrepancies.first_seen_at is 'When it was raised.';
--> statement-breakpoint
comment on column reporting.discrepancies.last_changed_at is 'When anything about it last changed.';
--> statement-breakpoint
comment on column reporting.discrepancies.age_days is 'Whole UTC days from since to now, or to the day it was closed.';
--> statement-breakpoint
comment on column reporting.discrepancies.bucket is 'The same as a range: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+.';
--> statement-breakpoint
comment on column reporting.discrepancies.near_period_edge is 'Within 24 hours of a periods edge.';
--> statement-breakpoint
comment on column reporting.discrepancies.state is 'open, investigating, resolved or written_off.';
--> statement-breakpoint
comment on column reporting.discrepancies.owner is 'Who looks after it.';
--> statement-breakpoint
comment on column reporting.discrepancies.reason is 'Why it was closed; agreed when the facts came to agree.';
--> statement-breakpoint
comment on column reporting.discrepancies.resolved_by is 'Who closed it.';
--> statement-breakpoint
comment on column reporting.discrepancies.resolved_at is 'When it was closed.';
