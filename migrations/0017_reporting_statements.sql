-- The payouts that a file declares: few lines of many.
create index payout_lines_by_statement on tieout.statement_lines (statement_id, net_currency)
  where line_type = 'payout';
--> statement-breakpoint
-- Lines that belong to the only payout of their file, without naming it, are matched with it like those that do.
create or replace view reporting.statement_lines as
select a.name as account,
       l.provider,
       l.id as line_id,
       l.statement_id,
       s.file_name,
       encode(s.sha256, 'hex') as file_sha256,
       l.line_no,
       l.line_key,
       l.occurrence,
       l.version,
       r.line_id is null as is_current,
       r.reason is distinct from 'withdrawn' as in_force,
       l.line_type,
       l.side,
       l.provider_status,
       l.status,
       l.provider_transaction_id,
       l.our_reference,
       l.payout_ref,
       l.fiat_currency,
       l.fiat_gross,
       l.fiat_net,
       l.asset,
       l.network,
       l.crypto_amount,
       l.fee_total,
       l.fee_processing,
       l.fee_network,
       l.fee_partner,
       l.fee_currency,
       l.rate,
       l.net_amount,
       l.net_currency,
       l.transaction_hash,
       l.wallet_address,
       l.address_tag,
       l.created_at,
       l.effective_at,
       l.extra,
       (select w.original_text
        from tieout.statement_rows as w
        where w.statement_id = l.statement_id
          and w.line_no = l.line_no) as raw_text,
       l.imported_at,
       case
         when r.line_id is not null then null
         when exists (
           select
           from tieout.discrepancies as d
           where d.line_id = l.id
             and d.subject_kind in ('line', 'payout')
             and d.level = 'error'
             and d.state in ('open', 'investigating')
         ) or exists (
           select
           from tieout.matches as m
           join tieout.discrepancies as d on d.account_id = m.account_id and d.transaction_id = m.transaction_id
           where m.line_id = l.id
             and m.state = 'active'
             and m.role = 'settles'
             and d.subject_kind = 'transaction'
             and d.level = 'error'
             and d.state in ('open', 'investigating')
         ) then 'discrepant'
         when exists (select from tieout.matches as m where m.line_id = l.id and m.state = 'active') then 'matched'
         when exists (
           select
           from tieout.discrepancies as d
           where d.line_id = l.id
             and d.subject_kind in ('line', 'payout')
             and (d.state = 'written_off' or (d.state = 'resolved' and d.reason <> 'agreed'))
         ) then 'excluded'
         when l.line_type = 'charge'
          and l.status in ('created', 'awaiting_payment', 'processing', 'canceled', 'expired', 'failed') then 'excluded'
         when l.line_type in ('payout', 'fee', 'commission', 'adjustment', 'reserve') and exists (
           select
           from tieout.payouts as p
           where p.account_id = l.account_id
             and p.provider = l.provider
             and p.payout_ref = coalesce(
               l.payout_ref,
               case l.line_type when 'payout' then l.provider_transaction_id end,
               (select min(coalesce(f.payout_ref, f.provider_transaction_id))
                from tieout.statement_lines as f
                where f.statement_id = l.statement_id
                  and f.line_type = 'payout'
                  and f.net_currency = coalesce(l.net_currency, l.fiat_currency)
                  and not exists (
                    select from tieout.line_retirements as gone where gone.line_id = f.id and gone.restored_at is null
                  )
                having count(*) = 1)
             )
             and p.net_declared is not null
         ) then 'matched'
         else 'pending'
       end as class
from tieout.statement_lines as l
left join tieout.accounts as a on a.id = l.account_id
left join tieout.statements as s on s.id = l.statement_id
left join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null;
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
