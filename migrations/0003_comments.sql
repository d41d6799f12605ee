-- What every table and column means, for whoever opens the database. `docs/data-dictionary.md` is made from these.

comment on schema tieout is 'The tables of tieout. For questions use the schema reporting; this one may change.';

comment on table tieout.migrations is 'The migrations that made this database, in order.';
comment on column tieout.migrations.number is 'Place in the order, from 1.';
comment on column tieout.migrations.name is 'Name of the file.';
comment on column tieout.migrations.sha256 is 'SHA-256 of the file in hex: one that was edited afterwards is refused.';
comment on column tieout.migrations.applied_at is 'When it was applied.';

-- Accounts and their catalogue

comment on table tieout.accounts is 'One aggregator key and secret each; every row of the other tables belongs to one. The secrets themselves are never stored.';
comment on column tieout.accounts.id is 'Our number for the account.';
comment on column tieout.accounts.name is 'The name from the configuration.';
comment on column tieout.accounts.base_url is 'Address of the aggregator that the account is read from.';
comment on column tieout.accounts.sync_start is 'How far back the account is read.';
comment on column tieout.accounts.state is 'active; refused when the aggregator refuses the account''s key or secret; or paused by a person.';
comment on column tieout.accounts.paused_reason is 'Why the account is refused or paused, and what to do about it.';
comment on column tieout.accounts.paused_at is 'When it was refused or paused.';
comment on column tieout.accounts.refused_credentials is 'Which credentials were refused last: the first eight digits of a keyed hash, enough to tell two apart.';
comment on column tieout.accounts.probe_at is 'No request with the refused credentials before this time.';
comment on column tieout.accounts.failing_since is 'When the first of the requests for records failed that have all failed since; null while they are answered.';
comment on column tieout.accounts.last_error is 'What went wrong with the last of them.';
comment on column tieout.accounts.request_limit is 'How many requests in flight the aggregator has been found to tolerate; shared by all workers.';
comment on column tieout.accounts.not_before is 'No request before this time: the aggregator told us to wait.';
comment on column tieout.accounts.last_success_at is 'When a request for records was last answered, to within five seconds.';
comment on column tieout.accounts.covered is 'Union of the sealed windows: what we can prove to have read.';
comment on column tieout.accounts.catalogue_read_at is 'When the catalogue was last read.';
comment on column tieout.accounts.created_at is 'When the account was first seen in the configuration.';

comment on table tieout.assets is 'The aggregator''s crypto assets.';
comment on column tieout.assets.account_id is 'The account that may use it.';
comment on column tieout.assets.id is 'Asset and network, joined by an underscore; bare for natives.';
comment on column tieout.assets.name is 'Name.';
comment on column tieout.assets.last_seen_at is 'When the catalogue last held it.';
comment on column tieout.assets.code is 'Code of the asset.';
comment on column tieout.assets.symbol is 'Symbol.';
comment on column tieout.assets.network is 'Network.';
comment on column tieout.assets.network_name is 'Display name of the network.';
comment on column tieout.assets.stated_decimals is 'Decimals as the aggregator states them; unreliable, never used to scale an amount.';
comment on column tieout.assets.address is 'Token contract.';
comment on column tieout.assets.chain_id is 'Chain id.';

comment on table tieout.fiats is 'The aggregator''s fiat currencies.';
comment on column tieout.fiats.account_id is 'The account that may use it.';
comment on column tieout.fiats.id is 'Id.';
comment on column tieout.fiats.name is 'Name.';
comment on column tieout.fiats.last_seen_at is 'When the catalogue last held it.';
comment on column tieout.fiats.code is 'ISO 4217 code.';
comment on column tieout.fiats.symbol is 'Symbol.';

comment on table tieout.payment_types is 'The aggregator''s payment types.';
comment on column tieout.payment_types.account_id is 'The account that may use it.';
comment on column tieout.payment_types.id is 'Id.';
comment on column tieout.payment_types.name is 'Name.';
comment on column tieout.payment_types.last_seen_at is 'When the catalogue last held it.';

comment on table tieout.providers is 'The providers enabled for an account.';
comment on column tieout.providers.account_id is 'The account.';
comment on column tieout.providers.id is 'Id: a record''s onramp.';
comment on column tieout.providers.name is 'Display name.';
comment on column tieout.providers.last_seen_at is 'When the catalogue last held it.';

-- Transactions

comment on table tieout.transaction_statuses is 'Append-only: every distinct record ever seen.';
comment on column tieout.transaction_statuses.account_id is 'The account.';
comment on column tieout.transaction_statuses.transaction_id is 'The aggregator''s id; opaque.';
comment on column tieout.transaction_statuses.record_hash is 'SHA-256 over the canonical JSON of the normalised record; version in hash_version.';
comment on column tieout.transaction_statuses.hash_version is 'Which form of canonical JSON was hashed.';
comment on column tieout.transaction_statuses.status is 'Status; other spellings folded, unknown words as received.';
comment on column tieout.transaction_statuses.status_rank is 'Decides between rows of one status date.';
comment on column tieout.transaction_statuses.status_date is 'The aggregator''s time of the status.';
comment on column tieout.transaction_statuses.transaction_type is 'buy or sell.';
comment on column tieout.transaction_statuses.provider is 'The aggregator''s onramp.';
comment on column tieout.transaction_statuses.provider_transaction_id is 'The provider''s own id.';
comment on column tieout.transaction_statuses.payment_method is 'As received.';
comment on column tieout.transaction_statuses.country is 'As received.';
comment on column tieout.transaction_statuses.source_currency is 'What the customer gives.';
comment on column tieout.transaction_statuses.in_amount is 'How much of it.';
comment on column tieout.transaction_statuses.target_currency is 'What the customer gets.';
comment on column tieout.transaction_statuses.out_amount is 'How much of it; before completed an estimate or 0.';
comment on column tieout.transaction_statuses.transaction_hash is 'The chain''s hash as received; empty until known.';
comment on column tieout.transaction_statuses.wallet_address is 'The customer''s address.';
comment on column tieout.transaction_statuses.api_key is 'Key identifier in the record.';
comment on column tieout.transaction_statuses.extra is 'Fields the specification does not name.';
comment on column tieout.transaction_statuses.received_status is 'The word received, where it was folded into another.';
comment on column tieout.transaction_statuses.window_id is 'The window that first read it.';
comment on column tieout.transaction_statuses.first_seen_at is 'When we first read it.';

comment on table tieout.transaction_statuses_odd is 'Status rows dated outside the months that have been made.';

comment on table tieout.transaction_keys is 'Every name by which a transaction may be known, written when a status row first brings it.';
comment on column tieout.transaction_keys.account_id is 'The account.';
comment on column tieout.transaction_keys.month is 'Month (UTC) of the status row that first brought the name.';
comment on column tieout.transaction_keys.name_hash is 'tieout.name_hash of account, kind and key: what the index holds.';
comment on column tieout.transaction_keys.kind is 'provider_id, reference, hash or wallet.';
comment on column tieout.transaction_keys.key is 'The name, in the form in which names are compared.';
comment on column tieout.transaction_keys.transaction_id is 'The transaction, one of whose status rows has it.';
comment on table tieout.transaction_keys_odd is 'Names of records dated outside the months that have been made.';

comment on table tieout.account_providers is 'The providers that an account''s records name.';
comment on column tieout.account_providers.account_id is 'The account.';
comment on column tieout.account_providers.provider is 'In lower case; empty for records that name none.';

comment on table tieout.transactions is 'The latest status row of each transaction; can be rebuilt from transaction_statuses.';
comment on column tieout.transactions.account_id is 'The account.';
comment on column tieout.transactions.transaction_id is 'The aggregator''s id; opaque.';
comment on column tieout.transactions.record_hash is 'SHA-256 over the canonical JSON of the normalised record; version in hash_version.';
comment on column tieout.transactions.hash_version is 'Which form of canonical JSON was hashed.';
comment on column tieout.transactions.status is 'Status; other spellings folded, unknown words as received.';
comment on column tieout.transactions.status_rank is 'Decides between rows of one status date.';
comment on column tieout.transactions.status_date is 'The aggregator''s time of the status.';
comment on column tieout.transactions.transaction_type is 'buy or sell.';
comment on column tieout.transactions.provider is 'The aggregator''s onramp.';
comment on column tieout.transactions.provider_transaction_id is 'The provider''s own id.';
comment on column tieout.transactions.payment_method is 'As received.';
comment on column tieout.transactions.country is 'As received.';
comment on column tieout.transactions.source_currency is 'What the customer gives.';
comment on column tieout.transactions.in_amount is 'How much of it.';
comment on column tieout.transactions.target_currency is 'What the customer gets.';
comment on column tieout.transactions.out_amount is 'How much of it; before completed an estimate or 0.';
comment on column tieout.transactions.transaction_hash is 'The chain''s hash as received; empty until known.';
comment on column tieout.transactions.wallet_address is 'The customer''s address.';
comment on column tieout.transactions.api_key is 'Key identifier in the record.';
comment on column tieout.transactions.extra is 'Fields the specification does not name.';
comment on column tieout.transactions.is_final is 'Whether the status normally no longer changes.';
comment on column tieout.transactions.first_seen_at is 'When we first read any status of it.';
comment on column tieout.transactions.last_changed_at is 'When its latest status row last changed here.';
comment on column tieout.transactions.missing_since is 'When the aggregator was first found to no longer serve it.';

comment on table tieout.quarantined_records is 'What could not be understood, once per distinct text.';
comment on column tieout.quarantined_records.account_id is 'The account.';
comment on column tieout.quarantined_records.raw_hash is 'SHA-256 of the text.';
comment on column tieout.quarantined_records.raw is 'The record as received.';
comment on column tieout.quarantined_records.reason is 'Why it could not be understood.';
comment on column tieout.quarantined_records.field is 'The field at fault.';
comment on column tieout.quarantined_records.window_id is 'The window that first read it.';
comment on column tieout.quarantined_records.first_seen_at is 'When it was first seen.';
comment on column tieout.quarantined_records.last_seen_at is 'When it was last seen; updated at most once a day.';

comment on table tieout.daily_totals is 'Counts and sums of transactions by UTC day, computed in advance. Derived from transactions.';
comment on column tieout.daily_totals.account_id is 'The account.';
comment on column tieout.daily_totals.day is 'UTC day of the latest status.';
comment on column tieout.daily_totals.provider is 'The provider.';
comment on column tieout.daily_totals.transaction_type is 'buy or sell.';
comment on column tieout.daily_totals.status is 'The latest status.';
comment on column tieout.daily_totals.source_currency is 'What customers gave: sums are never across currencies.';
comment on column tieout.daily_totals.class is 'Of completed transactions: discrepant (an error is open), matched (a statement line settles it), unmatched (neither). Empty for others.';
comment on column tieout.daily_totals.transactions is 'How many transactions.';
comment on column tieout.daily_totals.in_amount is 'Exact sum of what customers gave.';
comment on column tieout.daily_totals.latest_status_date is 'The newest status date among them.';

comment on table tieout.daily_totals_progress is 'How far daily_totals has been computed. One row.';
comment on column tieout.daily_totals_progress.only_row is 'Always true: there is one row.';
comment on column tieout.daily_totals_progress.added_up_to is 'Transactions that changed up to this time are in the totals.';
comment on column tieout.daily_totals_progress.added_up_at is 'When the totals were last brought up to date.';

-- Windows

comment on table tieout.sync_windows is 'Every window ever planned, with its lease, its progress and its end.';
comment on column tieout.sync_windows.id is 'Our number for the window.';
comment on column tieout.sync_windows.account_id is 'The account it belongs to.';
comment on column tieout.sync_windows.kind is 'live follows the clock, backfill goes back to the start, lookback and deep read again, refresh reads open transactions by id.';
comment on column tieout.sync_windows.level is 'Of a lookback: how far back, in powers of two. Of a deep re-read: how often in a row it has differed from the reading before. -1: all of the lookback, or all open transactions, at once.';
comment on column tieout.sync_windows.range_from is 'Start of the time range, included.';
comment on column tieout.sync_windows.range_to is 'End of the time range, excluded.';
comment on column tieout.sync_windows.state is 'planned, walking (leased by a worker), sealed (read to its explicit end), split into parts, or failed (tried again later).';
comment on column tieout.sync_windows.parent_id is 'The window that this one is a part of.';
comment on column tieout.sync_windows.cursor is 'Where the walk continues: the cursor after the last page that was kept.';
comment on column tieout.sync_windows.fence is 'Raised with every lease; a worker that holds an older number commits nothing.';
comment on column tieout.sync_windows.lease_until is 'When its worker''s lease ends, by the database''s clock.';
comment on column tieout.sync_windows.worker is 'Who walks it, or walked it last.';
comment on column tieout.sync_windows.not_before is 'Not tried again before this time.';
comment on column tieout.sync_windows.failures is 'Failures in a row without a page in between.';
comment on column tieout.sync_windows.restarts is 'How often in a row the walk started over because its cursors led nowhere; parts continue their parent''s count.';
comment on column tieout.sync_windows.error_code is 'The last failure, as a code.';
comment on column tieout.sync_windows.error is 'The last failure, in words.';
comment on column tieout.sync_windows.pages is 'Pages kept.';
comment on column tieout.sync_windows.read is 'Records read, known ones included.';
comment on column tieout.sync_windows.added is 'Status rows that were new.';
comment on column tieout.sync_windows.quarantined is 'Records that could not be understood.';
comment on column tieout.sync_windows.vanished is 'Transactions that a deep re-read no longer found.';
comment on column tieout.sync_windows.digest is 'Exclusive or of the record hashes of all status rows that this window added.';
comment on column tieout.sync_windows.ended_by is 'How the end of the listing was signalled: absent, empty_echo or ids.';
comment on column tieout.sync_windows.planned_at is 'When it was planned.';
comment on column tieout.sync_windows.started_at is 'When it was first leased.';
comment on column tieout.sync_windows.sealed_at is 'When it was sealed.';

comment on table tieout.sync_findings is 'What a deep re-read found to differ from what we had.';
comment on column tieout.sync_findings.window_id is 'The window that found it.';
comment on column tieout.sync_findings.account_id is 'The account.';
comment on column tieout.sync_findings.transaction_id is 'The transaction.';
comment on column tieout.sync_findings.finding is 'appeared (was not known), changed (has a new status row), vanished (is no longer served), returned (is served again).';
comment on column tieout.sync_findings.found_at is 'When it was found.';

comment on table tieout.deep_read_seen is 'Working table: transactions that a deep re-read has seen so far.';
comment on column tieout.deep_read_seen.window_id is 'The deep re-read.';
comment on column tieout.deep_read_seen.transaction_id is 'A transaction that it has seen.';

-- Statements

comment on table tieout.statements is 'Imported provider statements: one per file, with its counts, its control totals and its state.';
comment on column tieout.statements.id is 'Our number for the statement.';
comment on column tieout.statements.account_id is 'The account it belongs to.';
comment on column tieout.statements.provider is 'The provider, by the name that transactions use.';
comment on column tieout.statements.file_name is 'Name of the file as uploaded.';
comment on column tieout.statements.sha256 is 'SHA-256 of its bytes.';
comment on column tieout.statements.byte_count is 'Its size in bytes.';
comment on column tieout.statements.profile is 'The profile it was read with.';
comment on column tieout.statements.profile_version is 'Version of that profile.';
comment on column tieout.statements.profile_used is 'The profile itself, as it was when the file was read.';
comment on column tieout.statements.parser_version is 'Version of the reader: raised when the same file and profile could give other lines.';
comment on column tieout.statements.encoding is 'utf-8, utf-16le, utf-16be, or what the profile names.';
comment on column tieout.statements.delimiter is 'The character between two columns.';
comment on column tieout.statements.generated_at is 'When the provider made the file. Where two files have the same line, the file made later decides. Never the time of import.';
comment on column tieout.statements.generated_at_from is 'Where generated_at comes from: the command, the file, its name, or the greatest time in any row.';
comment on column tieout.statements.period_from is 'Start of the period that the file covers, included.';
comment on column tieout.statements.period_to is 'End of that period, excluded.';
comment on column tieout.statements.period_basis is 'What the period means: activity (when orders were completed) or settlement (when they were settled).';
comment on column tieout.statements.state is 'imported, or withdrawn as a whole. Nothing is deleted.';
comment on column tieout.statements.preamble_rows is 'Rows above the header.';
comment on column tieout.statements.header_rows is 'Header rows: the first, and those repeated below it.';
comment on column tieout.statements.blank_rows is 'Rows with nothing in them.';
comment on column tieout.statements.skipped_rows is 'Rows that the profile says to leave out.';
comment on column tieout.statements.trailer_rows is 'Rows below the data: totals, end marker.';
comment on column tieout.statements.rows_of_file is 'All rows of the file: the five kinds above and rows_read.';
comment on column tieout.statements.rows_read is 'Rows with data: accepted, duplicate or rejected.';
comment on column tieout.statements.rows_accepted is 'Rows that became a line, or a new version of one, or brought one back.';
comment on column tieout.statements.rows_restated is 'Of the accepted rows: those that gave a known line new content.';
comment on column tieout.statements.rows_duplicate is 'Rows whose line was already known with the same content.';
comment on column tieout.statements.rows_rejected is 'Rows that were rejected; statement_rows says why.';
comment on column tieout.statements.totals is 'Control totals over the lines of the file: gross, fees and net per currency and payout, as exact decimals.';
comment on column tieout.statements.stated is 'Count, sums and end marker that the file itself states.';
comment on column tieout.statements.warnings is 'What to look at: overlaps with other statements of the provider, or days missing in between.';
comment on column tieout.statements.imported_at is 'When it was imported, by the database''s clock.';
comment on column tieout.statements.imported_by is 'Who imported it.';
comment on column tieout.statements.accepted_codes is 'Problems with the file as a whole that a person accepted.';
comment on column tieout.statements.accepted_reason is 'Why it was accepted.';
comment on column tieout.statements.replaces_id is 'The statement that this one replaced; it was withdrawn.';
comment on column tieout.statements.withdrawn_at is 'When it was withdrawn.';
comment on column tieout.statements.withdrawn_by is 'Who withdrew it.';
comment on column tieout.statements.withdrawn_reason is 'Why it was withdrawn.';

comment on table tieout.statement_files is 'The bytes of every statement as uploaded: gzip, in parts, each a complete gzip member.';
comment on column tieout.statement_files.statement_id is 'The statement.';
comment on column tieout.statement_files.part is '1, 2, 3 and so on.';
comment on column tieout.statement_files.content is 'The part. All parts in order, unzipped, are the file with its sha256.';

comment on table tieout.statement_rows is 'What became of each row of a file.';
comment on column tieout.statement_rows.statement_id is 'The statement.';
comment on column tieout.statement_rows.line_no is 'Number of the physical line on which the row begins, counted from 1.';
comment on column tieout.statement_rows.outcome is 'preamble, header, blank, skipped, trailer; or, for rows with data: accepted, duplicate, rejected.';
comment on column tieout.statement_rows.code is 'Why, as a code of the import; null for an accepted row that was new.';
comment on column tieout.statement_rows.field is 'The field that the reason is about.';
comment on column tieout.statement_rows.reason is 'Why, in words.';
comment on column tieout.statement_rows.original_text is 'The row exactly as it is in the file.';
comment on column tieout.statement_rows.line_id is 'The line that the row became or repeated.';

comment on table tieout.statement_lines is 'Append-only versions of the lines of statements. line_retirements says which of them do not count.';
comment on column tieout.statement_lines.id is 'Our number for this version of the line.';
comment on column tieout.statement_lines.account_id is 'The account it belongs to.';
comment on column tieout.statement_lines.provider is 'The provider.';
comment on column tieout.statement_lines.line_key is 'What identifies the line within account and provider: named columns, or a hash of all of them.';
comment on column tieout.statement_lines.occurrence is '1, 2, 3 among rows of one file that are identical in every column; otherwise 1.';
comment on column tieout.statement_lines.version is '1 for the first content of the line, then 2, 3; in the order of arrival, which does not decide which one counts.';
comment on column tieout.statement_lines.content_hash is 'SHA-256 over all mapped values: the same content again is a duplicate, another one restates the line.';
comment on column tieout.statement_lines.statement_id is 'The statement that brought this version.';
comment on column tieout.statement_lines.line_no is 'The line of that file.';
comment on column tieout.statement_lines.line_type is 'charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout or balance.';
comment on column tieout.statement_lines.side is 'buy or sell; null where the file does not say.';
comment on column tieout.statement_lines.provider_status is 'The status in the provider''s own word.';
comment on column tieout.statement_lines.status is 'The same in our terms; unknown where no status map has the word.';
comment on column tieout.statement_lines.provider_transaction_id is 'The provider''s id of the transaction.';
comment on column tieout.statement_lines.our_reference is 'Our id or the client''s, as the provider repeats it.';
comment on column tieout.statement_lines.payout_ref is 'The payout that the line belongs to.';
comment on column tieout.statement_lines.fiat_currency is 'ISO 4217, upper case.';
comment on column tieout.statement_lines.fiat_gross is 'Fiat before fees: what the customer of a buy pays.';
comment on column tieout.statement_lines.fiat_net is 'Fiat after fees: what the customer of a sell gets.';
comment on column tieout.statement_lines.asset is 'Code of the crypto asset, lower case.';
comment on column tieout.statement_lines.network is 'Its network, by our name for it; null where the file does not say.';
comment on column tieout.statement_lines.crypto_amount is 'Crypto amount in major units.';
comment on column tieout.statement_lines.fee_total is 'All fees the customer paid, in fee_currency.';
comment on column tieout.statement_lines.fee_processing is 'Of these, the provider''s own.';
comment on column tieout.statement_lines.fee_network is 'Of these, the network''s.';
comment on column tieout.statement_lines.fee_partner is 'Our share.';
comment on column tieout.statement_lines.fee_currency is 'Currency of the fees.';
comment on column tieout.statement_lines.rate is 'The rate as printed.';
comment on column tieout.statement_lines.rate_basis is 'crypto_per_fiat or fiat_per_crypto.';
comment on column tieout.statement_lines.net_amount is 'What the line adds to what the provider owes us: positive is owed to us. Of a payout line, the net it declares; of a balance, what it states.';
comment on column tieout.statement_lines.net_currency is 'Currency of net_amount.';
comment on column tieout.statement_lines.category is 'For adjustments and reserves: the provider''s word for what it is.';
comment on column tieout.statement_lines.transaction_hash is 'The chain''s hash as received; null where the file has a placeholder for none.';
comment on column tieout.statement_lines.wallet_address is 'Destination address.';
comment on column tieout.statement_lines.address_tag is 'Tag or memo of the destination.';
comment on column tieout.statement_lines.created_at is 'When the order was placed, by the provider.';
comment on column tieout.statement_lines.effective_at is 'When it took effect: completed, or paid out; of a balance, the time it is stated for.';
comment on column tieout.statement_lines.extra is 'Columns that the profile does not map, by header.';
comment on column tieout.statement_lines.imported_at is 'When this version was stored, by the database''s clock.';

comment on table tieout.line_retirements is 'When a version of a line does not count, as half-open intervals of our time; follows from statements and statement_rows.';
comment on column tieout.line_retirements.line_id is 'The version of the line.';
comment on column tieout.line_retirements.retired_at is 'From when it does not count.';
comment on column tieout.line_retirements.restored_at is 'From when it counts again; null while it does not.';
comment on column tieout.line_retirements.reason is 'superseded: another version replaced it. withdrawn: every statement that had it was withdrawn.';
comment on column tieout.line_retirements.statement_id is 'The statement whose import or withdrawal caused it.';

comment on table tieout.provider_settings is 'Append-only versions of profiles, status maps, aliases, tolerances, calendars and exclusions.';
comment on column tieout.provider_settings.id is 'Our number for the version.';
comment on column tieout.provider_settings.account_id is 'The account it is for; null for all.';
comment on column tieout.provider_settings.provider is 'The provider it is for.';
comment on column tieout.provider_settings.kind is 'profile, status_map, alias, tolerance, calendar or exclusion.';
comment on column tieout.provider_settings.name is 'Which one of that kind, for example a profile''s name or a currency and leg.';
comment on column tieout.provider_settings.version is '1, 2, 3; of those stored by known_at the greatest is in force.';
comment on column tieout.provider_settings.value is 'The setting; null restores the default.';
comment on column tieout.provider_settings.saved_at is 'When it was stored.';
comment on column tieout.provider_settings.saved_by is 'Who stored it.';
comment on column tieout.provider_settings.reason is 'Why.';

-- Reconciliation

comment on table tieout.reconcile_runs is 'Runs of the matcher: the next one looks at what was stored after the known_at of the last.';
comment on column tieout.reconcile_runs.id is 'Our number for the run.';
comment on column tieout.reconcile_runs.account_id is 'The account.';
comment on column tieout.reconcile_runs.provider is 'The provider.';
comment on column tieout.reconcile_runs.kind is 'full or incremental.';
comment on column tieout.reconcile_runs.known_at is 'Everything stored by then was seen.';
comment on column tieout.reconcile_runs.as_at is 'The instant at which lateness was judged.';
comment on column tieout.reconcile_runs.covered is 'What had been read of the account by then.';
comment on column tieout.reconcile_runs.started_at is 'When it started.';
comment on column tieout.reconcile_runs.finished_at is 'When it finished.';
comment on column tieout.reconcile_runs.counts is 'What it did.';

comment on table tieout.matches is 'A line and a transaction that are the same event, with the rule or the person that says so. Never deleted: a match ends.';
comment on column tieout.matches.id is 'Our number for the match.';
comment on column tieout.matches.account_id is 'The account.';
comment on column tieout.matches.provider is 'The provider.';
comment on column tieout.matches.transaction_id is 'The transaction.';
comment on column tieout.matches.record_hash is 'Its status row at the time of matching.';
comment on column tieout.matches.line_id is 'The version of the line.';
comment on column tieout.matches.role is 'settles (one active per transaction) or relates (refunds, chargebacks, fees: any number).';
comment on column tieout.matches.rule is 'provider_id, our_reference, hash, suggested or person.';
comment on column tieout.matches.keys is 'What agreed.';
comment on column tieout.matches.state is 'active, suggested (a candidate, changes nothing) or ended.';
comment on column tieout.matches.made_by is 'A run of the rules, or who confirmed it.';
comment on column tieout.matches.reason is 'Why, given by a person.';
comment on column tieout.matches.in_expected is 'Our in leg.';
comment on column tieout.matches.in_actual is 'The line''s side of it.';
comment on column tieout.matches.in_difference is 'in_actual - in_expected.';
comment on column tieout.matches.out_expected is 'Our out leg.';
comment on column tieout.matches.out_actual is 'The line''s side of it.';
comment on column tieout.matches.out_difference is 'out_actual - out_expected.';
comment on column tieout.matches.difference_name is 'Name of a difference inside the tolerance: rounding, fee, quote_drift or other.';
comment on column tieout.matches.effective_at is 'The later of the two sides'' times; before it there is no match yet.';
comment on column tieout.matches.matched_at is 'When it was made, by the database''s clock.';
comment on column tieout.matches.ended_at is 'When it ended.';
comment on column tieout.matches.ended_by is 'Who or what ended it.';
comment on column tieout.matches.ended_reason is 'Why it ended.';
comment on column tieout.matches.barred is 'A person ended it: no rule may match this pair again.';

comment on table tieout.payouts is 'One transfer of money that a provider declares, per currency, with the sums of its lines.';
comment on column tieout.payouts.id is 'Our number for the payout.';
comment on column tieout.payouts.account_id is 'The account.';
comment on column tieout.payouts.provider is 'The provider.';
comment on column tieout.payouts.payout_ref is 'The provider''s reference, else the payout line''s id, else the file.';
comment on column tieout.payouts.currency is 'Currency of the sums.';
comment on column tieout.payouts.payout_date is 'When the provider says it paid.';
comment on column tieout.payouts.line_count is 'How many lines it sums.';
comment on column tieout.payouts.gross is 'Charges before fees.';
comment on column tieout.payouts.fees is 'Fees kept by the provider.';
comment on column tieout.payouts.refunds is 'Refunds.';
comment on column tieout.payouts.chargebacks is 'Chargebacks.';
comment on column tieout.payouts.chargeback_reversals is 'Chargebacks that were won back.';
comment on column tieout.payouts.commissions is 'Our share.';
comment on column tieout.payouts.adjustments is 'Adjustments, with their sign.';
comment on column tieout.payouts.reserves is 'Reserves: released less withheld.';
comment on column tieout.payouts.net_computed is 'gross - fees - refunds - chargebacks + chargeback_reversals + commissions + adjustments + reserves.';
comment on column tieout.payouts.net_declared is 'What the provider says it paid.';
comment on column tieout.payouts.difference is 'net_declared - net_computed.';
comment on column tieout.payouts.declared_by_line_id is 'The payout line that declares it.';
comment on column tieout.payouts.transaction_hash is 'Chain hash of a payout in crypto.';
comment on column tieout.payouts.status is 'tied, not_tied, or undeclared (no net stated).';
comment on column tieout.payouts.first_seen_at is 'When it was first computed.';
comment on column tieout.payouts.last_changed_at is 'When any of its figures last changed.';

comment on table tieout.discrepancies is 'Two facts that should agree and do not. The fold of discrepancy_events.';
comment on column tieout.discrepancies.id is 'Our number for the discrepancy.';
comment on column tieout.discrepancies.fingerprint is 'SHA-256 over version, account, code and subject: a re-run finds the same one again.';
comment on column tieout.discrepancies.fingerprint_version is 'Version of the fingerprint.';
comment on column tieout.discrepancies.facts_hash is 'SHA-256 over the facts: when they change, a closed one is reopened.';
comment on column tieout.discrepancies.account_id is 'The account.';
comment on column tieout.discrepancies.provider is 'The provider.';
comment on column tieout.discrepancies.code is 'What disagrees; a closed list.';
comment on column tieout.discrepancies.level is 'error changes the class of its subject, warning does not.';
comment on column tieout.discrepancies.subject_kind is 'transaction, line, payout or period.';
comment on column tieout.discrepancies.transaction_id is 'The transaction, where there is one.';
comment on column tieout.discrepancies.line_id is 'The line, where there is one.';
comment on column tieout.discrepancies.payout_id is 'The payout, where there is one.';
comment on column tieout.discrepancies.period_from is 'Start of the period, included.';
comment on column tieout.discrepancies.period_to is 'End of the period, excluded.';
comment on column tieout.discrepancies.expected is 'Our side.';
comment on column tieout.discrepancies.actual is 'Their side.';
comment on column tieout.discrepancies.delta is 'actual - expected.';
comment on column tieout.discrepancies.currency is 'Currency of these amounts.';
comment on column tieout.discrepancies.expected_text is 'Our side, where it is not an amount.';
comment on column tieout.discrepancies.actual_text is 'Their side, where it is not an amount.';
comment on column tieout.discrepancies.value is 'What is at stake, never negative: the size of delta, or the fiat leg.';
comment on column tieout.discrepancies.value_currency is 'Currency of value.';
comment on column tieout.discrepancies.since is 'When the difference began by the facts, never the day of import.';
comment on column tieout.discrepancies.near_period_edge is 'Within 24 hours of an edge of the provider''s settlement period.';
comment on column tieout.discrepancies.state is 'open, investigating, resolved or written_off.';
comment on column tieout.discrepancies.owner is 'Who is working on it.';
comment on column tieout.discrepancies.reason is 'Why it was closed.';
comment on column tieout.discrepancies.resolved_by is 'Who closed it; the service when the facts agreed.';
comment on column tieout.discrepancies.resolved_at is 'When it was closed.';
comment on column tieout.discrepancies.first_seen_at is 'When it was raised.';
comment on column tieout.discrepancies.last_changed_at is 'When anything about it last changed.';
comment on column tieout.discrepancies.version is 'Raised with every change; what If-Match compares.';

comment on table tieout.discrepancy_events is 'Append-only: everything that ever happened to each discrepancy.';
comment on column tieout.discrepancy_events.id is 'Our number for the event.';
comment on column tieout.discrepancy_events.discrepancy_id is 'The discrepancy.';
comment on column tieout.discrepancy_events.at is 'When, by the database''s clock.';
comment on column tieout.discrepancy_events.actor is 'Who: a key, a person, or the service.';
comment on column tieout.discrepancy_events.event is 'raised, changed, assigned, commented, state_changed, resolved, written_off, reopened or agreed.';
comment on column tieout.discrepancy_events.state is 'Its state afterwards.';
comment on column tieout.discrepancy_events.owner is 'Its owner afterwards.';
comment on column tieout.discrepancy_events.comment is 'What was said.';
comment on column tieout.discrepancy_events.reason is 'Why it was closed or reopened.';
comment on column tieout.discrepancy_events.facts is 'Its facts afterwards.';
comment on column tieout.discrepancy_events.facts_hash is 'Their SHA-256.';
comment on column tieout.discrepancy_events.request_id is 'The HTTP request it came with, if any.';


comment on table tieout.currency_words is 'What the currency words of records mean.';
comment on column tieout.currency_words.word is 'The word in a record, such as eur or usdc_base.';
comment on column tieout.currency_words.is_fiat is 'Whether it is fiat money.';
comment on column tieout.currency_words.code is 'Its code as statement lines have it: upper case for fiat, lower case for crypto.';
comment on column tieout.currency_words.network is 'Our name for its network; empty when the word does not say.';
comment on column tieout.currency_words.places is 'Decimal places of the smallest amount that is compared: the minor unit, or at most the eighth place of a coin.';

comment on table tieout.odd_histories is 'Transactions whose status rows may contradict each other; only these are compared row by row.';
comment on column tieout.odd_histories.account_id is 'The account.';
comment on column tieout.odd_histories.transaction_id is 'The transaction.';

comment on table tieout.shared_hashes is 'Chain hashes that more than one transaction of an account has.';
comment on column tieout.shared_hashes.account_id is 'The account.';
comment on column tieout.shared_hashes.transaction_hash is 'The hash as received.';

-- People and what they asked for

comment on table tieout.api_keys is 'Who may do what through the API. Only the SHA-256 of a key is kept.';
comment on column tieout.api_keys.id is 'The eight characters in the middle of the key; the API shows them as key_….';
comment on column tieout.api_keys.name is 'For people: who uses it, and for what.';
comment on column tieout.api_keys.role is 'viewer, accountant or admin; custom: only what scopes says.';
comment on column tieout.api_keys.scopes is 'What it may do beyond its role.';
comment on column tieout.api_keys.account_ids is 'The accounts it may see; null: all of them.';
comment on column tieout.api_keys.secret_hash is 'SHA-256 of the whole key.';
comment on column tieout.api_keys.last_four is 'The last four characters, by which a person recognises it.';
comment on column tieout.api_keys.created_at is 'When it was made.';
comment on column tieout.api_keys.created_by is 'Who made it: another key, a person on the command line, or the service itself.';
comment on column tieout.api_keys.expires_at is 'When it stops working; null: never.';
comment on column tieout.api_keys.last_used_at is 'When it was last used, to the minute.';
comment on column tieout.api_keys.revoked_at is 'When it was revoked.';
comment on column tieout.api_keys.replaces is 'The key that this one replaces; that one expires after the overlap.';

comment on table tieout.idempotency_keys is 'The first answer to a request that may be sent again; kept for a day.';
comment on column tieout.idempotency_keys.api_key_id is 'Whose request it was.';
comment on column tieout.idempotency_keys.key is 'The Idempotency-Key of the request.';
comment on column tieout.idempotency_keys.fingerprint is 'SHA-256 over method, path and body: the same key with another request is refused.';
comment on column tieout.idempotency_keys.started_at is 'When the first request arrived.';
comment on column tieout.idempotency_keys.status is 'HTTP status of the answer that is repeated.';
comment on column tieout.idempotency_keys.content_type is 'Content type of the answer.';
comment on column tieout.idempotency_keys.body is 'The answer. A secret that is shown once is not in it.';

comment on table tieout.web_sessions is 'Who is signed in to the page. Only the hash of a session''s token is kept.';
comment on column tieout.web_sessions.token_hash is 'SHA-256 of the token in the browser''s cookie.';
comment on column tieout.web_sessions.api_key_id is 'The API key whose scopes and accounts the session has. A revoked key ends its sessions.';
comment on column tieout.web_sessions.created_at is 'When the session was opened.';
comment on column tieout.web_sessions.expires_at is 'When the session ends by itself.';

comment on table tieout.sign_in_links is 'One-time links to the page: each opens one session of a key, which deletes the link.';
comment on column tieout.sign_in_links.token_hash is 'SHA-256 of the token in the link.';
comment on column tieout.sign_in_links.api_key_id is 'The API key that the session will use.';
comment on column tieout.sign_in_links.created_at is 'When the link was made.';
comment on column tieout.sign_in_links.expires_at is 'After this time the link no longer works.';

comment on table tieout.exports is 'Report runs: what was asked for, how far it is, and the files it made.';
comment on column tieout.exports.id is 'Our id, exp_ and random characters.';
comment on column tieout.exports.report is 'Name and version of the report, for example transactions.v1.';
comment on column tieout.exports.format is 'csv or jsonl.';
comment on column tieout.exports.parameters is 'What was asked for, as it was given.';
comment on column tieout.exports.actor is 'Who asked: a key, or a person on the command line.';
comment on column tieout.exports.account_ids is 'The accounts that whoever asked may see; null for all.';
comment on column tieout.exports.wallets is 'Whether wallet addresses are written in full.';
comment on column tieout.exports.link_secret is 'What download links are signed with; removed together with the file.';
comment on column tieout.exports.state is 'queued, running, then succeeded, failed or cancelled; expired once its file is gone.';
comment on column tieout.exports.attempt is 'Raised by every worker that starts it; a worker with an older number cannot finish it.';
comment on column tieout.exports.worker is 'Who writes it, or wrote it last.';
comment on column tieout.exports.lease_until is 'When its worker''s lease ends, by the database''s clock.';
comment on column tieout.exports.as_of is 'The moment that the file shows the database at.';
comment on column tieout.exports.rows_written is 'Rows written so far.';
comment on column tieout.exports.rows_total is 'How many rows there will be; null until they are counted.';
comment on column tieout.exports.totals is 'Control totals: rows, sums by currency and amount column, period, filters, coverage.';
comment on column tieout.exports.files is 'The files with name, rows, bytes and SHA-256; most exports have one.';
comment on column tieout.exports.error_code is 'Why it failed, as a code.';
comment on column tieout.exports.error is 'Why it failed, in words.';
comment on column tieout.exports.created_at is 'When it was asked for.';
comment on column tieout.exports.started_at is 'When a worker first started it.';
comment on column tieout.exports.finished_at is 'When it ended, however it ended.';
comment on column tieout.exports.expires_at is 'When its files are removed.';

comment on table tieout.audit_log is 'Who did what. Append-only; each entry is chained to the one before by its hash.';
comment on column tieout.audit_log.number is 'Position in the chain: 1, 2, 3 and so on without a gap.';
comment on column tieout.audit_log.at is 'When, by the database''s clock.';
comment on column tieout.audit_log.actor is 'Who: a key, a person on the command line, or the service itself.';
comment on column tieout.audit_log.action is 'What was done, for example account.added.';
comment on column tieout.audit_log.subject is 'What it was done to.';
comment on column tieout.audit_log.before is 'The subject before, where it existed.';
comment on column tieout.audit_log.after is 'The subject afterwards.';
comment on column tieout.audit_log.reason is 'Why, in the words of whoever did it.';
comment on column tieout.audit_log.request_id is 'The HTTP request it came with, if any.';
comment on column tieout.audit_log.previous_hash is 'Hash of the entry before; SHA-256 of nothing for the first.';
comment on column tieout.audit_log.hash is 'SHA-256 over previous_hash followed by the text of the entry (tieout.audit_entry_text).';

-- Health

comment on table tieout.heartbeats is 'Signs of life: of each worker, written through the queue (if these are fresh, jobs run); the last success of each job; the aggregator''s clock; the head of the audit log as last seen.';
comment on column tieout.heartbeats.job is 'The job that wrote it.';
comment on column tieout.heartbeats.worker is 'The worker process: host name and process number.';
comment on column tieout.heartbeats.database_at is 'When, by the database''s clock.';
comment on column tieout.heartbeats.worker_at is 'When, by the worker''s clock. The two should agree.';
