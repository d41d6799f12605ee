-- What Drizzle has no words for: what may be true only once, what may never change, and how keys are compared.

create unique index file_is_imported_once on tieout.statements (account_id, provider, sha256)
  where state = 'imported';
--> statement-breakpoint
create unique index line_is_retired_once_at_a_time on tieout.line_retirements (line_id)
  where restored_at is null;
--> statement-breakpoint
create unique index line_has_one_active_match on tieout.matches (line_id)
  where state = 'active';
--> statement-breakpoint
create unique index transaction_is_settled_once on tieout.matches (account_id, transaction_id)
  where state = 'active' and role = 'settles';
--> statement-breakpoint
-- Ids are compared exactly, but a UUID is a number: its letters may be of either case. These two functions run for every
-- line that is stored and every line that is matched: they are not strict, so that they can be inlined, and they use no
-- regular expression, which would take a hundred times as long.
create function tieout.comparable_id(id text) returns text
language sql immutable parallel safe as $$
  select case when id like '________-____-____-____-____________' then lower(id) else id end
$$;
--> statement-breakpoint
comment on function tieout.comparable_id(text) is 'A provider''s id or a reference as it is compared: a UUID in lower case, anything else as it is.';
--> statement-breakpoint
-- 64 hexadecimal digits are a hash of a chain whose letters mean nothing, with or without 0x; leading zeros may have been
-- dropped after 0x. Base58 and base64 are never folded: there the case is part of the value.
create function tieout.comparable_hash(hash text) returns text
language sql immutable parallel safe as $$
  select case
    when length(hash) = 64 and translate(hash, '0123456789abcdefABCDEF', '') = '' then lower(hash)
    when length(hash) between 50 and 66
     and lower(left(hash, 2)) = '0x'
     and translate(substr(hash, 3), '0123456789abcdefABCDEF', '') = ''
      then lpad(lower(substr(hash, 3)), 64, '0')
    else nullif(hash, '')
  end
$$;
--> statement-breakpoint
comment on function tieout.comparable_hash(text) is 'A chain''s transaction hash as it is compared; null for none.';
--> statement-breakpoint
create index lines_by_provider_id on tieout.statement_lines
  (tieout.comparable_id(provider_transaction_id), account_id, provider)
  where provider_transaction_id is not null;
--> statement-breakpoint
create index lines_by_reference on tieout.statement_lines
  (tieout.comparable_id(our_reference), account_id, provider)
  where our_reference is not null;
--> statement-breakpoint
create index lines_by_hash on tieout.statement_lines
  (tieout.comparable_hash(transaction_hash), account_id, provider)
  where transaction_hash is not null;
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.statement_lines
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.statement_lines
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.statement_rows
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.statement_rows
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.statement_files
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.statement_files
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.provider_settings
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.provider_settings
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.discrepancy_events
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.discrepancy_events
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
-- Statements, matches and discrepancies change, but nothing of them is ever deleted.
create trigger refuse_delete before delete on tieout.statements
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_delete before delete on tieout.matches
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_delete before delete on tieout.discrepancies
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
-- Compressed before they come here.
alter table tieout.statement_files alter column content set storage external;
--> statement-breakpoint
create view reporting.statement_lines as
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
       l.imported_at
from tieout.statement_lines as l
left join tieout.accounts as a on a.id = l.account_id
left join tieout.statements as s on s.id = l.statement_id
left join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null;
--> statement-breakpoint
comment on table tieout.statements is 'Provider statements that were taken in: one per file, with its counts, its control totals and its fate.';
--> statement-breakpoint
comment on column tieout.statements.id is 'Our number for the statement.';
--> statement-breakpoint
comment on column tieout.statements.account_id is 'The account it belongs to.';
--> statement-breakpoint
comment on column tieout.statements.provider is 'The provider, by the name that transactions use.';
--> statement-breakpoint
comment on column tieout.statements.file_name is 'Name of the file as it came.';
--> statement-breakpoint
comment on column tieout.statements.sha256 is 'SHA-256 of its bytes.';
--> statement-breakpoint
comment on column tieout.statements.byte_count is 'Its size in bytes.';
--> statement-breakpoint
comment on column tieout.statements.profile is 'The profile it was read with.';
--> statement-breakpoint
comment on column tieout.statements.profile_version is 'Version of that profile.';
--> statement-breakpoint
comment on column tieout.statements.profile_used is 'The profile itself, as it was when the file was read.';
--> statement-breakpoint
comment on column tieout.statements.parser_version is 'Version of the reader: raised when the same file and profile could give other lines.';
--> statement-breakpoint
comment on column tieout.statements.encoding is 'utf-8, utf-16le, utf-16be, or what the profile names.';
--> statement-breakpoint
comment on column tieout.statements.delimiter is 'The character between two columns.';
--> statement-breakpoint
comment on column tieout.statements.generated_at is 'When the provider made the file. Of two files with one line, the later made decides. Never the time of import.';
--> statement-breakpoint
comment on column tieout.statements.generated_at_from is 'Where generated_at comes from: the command, the file, its name, or the greatest time in any row.';
--> statement-breakpoint
comment on column tieout.statements.period_from is 'Begin of the period that the file covers, included.';
--> statement-breakpoint
comment on column tieout.statements.period_to is 'End of that period, excluded.';
--> statement-breakpoint
comment on column tieout.statements.period_basis is 'What the period means: activity (when orders were completed) or settlement (when they were settled).';
--> statement-breakpoint
comment on column tieout.statements.state is 'imported, or withdrawn: taken back as a whole. Nothing is deleted.';
--> statement-breakpoint
comment on column tieout.statements.preamble_rows is 'Rows above the header.';
--> statement-breakpoint
comment on column tieout.statements.header_rows is 'Header rows: the first, and those repeated below it.';
--> statement-breakpoint
comment on column tieout.statements.blank_rows is 'Rows with nothing in them.';
--> statement-breakpoint
comment on column tieout.statements.skipped_rows is 'Rows that the profile says to leave out.';
--> statement-breakpoint
comment on column tieout.statements.trailer_rows is 'Rows below the data: totals, end marker.';
--> statement-breakpoint
comment on column tieout.statements.rows_of_file is 'All rows of the file: the five kinds above and rows_read.';
--> statement-breakpoint
comment on column tieout.statements.rows_read is 'Rows with data: accepted, duplicate or rejected.';
--> statement-breakpoint
comment on column tieout.statements.rows_accepted is 'Rows that became a line, or a new version of one, or brought one back.';
--> statement-breakpoint
comment on column tieout.statements.rows_restated is 'Of the accepted rows: those that gave a known line another content.';
--> statement-breakpoint
comment on column tieout.statements.rows_duplicate is 'Rows whose line was known with this content.';
--> statement-breakpoint
comment on column tieout.statements.rows_rejected is 'Rows that were not taken; statement_rows says why.';
--> statement-breakpoint
comment on column tieout.statements.totals is 'Control totals over the lines of the file: gross, fees and net per currency and payout, as exact decimals.';
--> statement-breakpoint
comment on column tieout.statements.stated is 'Count, sums and end marker that the file itself states.';
--> statement-breakpoint
comment on column tieout.statements.warnings is 'What to look at: overlap with other statements of the provider, or days between.';
--> statement-breakpoint
comment on column tieout.statements.imported_at is 'When it was taken in, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.statements.imported_by is 'Who took it in.';
--> statement-breakpoint
comment on column tieout.statements.accepted_codes is 'What was wrong with the file as a whole and was accepted by a person.';
--> statement-breakpoint
comment on column tieout.statements.accepted_reason is 'Why it was accepted.';
--> statement-breakpoint
comment on column tieout.statements.replaces_id is 'The statement that was withdrawn for this one.';
--> statement-breakpoint
comment on column tieout.statements.withdrawn_at is 'When it was withdrawn.';
--> statement-breakpoint
comment on column tieout.statements.withdrawn_by is 'Who withdrew it.';
--> statement-breakpoint
comment on column tieout.statements.withdrawn_reason is 'Why it was withdrawn.';
--> statement-breakpoint
comment on table tieout.statement_files is 'The bytes of every statement as they came: gzip, in parts, each a complete gzip member.';
--> statement-breakpoint
comment on column tieout.statement_files.statement_id is 'The statement.';
--> statement-breakpoint
comment on column tieout.statement_files.part is '1, 2, 3 and so on.';
--> statement-breakpoint
comment on column tieout.statement_files.content is 'The part. All parts in order, unzipped, are the file with its sha256.';
--> statement-breakpoint
comment on table tieout.statement_rows is 'What became of each row of a file.';
--> statement-breakpoint
comment on column tieout.statement_rows.statement_id is 'The statement.';
--> statement-breakpoint
comment on column tieout.statement_rows.line_no is 'Number of the physical line on which the row begins, counted from 1.';
--> statement-breakpoint
comment on column tieout.statement_rows.outcome is 'preamble, header, blank, skipped, trailer; or, for rows with data: accepted, duplicate, rejected.';
--> statement-breakpoint
comment on column tieout.statement_rows.code is 'Why, as a code of the import; null for an accepted row that was new.';
--> statement-breakpoint
comment on column tieout.statement_rows.field is 'The field that the reason is about.';
--> statement-breakpoint
comment on column tieout.statement_rows.reason is 'Why, in words.';
--> statement-breakpoint
comment on column tieout.statement_rows.original_text is 'The row as it stands in the file.';
--> statement-breakpoint
comment on column tieout.statement_rows.line_id is 'The line that the row became or repeated.';
--> statement-breakpoint
comment on table tieout.statement_lines is 'Append-only versions of the lines of statements. line_retirements says which of them do not count.';
--> statement-breakpoint
comment on column tieout.statement_lines.id is 'Our number for this version of the line.';
--> statement-breakpoint
comment on column tieout.statement_lines.account_id is 'The account it belongs to.';
--> statement-breakpoint
comment on column tieout.statement_lines.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.statement_lines.line_key is 'What identifies the line within account and provider: named columns, or a hash of all of them.';
--> statement-breakpoint
comment on column tieout.statement_lines.occurrence is '1, 2, 3 among rows of one file that are identical in every column; otherwise 1.';
--> statement-breakpoint
comment on column tieout.statement_lines.version is '1 for the first content of the line, then 2, 3; in the order of arrival, which does not decide which one counts.';
--> statement-breakpoint
comment on column tieout.statement_lines.content_hash is 'SHA-256 over all mapped values: the same content again is a duplicate, another one restates the line.';
--> statement-breakpoint
comment on column tieout.statement_lines.statement_id is 'The statement that brought this version.';
--> statement-breakpoint
comment on column tieout.statement_lines.line_no is 'The line of that file.';
--> statement-breakpoint
comment on column tieout.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve or payout.';
--> statement-breakpoint
comment on column tieout.statement_lines.side is 'buy or sell; null where the file does not say.';
--> statement-breakpoint
comment on column tieout.statement_lines.provider_status is 'The status in the providers word.';
--> statement-breakpoint
comment on column tieout.statement_lines.status is 'The same in ours; unknown where no map has the word.';
--> statement-breakpoint
comment on column tieout.statement_lines.provider_transaction_id is 'The providers id of the transaction.';
--> statement-breakpoint
comment on column tieout.statement_lines.our_reference is 'Our id or the clients, as the provider repeats it.';
--> statement-breakpoint
comment on column tieout.statement_lines.payout_ref is 'The payout that the line belongs to.';
--> statement-breakpoint
comment on column tieout.statement_lines.fiat_currency is 'ISO 4217, upper case.';
--> statement-breakpoint
comment on column tieout.statement_lines.fiat_gross is 'Fiat before fees: what the customer of a buy pays.';
--> statement-breakpoint
comment on column tieout.statement_lines.fiat_net is 'Fiat after fees: what the customer of a sell gets.';
--> statement-breakpoint
comment on column tieout.statement_lines.asset is 'Code of the crypto asset, lower case.';
--> statement-breakpoint
comment on column tieout.statement_lines.network is 'Its network by our name; null where the file does not say.';
--> statement-breakpoint
comment on column tieout.statement_lines.crypto_amount is 'Crypto amount in major units.';
--> statement-breakpoint
comment on column tieout.statement_lines.fee_total is 'All fees of the customer in fee_currency.';
--> statement-breakpoint
comment on column tieout.statement_lines.fee_processing is 'Of it, the providers own.';
--> statement-breakpoint
comment on column tieout.statement_lines.fee_network is 'Of it, the networks.';
--> statement-breakpoint
comment on column tieout.statement_lines.fee_partner is 'Our share.';
--> statement-breakpoint
comment on column tieout.statement_lines.fee_currency is 'Currency of the fees.';
--> statement-breakpoint
comment on column tieout.statement_lines.rate is 'The rate as printed.';
--> statement-breakpoint
comment on column tieout.statement_lines.rate_basis is 'crypto_per_fiat or fiat_per_crypto.';
--> statement-breakpoint
comment on column tieout.statement_lines.net_amount is 'What the line adds to what the provider owes us: positive is owed to us. Of a payout line, the net it declares.';
--> statement-breakpoint
comment on column tieout.statement_lines.net_currency is 'Currency of net_amount.';
--> statement-breakpoint
comment on column tieout.statement_lines.category is 'Of adjustments and reserves: the providers word for what it is.';
--> statement-breakpoint
comment on column tieout.statement_lines.transaction_hash is 'The chains hash as received; null where the file has a sentinel for none.';
--> statement-breakpoint
comment on column tieout.statement_lines.wallet_address is 'Destination address.';
--> statement-breakpoint
comment on column tieout.statement_lines.address_tag is 'Tag or memo of the destination.';
--> statement-breakpoint
comment on column tieout.statement_lines.created_at is 'When the order was made, by the provider.';
--> statement-breakpoint
comment on column tieout.statement_lines.effective_at is 'When it took effect: completed, or paid out.';
--> statement-breakpoint
comment on column tieout.statement_lines.extra is 'Columns that the profile does not map, by header.';
--> statement-breakpoint
comment on column tieout.statement_lines.imported_at is 'When this version was stored, by the clock of the database.';
--> statement-breakpoint
comment on table tieout.line_retirements is 'When a version of a line does not count, as half-open intervals of our time; follows from statements and statement_rows.';
--> statement-breakpoint
comment on column tieout.line_retirements.line_id is 'The version.';
--> statement-breakpoint
comment on column tieout.line_retirements.retired_at is 'Since when it does not count.';
--> statement-breakpoint
comment on column tieout.line_retirements.restored_at is 'Since when it counts again; null while it does not.';
--> statement-breakpoint
comment on column tieout.line_retirements.reason is 'superseded: another version stands in its place. withdrawn: no statement that carries it is left.';
--> statement-breakpoint
comment on column tieout.line_retirements.statement_id is 'The statement whose import or withdrawal caused it.';
--> statement-breakpoint
comment on table tieout.provider_settings is 'Append-only versions of profiles, status maps, aliases, tolerances, calendars and exclusions.';
--> statement-breakpoint
comment on column tieout.provider_settings.id is 'Our number for the version.';
--> statement-breakpoint
comment on column tieout.provider_settings.account_id is 'The account it is for; null for all.';
--> statement-breakpoint
comment on column tieout.provider_settings.provider is 'The provider it is for.';
--> statement-breakpoint
comment on column tieout.provider_settings.kind is 'profile, status_map, alias, tolerance, calendar or exclusion.';
--> statement-breakpoint
comment on column tieout.provider_settings.name is 'Which one of that kind, for example a profiles name or a currency and leg.';
--> statement-breakpoint
comment on column tieout.provider_settings.version is '1, 2, 3; of those stored by known_at the greatest is in force.';
--> statement-breakpoint
comment on column tieout.provider_settings.value is 'The setting; null takes it back to the default.';
--> statement-breakpoint
comment on column tieout.provider_settings.saved_at is 'When it was stored.';
--> statement-breakpoint
comment on column tieout.provider_settings.saved_by is 'Who stored it.';
--> statement-breakpoint
comment on column tieout.provider_settings.reason is 'Why.';
--> statement-breakpoint
comment on table tieout.reconcile_runs is 'Runs of the matcher: the next one looks at what was stored after known_at of the last.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.id is 'Our number for the run.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.kind is 'full or incremental.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.known_at is 'Everything stored by then was seen.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.as_at is 'The instant at which lateness was judged.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.started_at is 'When it started.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.finished_at is 'When it was done.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.counts is 'What it did.';
--> statement-breakpoint
comment on table tieout.payouts is 'One transfer of money that a provider declares, per currency, with the sums of its lines.';
--> statement-breakpoint
comment on column tieout.payouts.id is 'Our number for the payout.';
--> statement-breakpoint
comment on column tieout.payouts.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.payouts.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.payouts.payout_ref is 'The providers reference, else the payout lines id, else the file.';
--> statement-breakpoint
comment on column tieout.payouts.currency is 'Currency of the sums.';
--> statement-breakpoint
comment on column tieout.payouts.payout_date is 'When the provider says it paid.';
--> statement-breakpoint
comment on column tieout.payouts.line_count is 'Lines that it is the sum of.';
--> statement-breakpoint
comment on column tieout.payouts.gross is 'Charges before fees.';
--> statement-breakpoint
comment on column tieout.payouts.fees is 'Fees kept by the provider.';
--> statement-breakpoint
comment on column tieout.payouts.refunds is 'Refunds.';
--> statement-breakpoint
comment on column tieout.payouts.chargebacks is 'Chargebacks.';
--> statement-breakpoint
comment on column tieout.payouts.chargeback_reversals is 'Chargebacks that were won back.';
--> statement-breakpoint
comment on column tieout.payouts.commissions is 'Our share.';
--> statement-breakpoint
comment on column tieout.payouts.adjustments is 'Adjustments, with their sign.';
--> statement-breakpoint
comment on column tieout.payouts.reserves is 'Reserves: released less withheld.';
--> statement-breakpoint
comment on column tieout.payouts.net_computed is 'gross - fees - refunds - chargebacks + chargeback_reversals + commissions + adjustments + reserves.';
--> statement-breakpoint
comment on column tieout.payouts.net_declared is 'What the provider says it paid.';
--> statement-breakpoint
comment on column tieout.payouts.difference is 'net_declared - net_computed.';
--> statement-breakpoint
comment on column tieout.payouts.declared_by_line_id is 'The payout line that declares it.';
--> statement-breakpoint
comment on column tieout.payouts.transaction_hash is 'Chain hash of a payout in crypto.';
--> statement-breakpoint
comment on column tieout.payouts.status is 'tied, not_tied, or undeclared (no net stated).';
--> statement-breakpoint
comment on column tieout.payouts.first_seen_at is 'When it was first computed.';
--> statement-breakpoint
comment on column tieout.payouts.last_changed_at is 'When any of its figures last changed.';
--> statement-breakpoint
comment on table tieout.matches is 'A line and a transaction that are the same event, with the rule or the person that says so. Never deleted: a match ends.';
--> statement-breakpoint
comment on column tieout.matches.id is 'Our number for the match.';
--> statement-breakpoint
comment on column tieout.matches.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.matches.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.matches.transaction_id is 'The transaction.';
--> statement-breakpoint
comment on column tieout.matches.record_hash is 'Its status row at the time of matching.';
--> statement-breakpoint
comment on column tieout.matches.line_id is 'The version of the line.';
--> statement-breakpoint
comment on column tieout.matches.role is 'settles (one active per transaction) or relates (refunds, chargebacks, fees: any number).';
--> statement-breakpoint
comment on column tieout.matches.rule is 'provider_id, our_reference, hash, suggested or person.';
--> statement-breakpoint
comment on column tieout.matches.keys is 'What agreed.';
--> statement-breakpoint
comment on column tieout.matches.state is 'active, suggested (a candidate, changes nothing) or ended.';
--> statement-breakpoint
comment on column tieout.matches.made_by is 'A rules run, or who confirmed it.';
--> statement-breakpoint
comment on column tieout.matches.reason is 'Why, given by a person.';
--> statement-breakpoint
comment on column tieout.matches.in_expected is 'Our in leg.';
--> statement-breakpoint
comment on column tieout.matches.in_actual is 'The lines.';
--> statement-breakpoint
comment on column tieout.matches.in_difference is 'in_actual - in_expected.';
--> statement-breakpoint
comment on column tieout.matches.out_expected is 'Our out leg.';
--> statement-breakpoint
comment on column tieout.matches.out_actual is 'The lines.';
--> statement-breakpoint
comment on column tieout.matches.out_difference is 'out_actual - out_expected.';
--> statement-breakpoint
comment on column tieout.matches.difference_name is 'Name of a difference inside the tolerance: rounding, fee, quote_drift or other.';
--> statement-breakpoint
comment on column tieout.matches.effective_at is 'The later of both sides times: before it there is no match yet.';
--> statement-breakpoint
comment on column tieout.matches.matched_at is 'When it was made, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.matches.ended_at is 'When it ended.';
--> statement-breakpoint
comment on column tieout.matches.ended_by is 'Who or what ended it.';
--> statement-breakpoint
comment on column tieout.matches.ended_reason is 'Why it ended.';
--> statement-breakpoint
comment on column tieout.matches.barred is 'A person ended it: no rule makes this pair again.';
--> statement-breakpoint
comment on table tieout.discrepancies is 'Two facts that should agree and do not. The fold of discrepancy_events.';
--> statement-breakpoint
comment on column tieout.discrepancies.id is 'Our number for the discrepancy.';
--> statement-breakpoint
comment on column tieout.discrepancies.fingerprint is 'SHA-256 over version, account, code and subject: a re-run finds the same one again.';
--> statement-breakpoint
comment on column tieout.discrepancies.fingerprint_version is 'Version of the fingerprint.';
--> statement-breakpoint
comment on column tieout.discrepancies.facts_hash is 'SHA-256 over the facts: when they change, a closed one is reopened.';
--> statement-breakpoint
comment on column tieout.discrepancies.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.discrepancies.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.discrepancies.code is 'What disagrees; a closed list.';
--> statement-breakpoint
comment on column tieout.discrepancies.level is 'error changes the class of its subject, warning does not.';
--> statement-breakpoint
comment on column tieout.discrepancies.subject_kind is 'transaction, line, payout or period.';
--> statement-breakpoint
comment on column tieout.discrepancies.transaction_id is 'The transaction, where there is one.';
--> statement-breakpoint
comment on column tieout.discrepancies.line_id is 'The line, where there is one.';
--> statement-breakpoint
comment on column tieout.discrepancies.payout_id is 'The payout, where there is one.';
--> statement-breakpoint
comment on column tieout.discrepancies.period_from is 'Begin of the period, included.';
--> statement-breakpoint
comment on column tieout.discrepancies.period_to is 'End of the period, excluded.';
--> statement-breakpoint
comment on column tieout.discrepancies.expected is 'Our side.';
--> statement-breakpoint
comment on column tieout.discrepancies.actual is 'Their side.';
--> statement-breakpoint
comment on column tieout.discrepancies.delta is 'actual - expected.';
--> statement-breakpoint
comment on column tieout.discrepancies.currency is 'Currency of these.';
--> statement-breakpoint
comment on column tieout.discrepancies.expected_text is 'Our side, where it is no amount.';
--> statement-breakpoint
comment on column tieout.discrepancies.actual_text is 'Their side, where it is no amount.';
--> statement-breakpoint
comment on column tieout.discrepancies.value is 'What is at stake, never negative: the size of delta, or the fiat leg.';
--> statement-breakpoint
comment on column tieout.discrepancies.value_currency is 'Currency of value.';
--> statement-breakpoint
comment on column tieout.discrepancies.since is 'When the difference began by the facts, never the day of import.';
--> statement-breakpoint
comment on column tieout.discrepancies.near_period_edge is 'Within 24 hours of a periods edge.';
--> statement-breakpoint
comment on column tieout.discrepancies.state is 'open, investigating, resolved or written_off.';
--> statement-breakpoint
comment on column tieout.discrepancies.owner is 'Who looks after it.';
--> statement-breakpoint
comment on column tieout.discrepancies.reason is 'Why it was closed.';
--> statement-breakpoint
comment on column tieout.discrepancies.resolved_by is 'Who closed it; the service when the facts agreed.';
--> statement-breakpoint
comment on column tieout.discrepancies.resolved_at is 'When it was closed.';
--> statement-breakpoint
comment on column tieout.discrepancies.first_seen_at is 'When it was raised.';
--> statement-breakpoint
comment on column tieout.discrepancies.last_changed_at is 'When anything about it last changed.';
--> statement-breakpoint
comment on column tieout.discrepancies.version is 'Raised with every change; what If-Match compares.';
--> statement-breakpoint
comment on table tieout.discrepancy_events is 'Append-only: all that ever happened to each discrepancy.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.id is 'Our number for the event.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.discrepancy_id is 'The discrepancy.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.at is 'When, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.actor is 'Who: a key, a person, or the service.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.event is 'raised, changed, assigned, commented, state_changed, resolved, written_off, reopened or agreed.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.state is 'Its state afterwards.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.owner is 'Its owner afterwards.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.comment is 'What was said.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.reason is 'Why it was closed or reopened.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.facts is 'Its facts afterwards.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.facts_hash is 'Their SHA-256.';
--> statement-breakpoint
comment on column tieout.discrepancy_events.request_id is 'The HTTP request it came with, if any.';
--> statement-breakpoint
comment on view reporting.statement_lines is 'Every version of every line of the providers'' statements. Grain: one row per version; is_current and in_force for those that count.';
--> statement-breakpoint
comment on column reporting.statement_lines.account is 'Name of the account.';
--> statement-breakpoint
comment on column reporting.statement_lines.provider is 'The provider.';
--> statement-breakpoint
comment on column reporting.statement_lines.line_id is 'Our number for this version of the line.';
--> statement-breakpoint
comment on column reporting.statement_lines.statement_id is 'The statement that brought it.';
--> statement-breakpoint
comment on column reporting.statement_lines.file_name is 'Name of that file.';
--> statement-breakpoint
comment on column reporting.statement_lines.file_sha256 is 'SHA-256 of that file, hexadecimal.';
--> statement-breakpoint
comment on column reporting.statement_lines.line_no is 'The line of that file.';
--> statement-breakpoint
comment on column reporting.statement_lines.line_key is 'What identifies the line within account and provider.';
--> statement-breakpoint
comment on column reporting.statement_lines.occurrence is '1, 2, 3 among identical rows of one file.';
--> statement-breakpoint
comment on column reporting.statement_lines.version is 'Version of the line, in the order of arrival.';
--> statement-breakpoint
comment on column reporting.statement_lines.is_current is 'Whether this version stands: the others of its line do not count.';
--> statement-breakpoint
comment on column reporting.statement_lines.in_force is 'Whether a statement that carries this version is left.';
--> statement-breakpoint
comment on column reporting.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve or payout.';
--> statement-breakpoint
comment on column reporting.statement_lines.side is 'buy or sell.';
--> statement-breakpoint
comment on column reporting.statement_lines.provider_status is 'The status in the providers word.';
--> statement-breakpoint
comment on column reporting.statement_lines.status is 'The same in ours.';
--> statement-breakpoint
comment on column reporting.statement_lines.provider_transaction_id is 'The providers id of the transaction.';
--> statement-breakpoint
comment on column reporting.statement_lines.our_reference is 'Our id or the clients, as the provider repeats it.';
--> statement-breakpoint
comment on column reporting.statement_lines.payout_ref is 'The payout that the line belongs to.';
--> statement-breakpoint
comment on column reporting.statement_lines.fiat_currency is 'ISO 4217, upper case.';
--> statement-breakpoint
comment on column reporting.statement_lines.fiat_gross is 'Fiat before fees.';
--> statement-breakpoint
comment on column reporting.statement_lines.fiat_net is 'Fiat after fees.';
--> statement-breakpoint
comment on column reporting.statement_lines.asset is 'Code of the crypto asset, lower case.';
--> statement-breakpoint
comment on column reporting.statement_lines.network is 'Its network.';
--> statement-breakpoint
comment on column reporting.statement_lines.crypto_amount is 'Crypto amount in major units.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_total is 'All fees of the customer.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_processing is 'Of it, the providers own.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_network is 'Of it, the networks.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_partner is 'Our share.';
--> statement-breakpoint
comment on column reporting.statement_lines.fee_currency is 'Currency of the fees.';
--> statement-breakpoint
comment on column reporting.statement_lines.rate is 'The rate as printed.';
--> statement-breakpoint
comment on column reporting.statement_lines.net_amount is 'What the line adds to what the provider owes us; of a payout line, the net it declares.';
--> statement-breakpoint
comment on column reporting.statement_lines.net_currency is 'Currency of net_amount.';
--> statement-breakpoint
comment on column reporting.statement_lines.transaction_hash is 'The chains hash as received.';
--> statement-breakpoint
comment on column reporting.statement_lines.wallet_address is 'Destination address.';
--> statement-breakpoint
comment on column reporting.statement_lines.address_tag is 'Tag or memo of the destination.';
--> statement-breakpoint
comment on column reporting.statement_lines.created_at is 'When the order was made.';
--> statement-breakpoint
comment on column reporting.statement_lines.effective_at is 'When it took effect.';
--> statement-breakpoint
comment on column reporting.statement_lines.extra is 'Columns that the profile does not map.';
--> statement-breakpoint
comment on column reporting.statement_lines.raw_text is 'The row as it stands in the file.';
--> statement-breakpoint
comment on column reporting.statement_lines.imported_at is 'When this version was stored.';
