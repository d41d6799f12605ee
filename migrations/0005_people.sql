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
create trigger name_actor before insert on tieout.discrepancy_events
  for each row execute function tieout.name_actor();
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
