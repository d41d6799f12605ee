-- People: who they are, how they come in, and the names under which the books remember what they did.

-- ---------------------------------------------------------------------------------------------------------------------
-- Names: whoever reads what was done wants a name, and the one of that day (tieout.actor_name is in 0001_rules)
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.name_actor() returns trigger
language plpgsql as $$
begin
  new.actor_name := tieout.actor_name(new.actor);
  return new;
end
$$;

create function tieout.name_decider() returns trigger
language plpgsql as $$
begin
  new.decided_by_name := tieout.actor_name(new.decided_by);
  return new;
end
$$;

-- Not left to the writers, so that none can forget it or claim another name. The audit log names its own: see 0001_rules.
-- tieout itself has no other name, and notes many events at once: looking that up took longer than writing them.
create trigger name_actor before insert on tieout.discrepancy_events
  for each row when (new.actor <> 'tieout' or new.actor_name is distinct from 'tieout')
  execute function tieout.name_actor();
create trigger name_decider before insert on tieout.decisions
  for each row execute function tieout.name_decider();

-- ---------------------------------------------------------------------------------------------------------------------
-- People: never deleted, because the audit log names them for ever
-- ---------------------------------------------------------------------------------------------------------------------

create trigger refuse_delete before delete on tieout.people
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.people
  for each statement execute function tieout.refuse_change();

-- A session that has ended stays ended, whatever a program does later.
create function tieout.keep_session_ended() returns trigger
language plpgsql as $$
begin
  raise exception 'sessions: one that has ended stays ended' using errcode = 'restrict_violation';
end
$$;

create trigger keep_session_ended before update on tieout.sessions
  for each row when (old.ended_at is not null and new.ended_at is distinct from old.ended_at)
  execute function tieout.keep_session_ended();

-- ---------------------------------------------------------------------------------------------------------------------
-- Four eyes: one person proposes, another decides, and both have to be able to
-- ---------------------------------------------------------------------------------------------------------------------

-- Who is behind an actor: the person, or the owner of the key; null for anybody else.
create function tieout.person_of(actor text) returns bigint
language sql stable parallel safe as $$
  select case
    when actor ~ '^person:\d{1,18}$' then (select p.id from tieout.people as p where p.id = substr(actor, 8)::bigint)
    when actor like 'key:%' then (select k.owner_id from tieout.api_keys as k where k.id = substr(actor, 5))
  end
$$;

comment on function tieout.person_of(text) is 'The number of the person behind an actor: themselves, or the owner of the key. Null for anybody else.';

create function tieout.check_approval() returns trigger
language plpgsql as $$
declare
  acting bigint := case tg_op when 'INSERT' then new.proposed_by else new.decided_by end;
  person tieout.people;
begin
  if tg_op = 'INSERT' and new.state <> 'proposed' then
    raise exception 'approvals: begins as proposed' using errcode = 'restrict_violation';
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
    if (new.id, new.kind, new.subject, new.account_id, new.details, new.proposed_by, new.proposed_at, new.reason)
       is distinct from (old.id, old.kind, old.subject, old.account_id, old.details, old.proposed_by, old.proposed_at, old.reason) then
      raise exception 'approvals: what was proposed stays as it is; withdraw it and propose another' using errcode = 'restrict_violation';
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

create trigger check_approval before insert or update on tieout.approvals
  for each row execute function tieout.check_approval();
create trigger refuse_delete before delete on tieout.approvals
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.approvals
  for each statement execute function tieout.refuse_change();

create function tieout.note_approval() returns trigger
language plpgsql as $$
begin
  insert into tieout.approval_events (approval_id, state, person_id, person_name, reason)
  select new.id, new.state, p.id, p.name, case tg_op when 'INSERT' then new.reason else new.decision_reason end
  from tieout.people as p
  where p.id = case tg_op when 'INSERT' then new.proposed_by else new.decided_by end;
  return null;
end
$$;

create trigger note_approval after insert on tieout.approvals
  for each row execute function tieout.note_approval();
create trigger note_decision after update on tieout.approvals
  for each row when (new.state <> old.state) execute function tieout.note_approval();
create trigger refuse_change before update or delete on tieout.approval_events
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.approval_events
  for each statement execute function tieout.refuse_change();

-- ---------------------------------------------------------------------------------------------------------------------
-- Write-offs: up to the limit of a role alone, above it with the approval of a second person
-- ---------------------------------------------------------------------------------------------------------------------

-- Small enough to begin with; whoever needs more sets it. What is not named here is always proposed.
insert into tieout.write_off_limits (role, currency, amount, set_by)
select role, currency, case role when 'accountant' then 100 else 10000 end, 'tieout'
from unnest(array['accountant', 'controller']) as role
cross join unnest(array['EUR', 'USD', 'GBP', 'CHF']) as currency
union all
select role, '*', 0, 'tieout'
from unnest(array['accountant', 'controller']) as role;

-- The greatest limit among the roles of whoever acts; of a key, those of its owner, or its own when it has none. 0 for
-- anybody else.
create function tieout.write_off_limit(actor text, currency text) returns numeric
language sql stable parallel safe as $$
  select coalesce(max(coalesce(named.amount, other.amount)), 0)
  from (
    select unnest(p.roles) as role from tieout.people as p where p.id = tieout.person_of(actor)
    union all
    -- A machine has one role: that of an admin key holds that of a controller.
    select case k.role when 'admin' then 'controller' when 'custom' then 'accountant' else k.role end
    from tieout.api_keys as k
    where actor = 'key:' || k.id
      and k.owner_id is null
  ) as held
  left join tieout.write_off_limits as named on named.role = held.role and named.currency = upper(write_off_limit.currency)
  left join tieout.write_off_limits as other on other.role = held.role and other.currency = '*'
$$;

comment on function tieout.write_off_limit(text, text) is 'Up to how much somebody writes off alone in a currency.';

-- What is given up: the difference where there is one, otherwise what is ours of the order, otherwise the order. Null where
-- nothing has an amount.
create function tieout.given_up(
  delta numeric, currency text, owed numeric, owed_currency text, value numeric, value_currency text,
  out amount numeric, out in_currency text
)
language sql immutable parallel safe as $$
  select case when delta is not null then abs(delta) when owed is not null then owed else value end,
         upper(case when delta is not null then currency when owed is not null then owed_currency else value_currency end)
$$;

comment on function tieout.given_up(numeric, text, numeric, text, numeric, text) is 'The amount that a write-off of a discrepancy gives up, and its currency.';

create function tieout.check_write_off() returns trigger
language plpgsql as $$
declare
  at_stake record;
begin
  select g.amount, g.in_currency
  into at_stake
  from tieout.discrepancies as d
  cross join lateral tieout.given_up(d.delta, d.currency, d.owed, d.owed_currency, d.value, d.value_currency) as g
  where d.id = new.discrepancy_id;
  if coalesce(at_stake.amount, 0) <= tieout.write_off_limit(new.decided_by, coalesce(at_stake.in_currency, '*'))
     or coalesce(at_stake.amount, 0) = 0 then
    return new;
  end if;
  if exists (
    select
    from tieout.approvals as a
    where a.id = new.approval_id
      and a.kind = 'write_off'
      and a.state = 'approved'
      and a.subject = 'dis_' || new.discrepancy_id
      and a.details ->> 'facts_hash' = encode(new.facts_hash, 'hex')
  ) then
    return new;
  end if;
  raise exception 'decisions: writing off % % needs the approval of a second person', at_stake.amount, at_stake.in_currency
    using errcode = 'restrict_violation';
end
$$;

create trigger check_write_off before insert on tieout.decisions
  for each row when (new.decision = 'written_off') execute function tieout.check_write_off();

-- ---------------------------------------------------------------------------------------------------------------------
-- Admins: once there are two, neither makes a third, or a key that may do everything, alone
-- ---------------------------------------------------------------------------------------------------------------------

-- The command line stays as the way out: whoever has it has the database's password as well. The first two admins come
-- in without anybody's approval, because there is nobody who could give it.
create function tieout.needs_second_admin() returns boolean
language sql stable as $$
  select count(*) >= 2 from tieout.people where state = 'active' and 'admin' = any (roles)
$$;

comment on function tieout.needs_second_admin() is 'Whether there are two active admins, so that one of them has to approve what the other proposes.';

create function tieout.check_admin_key() returns trigger
language plpgsql as $$
begin
  if new.approval_id is null and tieout.person_of(new.created_by) is not null and tieout.needs_second_admin() then
    raise exception 'api_keys: an admin key needs the approval of a second admin' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger check_admin_key before insert on tieout.api_keys
  for each row when (new.role = 'admin') execute function tieout.check_admin_key();

-- The role itself. Who gives it says so for the transaction: the command line, or the company's sign-in service, which
-- knows its own admins. Anybody else, whoever they are, needs an approval that another admin gives in the same transaction:
-- one of another day was used up then.
create function tieout.check_admin_role() returns trigger
language plpgsql as $$
declare
  given_by text := case tg_op when 'INSERT' then new.created_by else current_setting('tieout.roles_given_by', true) end;
begin
  if tg_op = 'UPDATE' and 'admin' = any (old.roles) or not tieout.needs_second_admin() then
    return new;
  end if;
  if coalesce(given_by, '') <> '' and given_by !~ '^(person|key):' then
    return new;
  end if;
  if exists (
    select
    from tieout.approvals as a
    where a.kind = 'admin_key'
      and a.state = 'approved'
      and a.subject = 'per_' || new.id
      and a.details -> 'roles' ? 'admin'
      and a.decided_at >= transaction_timestamp()
  ) then
    return new;
  end if;
  raise exception 'people: the role admin needs the approval of a second admin' using errcode = 'restrict_violation';
end
$$;

create trigger check_admin_role before insert or update of roles on tieout.people
  for each row when ('admin' = any (new.roles)) execute function tieout.check_admin_role();

-- ---------------------------------------------------------------------------------------------------------------------
-- Comments
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.people is 'Who works with the books. Never deleted. No password is kept.';
comment on column tieout.people.id is 'Number of the person; the API shows it as per_…, the audit log as person:….';
comment on column tieout.people.name is 'Name, as screens and reports show it.';
comment on column tieout.people.email is 'E-mail address; belongs to one person.';
comment on column tieout.people.roles is 'viewer, accountant, controller, auditor, admin: what each may do is in docs/people.md.';
comment on column tieout.people.account_ids is 'The accounts they see; null: all of them.';
comment on column tieout.people.state is 'invited, active or suspended.';
comment on column tieout.people.created_at is 'When they were invited.';
comment on column tieout.people.created_by is 'Who invited them.';
comment on column tieout.people.activated_at is 'When they first signed in.';
comment on column tieout.people.suspended_at is 'Since when they are suspended; null: they are not.';
comment on column tieout.people.last_seen_at is 'When they last used the page, to the minute.';

comment on table tieout.sign_in_links is 'One-time links: each makes the first person, or opens one session, which deletes the link.';
comment on column tieout.sign_in_links.token_hash is 'SHA-256 of the token in the link.';
comment on column tieout.sign_in_links.purpose is 'first_person, invitation or sign_in.';
comment on column tieout.sign_in_links.person_id is 'For whom it was made; null: whoever opens it becomes the first person.';
comment on column tieout.sign_in_links.created_at is 'When the link was made.';
comment on column tieout.sign_in_links.created_by is 'Who made it.';
comment on column tieout.sign_in_links.expires_at is 'After this time the link no longer works.';

comment on table tieout.sessions is 'Who is signed in to the page. Only the hash of a session''s token is kept. Cleared away a month after their end.';
comment on column tieout.sessions.token_hash is 'SHA-256 of the token in the browser''s cookie.';
comment on column tieout.sessions.person_id is 'Who is signed in.';
comment on column tieout.sessions.method is 'How they proved who they are, for example link.';
comment on column tieout.sessions.vouched_by is 'Of a link: who made it, and could have used it themselves.';
comment on column tieout.sessions.opened_at is 'When the session was opened.';
comment on column tieout.sessions.last_seen_at is 'When it was last used, to the minute; two hours later it ends by itself.';
comment on column tieout.sessions.expires_at is 'When it ends in any case.';
comment on column tieout.sessions.ended_at is 'When it was ended: signed out, all sessions ended, or the person suspended.';

comment on table tieout.sign_in_attempts is 'Attempts to sign in, for limits that hold in all processes together. Kept for a day.';
comment on column tieout.sign_in_attempts.id is 'Number of the attempt.';
comment on column tieout.sign_in_attempts.at is 'When.';
comment on column tieout.sign_in_attempts.address is 'The address that it came from.';
comment on column tieout.sign_in_attempts.method is 'How they tried, for example link.';
comment on column tieout.sign_in_attempts.succeeded is 'Whether they came in.';

comment on column tieout.decisions.approval_id is 'Of a write-off above the limit: the approval of a second person.';
comment on column tieout.api_keys.approval_id is 'Of an admin key: it works once this is approved. Null: needs no approval.';

comment on table tieout.approvals is 'What one person proposes and another decides. Never deleted; only the state changes, once.';
comment on column tieout.approvals.id is 'Number of the approval; the API shows it as apr_….';
comment on column tieout.approvals.kind is 'write_off, admin_key, settings, reopen or erase.';
comment on column tieout.approvals.subject is 'What it is about, for example dis_31.';
comment on column tieout.approvals.account_id is 'The account it concerns; null: no single one.';
comment on column tieout.approvals.details is 'What is done when it is approved.';
comment on column tieout.approvals.proposed_by is 'Who proposed it.';
comment on column tieout.approvals.proposed_at is 'When.';
comment on column tieout.approvals.reason is 'Why, in the words of who proposed it.';
comment on column tieout.approvals.state is 'proposed, approved, rejected or withdrawn.';
comment on column tieout.approvals.decided_by is 'Who decided it: another person; of a withdrawal, the same.';
comment on column tieout.approvals.decided_at is 'When it was decided.';
comment on column tieout.approvals.decision_reason is 'Why, in the words of who decided it.';

comment on table tieout.approval_events is 'Append-only: what happened to an approval, with names as they were then. Written by the database itself.';
comment on column tieout.approval_events.id is 'Number of the event.';
comment on column tieout.approval_events.approval_id is 'The approval.';
comment on column tieout.approval_events.at is 'When.';
comment on column tieout.approval_events.state is 'The state that it came into.';
comment on column tieout.approval_events.person_id is 'Who did it.';
comment on column tieout.approval_events.person_name is 'Their name as it was then.';
comment on column tieout.approval_events.reason is 'Why.';

comment on table tieout.write_off_limits is 'Up to how much a role writes off alone. Changes are in the audit log.';
comment on column tieout.write_off_limits.role is 'accountant or controller.';
comment on column tieout.write_off_limits.currency is 'The currency; * is every one that is not named.';
comment on column tieout.write_off_limits.amount is 'The greatest amount that needs no second person.';
comment on column tieout.write_off_limits.set_by is 'Who set it.';
comment on column tieout.write_off_limits.set_at is 'When.';
