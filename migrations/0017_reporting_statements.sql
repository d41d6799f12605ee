-- The payouts that a file declares: few lines of many.
create index payout_lines_by_statement on tieout.statement_lines (statement_id, net_currency)
  where line_type = 'payout';
--> statement-breakpoint
create view reporting.statements as
select a.name as account,
       s.provider,
       s.id as statement_id,
       s.file_name,
       encode(s.sha256, 'hex') as file_sha256,
       s.profile,
       s.generated_at,
       s.period_from,
       s.period_to,
       s.period_basis,
       s.state,
       s.rows_read,
       s.rows_accepted,
       s.rows_restated,
       s.rows_duplicate,
       s.rows_rejected,
       s.totals,
       s.imported_at,
       s.imported_by,
       s.replaces_id,
       s.withdrawn_at,
       s.withdrawn_by,
       s.withdrawn_reason
from tieout.statements as s
left join tieout.accounts as a on a.id = s.account_id;
--> statement-breakpoint
comment on view reporting.statements is 'Files of the providers as they were imported. Grain: one row per file, withdrawn ones too.';
--> statement-breakpoint
comment on column reporting.statements.account is 'Name of the account.';
--> statement-breakpoint
comment on column reporting.statements.provider is 'The provider.';
--> statement-breakpoint
comment on column reporting.statements.statement_id is 'Our number for the file.';
--> statement-breakpoint
comment on column reporting.statements.file_name is 'Its name.';
--> statement-breakpoint
comment on column reporting.statements.file_sha256 is 'SHA-256 of its bytes, hexadecimal.';
--> statement-breakpoint
comment on column reporting.statements.profile is 'How its columns were read.';
--> statement-breakpoint
comment on column reporting.statements.generated_at is 'When the provider made it: of two versions of a line, the one of the later file counts.';
--> statement-breakpoint
comment on column reporting.statements.period_from is 'Begin of the time it tells about, included.';
--> statement-breakpoint
comment on column reporting.statements.period_to is 'End of that time, excluded.';
--> statement-breakpoint
comment on column reporting.statements.period_basis is 'activity: it tells of all that was completed in its period; settlement: of all that was settled in it.';
--> statement-breakpoint
comment on column reporting.statements.state is 'imported, or withdrawn: its lines do not count any more.';
--> statement-breakpoint
comment on column reporting.statements.rows_read is 'Rows with data: accepted, duplicate and rejected together.';
--> statement-breakpoint
comment on column reporting.statements.rows_accepted is 'Rows that became a line or a new version of one.';
--> statement-breakpoint
comment on column reporting.statements.rows_restated is 'Of these, new versions.';
--> statement-breakpoint
comment on column reporting.statements.rows_duplicate is 'Rows that were known already.';
--> statement-breakpoint
comment on column reporting.statements.rows_rejected is 'Rows that could not be taken; each with its reason in the statement.';
--> statement-breakpoint
comment on column reporting.statements.totals is 'Control totals by currency and payout.';
--> statement-breakpoint
comment on column reporting.statements.imported_at is 'When it was imported.';
--> statement-breakpoint
comment on column reporting.statements.imported_by is 'By whom.';
--> statement-breakpoint
comment on column reporting.statements.replaces_id is 'The file that it replaced.';
--> statement-breakpoint
comment on column reporting.statements.withdrawn_at is 'When it was taken back.';
--> statement-breakpoint
comment on column reporting.statements.withdrawn_by is 'By whom.';
--> statement-breakpoint
comment on column reporting.statements.withdrawn_reason is 'Why.';
--> statement-breakpoint
comment on column tieout.matches.in_actual is 'The line''s side of it.';
--> statement-breakpoint
comment on column tieout.matches.out_actual is 'The line''s side of it.';
--> statement-breakpoint
comment on column tieout.matches.effective_at is 'The later of both sides'' times.';
--> statement-breakpoint
comment on column reporting.matches.in_actual is 'The line''s side of it; empty where the leg could not be compared.';
--> statement-breakpoint
comment on column reporting.matches.out_actual is 'The line''s side of it; empty where the leg could not be compared.';
--> statement-breakpoint
comment on column reporting.matches.effective_at is 'The later of both sides'' times.';
--> statement-breakpoint
comment on column reporting.matches.line_id is 'The version of the line; a restated line has a match of its own.';
--> statement-breakpoint
comment on column reporting.matches.keys is 'What agreed, by name.';
--> statement-breakpoint
comment on column reporting.payouts.gross is 'Charges before fees, where the provider owes us the customers'' money.';
--> statement-breakpoint
comment on column reporting.payouts.commissions is 'Our share, where the provider owes us only that.';
--> statement-breakpoint
comment on column reporting.discrepancies.near_period_edge is 'Within 24 hours of an edge of the provider''s settlement period: perhaps a question of date only.';
--> statement-breakpoint
comment on column reporting.statement_lines.provider_status is 'The status in the provider''s word.';
--> statement-breakpoint
comment on column reporting.statement_lines.provider_transaction_id is 'The provider''s id of the transaction.';
--> statement-breakpoint
comment on column reporting.statement_lines.our_reference is 'Our id or the client''s, as the provider repeats it.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_processing is 'Of it, the provider''s own.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_network is 'Of it, the network''s.';
--> statement-breakpoint
comment on column reporting.statement_lines.transaction_hash is 'The chain''s hash as received.';
--> statement-breakpoint
comment on function tieout.age_days(timestamptz, timestamptz) is 'Whole UTC days from the one day to the other, never fewer than none.';
--> statement-breakpoint
comment on function tieout.age_bucket(integer) is 'The range of age that a number of days falls into.';
