-- The audit log numbers and chains itself, so that no writer can forget to, and refuses to be changed.

create function tieout.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$$;
--> statement-breakpoint
-- The text that is hashed. jsonb prints its keys in one fixed order, so the same entry always gives the same text.
create function tieout.audit_entry_text(entry tieout.audit_log) returns text
language sql immutable as $$
  select jsonb_build_object(
    'number', entry.number,
    'at', to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'actor', entry.actor,
    'action', entry.action,
    'subject', entry.subject,
    'before', entry.before,
    'after', entry.after,
    'reason', entry.reason,
    'request_id', entry.request_id
  )::text
$$;
--> statement-breakpoint
create function tieout.chain_audit_entry() returns trigger
language plpgsql as $$
declare
  head tieout.audit_log;
begin
  -- One writer at a time until the end of its transaction: two entries with one predecessor would fork the chain.
  perform pg_advisory_xact_lock(hashtextextended('tieout.audit_log', 0));
  select * into head from tieout.audit_log order by number desc limit 1;
  new.number := coalesce(head.number, 0) + 1;
  new.at := clock_timestamp();
  new.previous_hash := coalesce(head.hash, sha256(''));
  new.hash := sha256(new.previous_hash || convert_to(tieout.audit_entry_text(new), 'UTF8'));
  return new;
end
$$;
--> statement-breakpoint
create trigger chain_entry before insert on tieout.audit_log
  for each row execute function tieout.chain_audit_entry();
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.audit_log
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.audit_log
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
comment on schema tieout is 'The tables of tieout. For questions use the schema reporting; this one may change.';
--> statement-breakpoint
comment on table tieout.accounts is 'One aggregator key and secret each; every row of the other tables belongs to one. The secrets themselves are never stored.';
--> statement-breakpoint
comment on column tieout.accounts.id is 'Our number for the account.';
--> statement-breakpoint
comment on column tieout.accounts.name is 'The name from the configuration.';
--> statement-breakpoint
comment on column tieout.accounts.base_url is 'Address of the aggregator that the account is read from.';
--> statement-breakpoint
comment on column tieout.accounts.sync_start is 'How far back the account is read.';
--> statement-breakpoint
comment on column tieout.accounts.created_at is 'When the account was first seen in the configuration.';
--> statement-breakpoint
comment on table tieout.audit_log is 'Who did what. Append-only; each entry is chained to the one before by its hash.';
--> statement-breakpoint
comment on column tieout.audit_log.number is 'Position in the chain: 1, 2, 3 and so on without a gap.';
--> statement-breakpoint
comment on column tieout.audit_log.at is 'When, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.audit_log.actor is 'Who: a key, a person on the command line, or the service itself.';
--> statement-breakpoint
comment on column tieout.audit_log.action is 'What was done, for example account.added.';
--> statement-breakpoint
comment on column tieout.audit_log.subject is 'What it was done to.';
--> statement-breakpoint
comment on column tieout.audit_log.before is 'The subject before, where it existed.';
--> statement-breakpoint
comment on column tieout.audit_log.after is 'The subject afterwards.';
--> statement-breakpoint
comment on column tieout.audit_log.reason is 'Why, in the words of the one who did it.';
--> statement-breakpoint
comment on column tieout.audit_log.request_id is 'The HTTP request it came with, if any.';
--> statement-breakpoint
comment on column tieout.audit_log.previous_hash is 'Hash of the entry before; SHA-256 of nothing for the first.';
--> statement-breakpoint
comment on column tieout.audit_log.hash is 'SHA-256 over previous_hash followed by the text of the entry (tieout.audit_entry_text).';
--> statement-breakpoint
comment on table tieout.heartbeats is 'The last sign of life of each worker, written through the queue: if this is fresh, jobs run.';
--> statement-breakpoint
comment on column tieout.heartbeats.job is 'The job that wrote it.';
--> statement-breakpoint
comment on column tieout.heartbeats.worker is 'The worker process: host name and process number.';
--> statement-breakpoint
comment on column tieout.heartbeats.database_at is 'When, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.heartbeats.worker_at is 'When, by the clock of the worker. The two should agree.';
