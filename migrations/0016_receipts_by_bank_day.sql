-- A payout that no file in force declares is expected no more, and nothing is matched with it.
create or replace function tieout.payout_received(payout tieout.payouts, as_at timestamptz, known_at timestamptz)
returns table (received numeric, bank_fee numeric, received_at timestamptz, received_reference text, state text)
language sql stable parallel safe as $$
  select trim_scale(coalesce(m.received, 0)), trim_scale(coalesce(m.bank_fee, 0)), m.received_at, m.reference,
         case
           when f.code = 'payout_short' then 'short'
           when f.code = 'payout_over' then 'over'
           when f.code = 'payout_not_received' then 'overdue'
           when m.received is not null then 'received'
           when payout.line_count = 0 and payout.net_declared is null then 'withdrawn'
           when payout.payout_date < payout_received.as_at then 'declared'
           else 'expected'
         end
  from (
    select sum(m.amount) as received, sum(m.bank_fee) as bank_fee, max(m.effective_at) as received_at,
           string_agg(distinct coalesce(l.bank_reference, l.hash, l.end_to_end_id, l.reference), ' ') as reference
    from tieout.receipt_matches as m
    join tieout.receipt_lines as l on l.id = m.receipt_line_id
    where m.payout_id = payout.id
      and m.effective_at < payout_received.as_at
      and m.matched_at <= payout_received.known_at
      and (m.ended_at is null or m.ended_at > payout_received.known_at)
  ) as m
  left join lateral (
    select f.code
    from tieout.findings as f
    where f.account_id = payout.account_id
      and f.provider = payout.provider
      and f.payout_ref = payout.payout_ref
      and f.currency = payout.currency
      and f.subject_kind = 'payout'
      and f.code in ('payout_short', 'payout_over', 'payout_not_received')
      and f.known_from <= payout_received.known_at
      and (f.known_to is null or f.known_to > payout_received.known_at)
      and f.holds_from < payout_received.as_at
      and f.holds_to >= payout_received.as_at
    order by f.code
    limit 1
  ) as f on true
$$;
--> statement-breakpoint
comment on function tieout.payout_received(tieout.payouts, timestamptz, timestamptz) is 'What has arrived of a payout as at an instant, by what was known at another, and its state: expected, declared, received, short, over, overdue or withdrawn.';
--> statement-breakpoint
comment on column reporting.payouts.state is 'expected (not declared yet, or dated ahead), declared, received, short, over, overdue (nothing arrived by its due date), or withdrawn (no file in force declares it: it is not owed).';
--> statement-breakpoint
comment on column tieout.receipt_matches.ended_reason is 'Why it ended, in the words of the person, or by the rules: line_withdrawn, line_superseded, payout_withdrawn (no file in force declares the payout; a person''s match counts again when one does), figures_changed or no_longer_found.';
