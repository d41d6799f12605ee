-- Closing a month. Every fact in the books has a time at which it became known, so closing a period is pinning that time: its
-- figures are the reports as at its end, by what was known then, for ever. What is refused here is refused whoever asks:
-- one person signing twice, closing what was not prepared or has changed since, closing out of order, reopening alone, and
-- booking a decision into a closed period.

create trigger refuse_change before update or delete on tieout.period_events
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.period_events
  for each statement execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.carried_discrepancies
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.carried_discrepancies
  for each statement execute function tieout.refuse_change();

-- ---------------------------------------------------------------------------------------------------------------------
-- What has changed beneath a period
-- ---------------------------------------------------------------------------------------------------------------------

-- The time at which a period was signed is the high-water mark of everything it was signed on. What is stamped later and
-- concerns the time before the period's end is a change. No fact is read that is older than the mark.
create function tieout.changes_since(account_id integer, to_at timestamptz, known_at timestamptz)
returns table (fact text, changes bigint)
language sql stable parallel safe as $$
  select counted.fact, counted.changes
  from (
    select 'records', count(*)
    from tieout.transaction_statuses as s
    where s.account_id = changes_since.account_id
      and s.status_date < changes_since.to_at
      and s.first_seen_at > changes_since.known_at
    union all
    select 'vanished_records', count(*)
    from tieout.sync_findings as f
    join tieout.transactions as t on t.account_id = f.account_id and t.transaction_id = f.transaction_id
    where f.account_id = changes_since.account_id
      and f.finding in ('vanished', 'returned')
      and f.found_at > changes_since.known_at
      and t.status_date < changes_since.to_at
    union all
    select 'quarantined_records', count(*)
    from tieout.quarantined_records as q
    join tieout.sync_windows as w on w.id = q.window_id
    where q.account_id = changes_since.account_id
      and q.first_seen_at > changes_since.known_at
      and w.range_from < changes_since.to_at
    union all
    select 'statements', count(*)
    from tieout.statements as s
    where s.account_id = changes_since.account_id
      and greatest(s.imported_at, s.withdrawn_at) > changes_since.known_at
      and (s.period_from < changes_since.to_at
        or exists (
          select
          from tieout.statement_rows as r
          join tieout.statement_lines as l on l.id = r.line_id
          where r.statement_id = s.id
            and l.effective_at < changes_since.to_at
        ))
    union all
    select 'matches', count(*)
    from tieout.matches as m
    where m.account_id = changes_since.account_id
      and m.rule <> 'suggested'
      and m.effective_at < changes_since.to_at
      and (m.matched_at > changes_since.known_at or m.ended_at > changes_since.known_at)
    union all
    select 'findings', count(*)
    from tieout.findings as f
    where f.account_id = changes_since.account_id
      and f.holds_from < changes_since.to_at
      and (f.known_from > changes_since.known_at or f.known_to > changes_since.known_at)
    union all
    select 'decisions', count(*)
    from tieout.decisions as d
    join tieout.discrepancies as of on of.id = d.discrepancy_id
    where of.account_id = changes_since.account_id
      and d.booked_at < changes_since.to_at
      and (d.known_from > changes_since.known_at or d.known_to > changes_since.known_at)
    union all
    select 'payouts', count(*)
    from tieout.payouts as p
    where p.account_id = changes_since.account_id
      and p.last_changed_at > changes_since.known_at
      and least(p.payout_date, p.last_line_at) < changes_since.to_at
    union all
    select 'due_dates', count(*)
    from tieout.due_dates as d
    where d.account_id = changes_since.account_id
      and d.period_from < changes_since.to_at
      and (d.known_from > changes_since.known_at or d.known_to > changes_since.known_at)
    union all
    -- A profile says how to read a file, and an exclusion counts from the day it is saved: neither changes the past.
    select 'settings', count(*)
    from tieout.provider_settings as v
    where (v.account_id = changes_since.account_id or v.account_id is null)
      and v.saved_at > changes_since.known_at
      and (v.kind not in ('profile', 'exclusion') or v.kind = 'exclusion' and v.saved_at < changes_since.to_at)
    union all
    -- A month that was signed keeps its zone, whatever the calendar says later.
    select 'account_settings', count(*)
    from tieout.account_settings as s
    where s.account_id = changes_since.account_id
      and s.name <> 'calendar'
      and s.set_at > changes_since.known_at
    union all
    select 'fee_schedules', count(*)
    from tieout.fee_schedules as s
    where s.account_id = changes_since.account_id
      and s.imported_at > changes_since.known_at
      and s.valid_from < changes_since.to_at
    union all
    -- Only books that are kept in a currency are converted. A day too many in zones west of UTC, and none too few.
    select 'rates', count(*)
    from tieout.rates as r
    where r.imported_at > changes_since.known_at
      and r.day <= ((changes_since.to_at - interval '1 microsecond') at time zone 'UTC')::date
      and tieout.account_setting(changes_since.account_id, 'functional_currency', changes_since.known_at) is not null
    union all
    select 'receipt_lines', count(*)
    from tieout.receipt_files as f
    join tieout.receipt_lines as l on l.file_id = f.id
    where f.account_id = changes_since.account_id
      and f.imported_at > changes_since.known_at
      and l.effective_at < changes_since.to_at
    union all
    select 'receipt_retirements', count(*)
    from tieout.receipt_retirements as r
    join tieout.receipt_lines as l on l.id = r.line_id
    where l.account_id = changes_since.account_id
      and l.effective_at < changes_since.to_at
      and (r.retired_at > changes_since.known_at or r.restored_at > changes_since.known_at)
    union all
    select 'receipt_matches', count(*)
    from tieout.receipt_matches as m
    where m.account_id = changes_since.account_id
      and m.effective_at < changes_since.to_at
      and (m.matched_at > changes_since.known_at or m.ended_at > changes_since.known_at)
    union all
    -- What the month opened with was closed before, and is not any longer.
    select 'earlier_periods', count(*)
    from tieout.period_events as e
    where e.account_id = changes_since.account_id
      and e.event = 'reopened'
      and e.to_at < changes_since.to_at
      and e.at > changes_since.known_at
  ) as counted (fact, changes)
  where counted.changes > 0
$$;

comment on function tieout.changes_since(integer, timestamptz, timestamptz) is 'What has become known since a time and concerns what came before another: why a signed period has lapsed.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Signing
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.refuse_period(rule text, message text) returns void
language plpgsql as $$
begin
  raise exception '%', message using errcode = 'restrict_violation', constraint = rule, table = 'periods';
end
$$;

comment on function tieout.refuse_period(text, text) is 'Refuses something about a period, under the name of the rule that it breaks.';

-- The text that is hashed, as for the audit log.
create function tieout.period_event_text(event tieout.period_events) returns text
language sql immutable as $$
  select (to_jsonb(event) - 'previous_hash' - 'hash' - 'id'
    || jsonb_build_object(
      'at', to_char(event.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'from_at', to_char(event.from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'to_at', to_char(event.to_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'known_at', to_char(event.known_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'pack_sha256', encode(event.pack_sha256, 'hex')))::text
$$;

comment on function tieout.period_event_text(tieout.period_events) is 'The text of an event that its hash is made over.';

create function tieout.keep_period_event() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  held tieout.periods;
  first tieout.period_events;
  last_closed tieout.periods;
  head tieout.period_events;
  changed text;
  unaccepted text;
begin
  -- One signature at a time, and none while a decision is being booked: those take a share of this lock.
  lock table tieout.periods in share row exclusive mode;
  select * into held from tieout.periods as p where p.account_id = new.account_id and p.month = new.month;
  select * into last_closed
  from tieout.periods as p
  where p.account_id = new.account_id and p.state = 'closed'
  order by p.month desc
  limit 1;

  -- The signature that this one would be the second of.
  select * into first
  from tieout.period_events as e
  where e.account_id = new.account_id
    and e.month = new.month
    and e.event = case new.event when 'approved' then 'prepared' when 'reopened' then 'reopen_asked' end
  order by e.id desc
  limit 1;
  -- The name is not left to the writer where it is known here.
  new.actor_name := coalesce(nullif(tieout.actor_name(new.actor), new.actor), new.actor_name);

  if held.month is not null and (held.zone, held.from_at, held.to_at) is distinct from (new.zone, new.from_at, new.to_at) then
    perform tieout.refuse_period('period_keeps_its_bounds',
      format('%s began as a month of the zone %s and stays one', new.month, held.zone));
  end if;

  if new.event in ('prepared', 'approved') then
    if new.to_at > clock_timestamp() then
      perform tieout.refuse_period('only_past_periods_are_signed', format('%s is not over yet', new.month));
    end if;
    if last_closed.month is not null and last_closed.to_at <> new.from_at and new.month > last_closed.month then
      perform tieout.refuse_period('months_close_in_order',
        format('the last closed month is %s: the one after it comes first', last_closed.month));
    end if;
    if last_closed.month > new.month or exists (
      select from tieout.periods as p
      where p.account_id = new.account_id and p.month < new.month and p.state <> 'closed'
    ) then
      perform tieout.refuse_period('months_close_in_order', format('an earlier month than %s is not closed', new.month));
    end if;
    select string_agg(format('%s %s', c.changes, replace(c.fact, '_', ' ')), ', ') into changed
    from tieout.changes_since(new.account_id, new.to_at, new.known_at) as c;
    if changed is not null then
      perform tieout.refuse_period('signed_books_have_not_changed',
        format('%s has changed since it was read (%s): prepare it again', new.month, changed));
    end if;
  end if;

  if new.event = 'prepared' then
    if held.state = 'closed' then
      perform tieout.refuse_period('closed_period_stays_closed', format('%s is closed: reopen it first', new.month));
    end if;
    select string_agg(line ->> 'line', ', ') into unaccepted
    from jsonb_array_elements(new.checklist -> 'lines') as line
    where line ->> 'state' = 'red'
      and not exists (
        select
        from jsonb_array_elements(new.accepted) as one
        where one ->> 'line' = line ->> 'line' and btrim(coalesce(one ->> 'reason', '')) <> ''
      );
    if unaccepted is not null then
      perform tieout.refuse_period('red_lines_need_a_reason',
        format('%s: not in order and not accepted with a reason: %s', new.month, unaccepted));
    end if;
  elsif new.event = 'lapsed' then
    if held.state is distinct from 'prepared' then
      perform tieout.refuse_period('only_prepared_periods_lapse', format('%s is not prepared', new.month));
    end if;
    if not exists (select from tieout.changes_since(new.account_id, new.to_at, held.known_at)) then
      perform tieout.refuse_period('only_changed_periods_lapse', format('nothing of %s has changed', new.month));
    end if;
  elsif new.event = 'approved' then
    if held.state is distinct from 'prepared' then
      perform tieout.refuse_period('only_prepared_periods_close',
        format('%s is %s: it has to be prepared first', new.month, coalesce(held.state, 'open')));
    end if;
    if held.prepared_by = new.actor or new.vouched_by = first.actor or first.vouched_by = new.actor then
      perform tieout.refuse_period('two_people_close_a_period',
        format('%s prepared %s: another person has to approve it', held.prepared_by_name, new.month));
    end if;
    if (new.known_at, new.pack_sha256) is distinct from (held.known_at, held.pack_sha256) then
      perform tieout.refuse_period('approval_is_of_what_was_prepared',
        format('%s was prepared with another pack than the one approved', new.month));
    end if;
  else
    if held.state is distinct from 'closed' then
      perform tieout.refuse_period('only_closed_periods_reopen',
        format('%s is %s, not closed', new.month, coalesce(held.state, 'open')));
    end if;
    if last_closed.month > new.month then
      perform tieout.refuse_period('months_reopen_in_order',
        format('%s is closed too: reopen it before %s', last_closed.month, new.month));
    end if;
    if new.event = 'reopened' and (held.reopen_asked_by is null or held.reopen_asked_by = new.actor
      or new.vouched_by = first.actor or first.vouched_by = new.actor) then
      perform tieout.refuse_period('two_people_reopen_a_period',
        case when held.reopen_asked_by is null
          then format('there is no request to reopen %s yet', new.month)
          else format('%s asked to reopen %s: another person has to agree', held.reopen_asked_by_name, new.month) end);
    end if;
  end if;

  select * into head
  from tieout.period_events as e
  where e.account_id = new.account_id and e.month = new.month
  order by e.id desc
  limit 1;
  new.at := clock_timestamp();
  new.previous_hash := coalesce(head.hash, sha256(''));
  new.hash := sha256(new.previous_hash || convert_to(tieout.period_event_text(new), 'UTF8'));
  return new;
end
$$;

create trigger keep_event before insert on tieout.period_events
  for each row execute function tieout.keep_period_event();

-- A period is the fold of its events. With the rights of the owner, because nobody else may write it.
create function tieout.fold_period_event() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into tieout.periods as held (account_id, month, zone, from_at, to_at, state, last_event_id)
  values (new.account_id, new.month, new.zone, new.from_at, new.to_at, 'open', new.id)
  on conflict (account_id, month) do nothing;

  update tieout.periods as held
  set last_event_id = new.id,
      state = case new.event
        when 'prepared' then 'prepared'
        when 'approved' then 'closed'
        when 'reopen_asked' then 'closed'
        when 'reopened' then 'reopened'
        else case when exists (
          select from tieout.period_events as e
          where e.account_id = new.account_id and e.month = new.month and e.event = 'reopened'
        ) then 'reopened' else 'open' end
      end,
      known_at = case when new.event in ('prepared', 'approved') then new.known_at when new.event = 'reopen_asked' then held.known_at end,
      pack_sha256 = case when new.event in ('prepared', 'approved') then new.pack_sha256 when new.event = 'reopen_asked' then held.pack_sha256 end,
      prepared_by = case new.event when 'prepared' then new.actor when 'approved' then held.prepared_by when 'reopen_asked' then held.prepared_by end,
      prepared_by_name = case new.event when 'prepared' then new.actor_name when 'approved' then held.prepared_by_name when 'reopen_asked' then held.prepared_by_name end,
      prepared_at = case new.event when 'prepared' then new.at when 'approved' then held.prepared_at when 'reopen_asked' then held.prepared_at end,
      closed_by = case new.event when 'approved' then new.actor when 'reopen_asked' then held.closed_by end,
      closed_by_name = case new.event when 'approved' then new.actor_name when 'reopen_asked' then held.closed_by_name end,
      closed_at = case new.event when 'approved' then new.at when 'reopen_asked' then held.closed_at end,
      reopen_asked_by = case when new.event = 'reopen_asked' then new.actor end,
      reopen_asked_by_name = case when new.event = 'reopen_asked' then new.actor_name end
  where held.account_id = new.account_id and held.month = new.month;
  return null;
end
$$;

create trigger fold_event after insert on tieout.period_events
  for each row execute function tieout.fold_period_event();

-- ---------------------------------------------------------------------------------------------------------------------
-- Booking
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.open_from(account_id integer) returns timestamptz
language sql stable parallel safe as $$
  select max(p.to_at)
  from tieout.periods as p
  where p.account_id = open_from.account_id and p.state = 'closed'
$$;

comment on function tieout.open_from(integer) is 'The end of the last closed period of an account: nothing is booked before it. Null where none is closed.';

-- Months close in order, so everything before the end of the last closed one is closed.
create function tieout.refuse_closed(account_id integer, booked_at timestamptz) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  open_from timestamptz;
begin
  -- Held to the end of the transaction: a period cannot close between this look and the commit.
  lock table tieout.periods in share mode;
  open_from := tieout.open_from(refuse_closed.account_id);
  if refuse_closed.booked_at < open_from then
    perform tieout.refuse_period('nothing_is_booked_into_a_closed_period',
      format('the books are closed up to %s: book it from then on, or leave the day out to book it now',
        to_char(open_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')));
  end if;
end
$$;

comment on function tieout.refuse_closed(integer, timestamptz) is 'Refuses what is booked into a closed period, and keeps periods from closing until the end of the transaction.';

create function tieout.book_decision() returns trigger
language plpgsql as $$
begin
  perform tieout.refuse_closed((select d.account_id from tieout.discrepancies as d where d.id = new.discrepancy_id), new.booked_at);
  return new;
end
$$;

create trigger refuse_closed_period before insert on tieout.decisions
  for each row execute function tieout.book_decision();

-- The matcher writes a person's match again, with its day, when the record or a setting changes: that decides nothing new.
create function tieout.book_match() returns trigger
language plpgsql as $$
begin
  if not exists (
    select from tieout.matches as m
    where m.account_id = new.account_id
      and m.transaction_id = new.transaction_id
      and m.rule = 'person'
      and m.effective_at = new.effective_at
  ) then
    perform tieout.refuse_closed(new.account_id, new.effective_at);
  end if;
  return new;
end
$$;

create trigger refuse_closed_period before insert on tieout.matches
  for each row when (new.rule = 'person') execute function tieout.book_match();

create function tieout.book_exclusion() returns trigger
language plpgsql as $$
declare
  account record;
begin
  for account in
    select a.id from tieout.accounts as a where a.id = new.account_id or new.account_id is null
  loop
    perform tieout.refuse_closed(account.id, new.saved_at);
  end loop;
  return new;
end
$$;

create trigger refuse_closed_period before insert on tieout.provider_settings
  for each row when (new.kind = 'exclusion') execute function tieout.book_exclusion();

-- What is left for the next month is said before the month closes.
create function tieout.carry_discrepancy() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  lock table tieout.periods in share mode;
  if exists (
    select from tieout.periods as p
    where p.account_id = new.account_id and p.month = new.month and p.state = 'closed'
  ) then
    perform tieout.refuse_period('closed_period_stays_closed', format('%s is closed', new.month));
  end if;
  if not exists (
    select from tieout.discrepancies as d where d.id = new.discrepancy_id and d.account_id = new.account_id
  ) then
    perform tieout.refuse_period('carried_discrepancy_is_of_the_account',
      format('there is no discrepancy dis_%s in this account', new.discrepancy_id));
  end if;
  new.at := clock_timestamp();
  return new;
end
$$;

create trigger check_carried before insert on tieout.carried_discrepancies
  for each row execute function tieout.carry_discrepancy();

-- ---------------------------------------------------------------------------------------------------------------------
-- For people who read SQL
-- ---------------------------------------------------------------------------------------------------------------------

create view reporting.periods as
select a.name as account, p.month, p.zone as timezone, p.from_at, p.to_at, p.state, p.known_at,
       encode(p.pack_sha256, 'hex') as pack_sha256, p.prepared_by_name as prepared_by, p.prepared_at,
       p.closed_by_name as closed_by, p.closed_at, p.reopen_asked_by_name as reopen_asked_by
from tieout.periods as p
join tieout.accounts as a on a.id = p.account_id
where (select tieout.reads_all()) or a.id = any ((select tieout.readable_accounts())::integer[]);

comment on view reporting.periods is 'Months that somebody has signed: how each stands, by whom, and the known_at that its figures are pinned to. A month without a row is open.';
comment on column reporting.periods.account is 'Name of the account.';
comment on column reporting.periods.month is 'The month, such as 2026-10.';
comment on column reporting.periods.timezone is 'The zone whose month it is.';
comment on column reporting.periods.from_at is 'Start of the month, included.';
comment on column reporting.periods.to_at is 'End of the month, excluded; as_at of its reports.';
comment on column reporting.periods.state is 'open, prepared, closed or reopened.';
comment on column reporting.periods.known_at is 'What was known by then counts: known_at of its reports. Empty while it is open or reopened.';
comment on column reporting.periods.pack_sha256 is 'SHA-256 of the manifest of its pack, in hexadecimal digits.';
comment on column reporting.periods.prepared_by is 'Name of the person who prepared it.';
comment on column reporting.periods.prepared_at is 'When it was prepared.';
comment on column reporting.periods.closed_by is 'Name of the person who approved it.';
comment on column reporting.periods.closed_at is 'When it was closed.';
comment on column reporting.periods.reopen_asked_by is 'Name of the person who asked to reopen it, until a second person agrees.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Comments
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.periods is 'How each period stands: the fold of period_events, written by their trigger. A month without a row is open.';
comment on column tieout.periods.account_id is 'The account.';
comment on column tieout.periods.month is 'The month, such as 2026-10.';
comment on column tieout.periods.zone is 'The zone whose month it is.';
comment on column tieout.periods.from_at is 'Start of the month, included.';
comment on column tieout.periods.to_at is 'End of the month, excluded.';
comment on column tieout.periods.state is 'open, prepared, closed or reopened.';
comment on column tieout.periods.known_at is 'What was known by then counts, for a period that is prepared or closed.';
comment on column tieout.periods.pack_sha256 is 'SHA-256 of the manifest of its pack.';
comment on column tieout.periods.prepared_by is 'Who prepared it.';
comment on column tieout.periods.prepared_by_name is 'The name of that person, as it was then.';
comment on column tieout.periods.prepared_at is 'When it was prepared.';
comment on column tieout.periods.closed_by is 'Who approved it; another person.';
comment on column tieout.periods.closed_by_name is 'The name of that person, as it was then.';
comment on column tieout.periods.closed_at is 'When it was closed.';
comment on column tieout.periods.reopen_asked_by is 'Who asked to reopen it, until a second person agrees.';
comment on column tieout.periods.reopen_asked_by_name is 'The name of that person, as it was then.';
comment on column tieout.periods.last_event_id is 'The event that made it what it is.';

comment on table tieout.period_events is 'All that was ever signed. Append-only; the events of a period are chained by hash.';
comment on column tieout.period_events.id is 'Number of the event.';
comment on column tieout.period_events.account_id is 'The account.';
comment on column tieout.period_events.month is 'The month, such as 2026-10.';
comment on column tieout.period_events.zone is 'The zone whose month it is.';
comment on column tieout.period_events.from_at is 'Start of the month, included.';
comment on column tieout.period_events.to_at is 'End of the month, excluded.';
comment on column tieout.period_events.event is 'prepared, lapsed (something beneath it changed), approved, reopen_asked or reopened.';
comment on column tieout.period_events.actor is 'Who: a person, or tieout for what lapsed by itself.';
comment on column tieout.period_events.actor_name is 'The name, as it was then.';
comment on column tieout.period_events.vouched_by is 'Who made the link that they had signed in with, if it was one: that person cannot give the other signature.';
comment on column tieout.period_events.at is 'When, by the database''s clock.';
comment on column tieout.period_events.known_at is 'What was known by then is what was signed.';
comment on column tieout.period_events.pack_sha256 is 'SHA-256 of the manifest of the pack as it was signed.';
comment on column tieout.period_events.checklist is 'Of a preparation: the checklist at that moment, with its figures.';
comment on column tieout.period_events.accepted is 'Of a preparation: the red lines that were accepted, each with its reason.';
comment on column tieout.period_events.changes is 'Of a lapse: what had changed, and how often.';
comment on column tieout.period_events.reason is 'Why, in the words of whoever did it.';
comment on column tieout.period_events.request_id is 'The HTTP request it came with, if any.';
comment on column tieout.period_events.previous_hash is 'Hash of the period''s event before; SHA-256 of nothing for the first.';
comment on column tieout.period_events.hash is 'SHA-256 over previous_hash followed by the text of the event (tieout.period_event_text).';

comment on table tieout.carried_discrepancies is 'Discrepancies that were still open at the end of a month and were taken into the next. Append-only; of several rows the last counts.';
comment on column tieout.carried_discrepancies.id is 'Number of the row.';
comment on column tieout.carried_discrepancies.account_id is 'The account.';
comment on column tieout.carried_discrepancies.month is 'The month at whose end it was open.';
comment on column tieout.carried_discrepancies.discrepancy_id is 'The discrepancy.';
comment on column tieout.carried_discrepancies.owner is 'Who looks after it from now on.';
comment on column tieout.carried_discrepancies.reason is 'Why it is not closed yet.';
comment on column tieout.carried_discrepancies.actor is 'Who carried it forward.';
comment on column tieout.carried_discrepancies.actor_name is 'The name of that person, as it was then.';
comment on column tieout.carried_discrepancies.at is 'When, by the database''s clock.';
