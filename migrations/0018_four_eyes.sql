-- Four eyes are those of two people: who could have signed in as somebody is kept with sessions, passkeys, keys and proposals; admins
-- count for a while after they were one; and a proposal ends with what it was about.
ALTER TABLE "tieout"."approvals" DROP CONSTRAINT "approval_state_is_known";--> statement-breakpoint
ALTER TABLE "tieout"."approvals" DROP CONSTRAINT "decided_approval_says_who_and_when";--> statement-breakpoint
ALTER TABLE "tieout"."approvals" DROP CONSTRAINT "two_people_decide";--> statement-breakpoint
ALTER TABLE "tieout"."approval_events" ALTER COLUMN "person_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "tieout"."api_keys" ADD COLUMN "vouched_by" text;--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD COLUMN "proposed_vouched_by" text;--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD COLUMN "decided_vouched_by" text;--> statement-breakpoint
ALTER TABLE "tieout"."people" ADD COLUMN "admin_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tieout"."sign_in_links" ADD COLUMN "vouched_by" text;--> statement-breakpoint
ALTER TABLE "tieout"."passkeys" ADD COLUMN "vouched_by" text;--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD CONSTRAINT "approval_state_is_known" CHECK ("tieout"."approvals"."state" in ('proposed', 'approved', 'rejected', 'withdrawn', 'lapsed'));--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD CONSTRAINT "decided_approval_says_who_and_when" CHECK (("tieout"."approvals"."state" in ('proposed', 'lapsed')) = ("tieout"."approvals"."decided_by" is null) and ("tieout"."approvals"."state" = 'proposed') = ("tieout"."approvals"."decided_at" is null));--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD CONSTRAINT "two_people_decide" CHECK (case "tieout"."approvals"."state"
        when 'withdrawn' then "tieout"."approvals"."decided_by" = "tieout"."approvals"."proposed_by"
        when 'proposed' then true
        when 'lapsed' then true
        else "tieout"."approvals"."decided_by" <> "tieout"."approvals"."proposed_by" end);--> statement-breakpoint

-- ---------------------------------------------------------------------------------------------------------------------
-- Who could have signed in as somebody else
-- ---------------------------------------------------------------------------------------------------------------------

-- A key stands for its owner, in what was written before this as well.
create function tieout.has_vouched(vouched_by text, actor text) returns boolean
language sql stable parallel safe as $$
  select exists (
    select
    from unnest(string_to_array(has_vouched.vouched_by, ', ')) as voucher
    where voucher = has_vouched.actor
       or tieout.person_of(voucher) = tieout.person_of(has_vouched.actor)
  )
$$;

comment on function tieout.has_vouched(text, text) is 'Whether an actor is among those who could have opened a session: the text is a list such as person:1, person:4.';

-- What was made before and still works: links by the person behind them, and passkeys by the session they were added in, where that is known.
update tieout.sign_in_links
set vouched_by = coalesce('person:' || tieout.person_of(created_by), created_by)
where purpose <> 'first_person';

update tieout.sessions
set vouched_by = 'person:' || tieout.person_of(vouched_by)
where vouched_by like 'key:%'
  and tieout.person_of(vouched_by) is not null;

update tieout.passkeys as p
set vouched_by = (
  select string_agg(distinct s.vouched_by, ', ')
  from tieout.sessions as s
  where s.person_id = p.person_id
    and s.method = 'link'
    and p.created_at between s.opened_at and coalesce(s.ended_at, s.expires_at)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Approvals: as before (0005_people), and neither of the two could have been the other
-- ---------------------------------------------------------------------------------------------------------------------

create or replace function tieout.check_approval() returns trigger
language plpgsql as $$
declare
  acting bigint := case tg_op when 'INSERT' then new.proposed_by else new.decided_by end;
  person tieout.people;
begin
  if tg_op = 'INSERT' and new.state <> 'proposed' then
    raise exception 'approvals: begins as proposed' using errcode = 'restrict_violation';
  end if;
  if tg_op = 'INSERT' then
    -- Said for the transaction by whoever proposes.
    new.proposed_vouched_by := nullif(current_setting('tieout.vouched_by', true), '');
  end if;
  if tg_op = 'UPDATE' then
    -- Words of it may be personal data on its way out (tieout.erase); nothing else changes then.
    if exists (select from tieout.erasures where made_in = pg_current_xact_id()::text)
       and to_jsonb(new) - array['subject', 'details', 'reason', 'decision_reason']
         = to_jsonb(old) - array['subject', 'details', 'reason', 'decision_reason'] then
      return new;
    end if;
    if old.state <> 'proposed' then
      raise exception 'approval % is %, and stays so', old.id, old.state using errcode = 'restrict_violation';
    end if;
    if (new.id, new.kind, new.subject, new.account_id, new.details, new.proposed_by, new.proposed_at, new.reason, new.proposed_vouched_by)
       is distinct from (old.id, old.kind, old.subject, old.account_id, old.details, old.proposed_by, old.proposed_at, old.reason, old.proposed_vouched_by) then
      raise exception 'approvals: what was proposed stays as it is; withdraw it and propose another' using errcode = 'restrict_violation';
    end if;
    -- Nobody decides that: there is nothing left to approve.
    if new.state = 'lapsed' then
      if new.kind <> 'write_off' or exists (
        select
        from tieout.discrepancies as d
        where d.id = case when new.subject ~ '^dis_\d{1,18}$' then substr(new.subject, 5)::bigint end
          and d.state in ('open', 'investigating')
      ) then
        raise exception 'approvals: only a write-off of what is closed by now lapses' using errcode = 'restrict_violation';
      end if;
      return new;
    end if;
    if new.state = 'approved' and (tieout.has_vouched(new.decided_vouched_by, 'person:' || new.proposed_by)
       or tieout.has_vouched(new.proposed_vouched_by, 'person:' || new.decided_by)) then
      raise exception 'approvals: one of the two signed in through a link that the other could have used' using errcode = 'restrict_violation';
    end if;
  end if;
  select * into person from tieout.people where id = acting;
  if person.state is distinct from 'active' then
    raise exception 'approvals: % is not active', coalesce(person.name, 'this person') using errcode = 'restrict_violation';
  end if;
  -- What concerns money needs a controller, what concerns admins an admin.
  if tg_op = 'UPDATE' and new.state in ('approved', 'rejected')
     and not (case new.kind when 'admin_key' then 'admin' else 'controller' end = any (person.roles)) then
    raise exception 'approvals: % may not decide this', person.name using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

-- As before; nobody is named where nobody decided.
create or replace function tieout.note_approval() returns trigger
language plpgsql as $$
declare
  acting bigint := case tg_op when 'INSERT' then new.proposed_by else new.decided_by end;
begin
  insert into tieout.approval_events (approval_id, state, person_id, person_name, reason)
  values (new.id, new.state, acting,
    coalesce((select p.name from tieout.people as p where p.id = acting), 'tieout'),
    case tg_op when 'INSERT' then new.reason else new.decision_reason end);
  return null;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Months: as before (0009_periods), and neither of the two could have been the other
-- ---------------------------------------------------------------------------------------------------------------------

create or replace function tieout.keep_period_event() returns trigger
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
  let_in boolean;
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
  -- Whoever could have opened the session of one signature gives no second one beside it.
  let_in := tieout.has_vouched(new.vouched_by, first.actor) or tieout.has_vouched(first.vouched_by, new.actor);
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
    if held.prepared_by = new.actor then
      perform tieout.refuse_period('two_people_close_a_period',
        format('%s prepared %s: another person has to approve it', held.prepared_by_name, new.month));
    end if;
    if let_in then
      perform tieout.refuse_period('two_people_close_a_period',
        format('%s prepared %s, and one of you signed in through a link that the other could have used: another person has to approve it',
          held.prepared_by_name, new.month));
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
    if new.event = 'reopened' and (held.reopen_asked_by is null or held.reopen_asked_by = new.actor or let_in) then
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Admins: who was one lately counts, so that nobody gets rid of the second admin to be the only one
-- ---------------------------------------------------------------------------------------------------------------------

-- Not left to the programs, so that none can forget it or set it back.
create function tieout.note_admin_until() returns trigger
language plpgsql as $$
begin
  new.admin_until := case
    when old.state = 'active' and 'admin' = any (old.roles) and not (new.state = 'active' and 'admin' = any (new.roles))
      then clock_timestamp()
    else old.admin_until
  end;
  return new;
end
$$;

create trigger note_admin_until before update on tieout.people
  for each row execute function tieout.note_admin_until();

create or replace function tieout.needs_second_admin() returns boolean
language sql stable as $$
  select count(*) >= 2
  from tieout.people
  where state = 'active' and 'admin' = any (roles)
     or admin_until > clock_timestamp() - interval '30 days'
$$;

comment on function tieout.needs_second_admin() is 'Whether there are two admins, or were within 30 days, so that one of them has to approve what the other proposes.';

-- A key that may let people in or make keys can make itself whatever an admin key is.
drop trigger check_admin_key on tieout.api_keys;
create trigger check_admin_key before insert on tieout.api_keys
  for each row when (new.role = 'admin' or new.scopes && array['people:write', 'keys:write'])
  execute function tieout.check_admin_key();

-- ---------------------------------------------------------------------------------------------------------------------
-- Comments
-- ---------------------------------------------------------------------------------------------------------------------

comment on column tieout.people.admin_until is 'When they last ceased to be an active admin: they lost the role, or were suspended. Null: never.';
comment on column tieout.sign_in_links.vouched_by is 'Who could open it besides its person: who made it, and who could have signed in as them. A list such as person:1, person:4.';
comment on column tieout.sessions.vouched_by is 'Who could have opened it besides its person, as a list such as person:1, person:4; or the sign-in service. They cannot sign beside it.';
comment on column tieout.passkeys.vouched_by is 'People other than its owner who may hold it, because they could have opened the session it was added in. Null if there are none.';
comment on column tieout.api_keys.vouched_by is 'People other than its owner who may hold it, because they could have opened the session it was made in. Null if there are none.';
comment on column tieout.period_events.vouched_by is 'Who could have signed in their name: a list such as person:1, person:4.';
comment on column tieout.approvals.proposed_vouched_by is 'Who could have proposed it in the proposer''s name. They cannot approve it.';
comment on column tieout.approvals.decided_vouched_by is 'Who could have decided it in the decider''s name.';
comment on column tieout.approvals.state is 'proposed, approved, rejected, withdrawn, or lapsed: what it was about was closed in another way.';
comment on column tieout.approvals.decided_by is 'Who decided it: another person; of a withdrawal, the same; null where it has lapsed.';
comment on column tieout.approvals.decided_at is 'When it was decided, or lapsed.';
comment on column tieout.approval_events.person_id is 'Who did it; null where it has lapsed.';
comment on column tieout.approval_events.person_name is 'Their name as it was then; tieout where it has lapsed.';
