-- A run moves forward only. What is over stays as it ended, but for the removal of its file.

create function tieout.check_export_state() returns trigger
language plpgsql as $$
begin
  if (old.state, new.state) in (
    ('queued', 'running'), ('queued', 'failed'), ('queued', 'cancelled'),
    ('running', 'queued'), ('running', 'succeeded'), ('running', 'failed'), ('running', 'cancelled'),
    ('succeeded', 'expired')
  ) then
    return new;
  end if;
  raise exception 'export % is %, which cannot become %', old.id, old.state, new.state using errcode = 'restrict_violation';
end
$$;
--> statement-breakpoint
create trigger check_state before update on tieout.exports
  for each row when (old.state <> new.state) execute function tieout.check_export_state();
--> statement-breakpoint
comment on table tieout.exports is 'Report runs: what was asked for, how far it is, and the files it made.';
--> statement-breakpoint
comment on column tieout.exports.id is 'Our id, exp_ and random characters.';
--> statement-breakpoint
comment on column tieout.exports.report is 'Name and version of the report, for example transactions.v1.';
--> statement-breakpoint
comment on column tieout.exports.format is 'csv or jsonl.';
--> statement-breakpoint
comment on column tieout.exports.parameters is 'What was asked for, as it was given.';
--> statement-breakpoint
comment on column tieout.exports.actor is 'Who asked: a key, or a person on the command line.';
--> statement-breakpoint
comment on column tieout.exports.account_ids is 'The accounts that whoever asked may see; null for all.';
--> statement-breakpoint
comment on column tieout.exports.wallets is 'Whether wallet addresses are written in full.';
--> statement-breakpoint
comment on column tieout.exports.link_secret is 'What download links are signed with; removed together with the file.';
--> statement-breakpoint
comment on column tieout.exports.state is 'queued, running, then succeeded, failed or cancelled; expired once its file is gone.';
--> statement-breakpoint
comment on column tieout.exports.attempt is 'Raised by every worker that begins it; one that holds an older number can finish nothing.';
--> statement-breakpoint
comment on column tieout.exports.worker is 'Who writes it, or wrote it last.';
--> statement-breakpoint
comment on column tieout.exports.lease_until is 'Until when it belongs to its worker, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.exports.as_of is 'The moment of the database that the file shows.';
--> statement-breakpoint
comment on column tieout.exports.rows_written is 'Rows written so far.';
--> statement-breakpoint
comment on column tieout.exports.rows_total is 'Rows there will be; null until they are counted.';
--> statement-breakpoint
comment on column tieout.exports.totals is 'Control totals: rows, sums by currency and amount column, period, filters, coverage.';
--> statement-breakpoint
comment on column tieout.exports.files is 'The files with name, rows, bytes and SHA-256; most exports have one.';
--> statement-breakpoint
comment on column tieout.exports.error_code is 'Why it failed, as a code.';
--> statement-breakpoint
comment on column tieout.exports.error is 'Why it failed, in words.';
--> statement-breakpoint
comment on column tieout.exports.created_at is 'When it was asked for.';
--> statement-breakpoint
comment on column tieout.exports.started_at is 'When a worker first began it.';
--> statement-breakpoint
comment on column tieout.exports.finished_at is 'When it ended, in whatever way.';
--> statement-breakpoint
comment on column tieout.exports.expires_at is 'When its files are removed.';
