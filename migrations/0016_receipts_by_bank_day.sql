-- Matches of bank lines by hand are booked on a day of an open period, and short references are compared. How arrivals are dated follows in the next one.

-- As before, but what we owed and have paid is settled too.
create or replace function tieout.tell_receipts(of_account integer, known_before timestamptz) returns integer
language plpgsql as $$
declare
  told integer;
begin
  if not tieout.is_told('payout.received', 'payout.short') then return 0; end if;
  with moved as (                                           -- only these are judged: an account may have very many payouts
    select m.payout_id
    from tieout.receipt_matches as m
    where m.account_id = of_account
      and (m.matched_at > known_before or m.ended_at > known_before)
    union
    select p.id
    from tieout.findings as f
    join tieout.payouts as p
      on p.account_id = f.account_id
     and p.provider = f.provider
     and p.payout_ref = f.payout_ref
     and p.currency = f.currency
    where f.account_id = of_account
      and f.code in ('payout_short', 'payout_over')
      and (f.known_from > known_before or f.known_to > known_before)
  ), stands as (
    select p.id, p.account_id, p.provider, p.payout_ref, p.currency, coalesce(p.net_declared, p.net_computed) as expected,
           held.received, held.bank_fee, held.state,
           case when held.state in ('received', 'over', 'paid') then 'payout.received' else 'payout.short' end as type
    from moved
    join tieout.payouts as p on p.id = moved.payout_id
    cross join lateral tieout.payout_received(p, 'infinity', 'infinity') as held
    cross join lateral tieout.payout_received(p, 'infinity', known_before) as before
    where (held.state, held.received, held.bank_fee) is distinct from (before.state, before.received, before.bank_fee)
      and (held.state in ('received', 'over', 'short', 'paid') or before.state in ('received', 'over', 'short', 'paid'))
  )
  insert into tieout.events (account_id, type, subject, data)
  select s.account_id, s.type, 'payout ' || s.id,
         jsonb_build_object('account', a.name, 'id', 'po_' || s.id, 'provider', s.provider, 'payout_ref', s.payout_ref,
           'currency', s.currency, 'expected', trim_scale(s.expected)::text, 'received', s.received::text,
           'bank_fee', s.bank_fee::text, 'state', s.state)
  from stands as s
  join tieout.accounts as a on a.id = s.account_id
  where tieout.is_told(s.type)
  order by s.id;
  get diagnostics told = row_count;
  return told;
end
$$;
--> statement-breakpoint
-- What a person books into a closed period is refused. The matcher ends a person's match and writes it again, with its day,
-- when a file is withdrawn and comes back, or the bank restates the line: that decides nothing new.
create function tieout.book_receipt_match() returns trigger
language plpgsql as $$
begin
  if not exists (
    select
    from tieout.receipt_lines as l
    join tieout.receipt_lines as told
      on told.account_id = l.account_id
     and told.line_key = l.line_key
     and told.occurrence = l.occurrence
    join tieout.receipt_matches as m on m.receipt_line_id = told.id
    where l.id = new.receipt_line_id
      and m.payout_id = new.payout_id
      and m.rule = 'person'
      and m.ended_by = 'rules'
      and m.made_by = new.made_by
      and greatest(m.effective_at, l.effective_at) = new.effective_at
  ) then
    perform tieout.refuse_closed(new.account_id, new.effective_at);
  end if;
  return new;
end
$$;
--> statement-breakpoint
comment on function tieout.book_receipt_match() is 'Refuses a person''s match of a bank line that is booked into a closed period.';
--> statement-breakpoint
create trigger refuse_closed_period before insert on tieout.receipt_matches
  for each row when (new.rule = 'person') execute function tieout.book_receipt_match();
--> statement-breakpoint
comment on column reporting.payouts.received_at is 'When the bank booked the last of it.';
--> statement-breakpoint
comment on column reporting.payouts.state is 'expected (not declared yet, or dated ahead), declared, received, short, over, overdue (nothing arrived by its due date), payable (below zero: we owe it to the provider), paid (that it went out), or withdrawn (no file in force declares it: it is not owed).';
--> statement-breakpoint
comment on column tieout.receipt_matches.effective_at is 'From when it counts in the books: when the bank booked the line, or the day that a person booked the match on.';
--> statement-breakpoint
comment on column tieout.receipt_matches.ended_reason is 'Why it ended, in the words of the person, or by the rules: line_withdrawn, line_superseded, payout_withdrawn (no file in force declares the payout; a person''s match counts again when one does), figures_changed or no_longer_found.';
--> statement-breakpoint
-- What is too short to be looked for in a text may still be all that a field for a reference holds.
create function tieout.short_name(name text) returns text
language sql immutable parallel safe as $$
  select case
           when length(name) <= 12 and length(folded) between 1 and 3 then folded
         end
  from (select upper(regexp_replace(name, '[^A-Za-z0-9]', '', 'g'))) as compared (folded)
$$;
--> statement-breakpoint
comment on function tieout.short_name(text) is 'A reference of one to three letters and digits, as it is compared with a whole field of a bank line; null for any other, for which tieout.comparable_name is.';
