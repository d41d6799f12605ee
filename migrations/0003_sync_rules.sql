-- What Drizzle has no words for: no two open windows of a kind overlap, and history is never rewritten.

create extension if not exists btree_gist;
--> statement-breakpoint
alter table tieout.sync_windows add constraint open_windows_do_not_overlap
  exclude using gist (account_id with =, kind with =, tstzrange(range_from, range_to) with &&)
  where (state in ('planned', 'walking', 'failed'));
--> statement-breakpoint
create trigger refuse_change before update or delete on tieout.transaction_statuses
  for each row execute function tieout.refuse_change();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.transaction_statuses
  for each statement execute function tieout.refuse_change();
--> statement-breakpoint
comment on column tieout.accounts.state is 'active, or paused when the aggregator refused the account''s key.';
--> statement-breakpoint
comment on column tieout.accounts.paused_reason is 'Why the account is paused.';
--> statement-breakpoint
comment on column tieout.accounts.paused_at is 'Since when it is paused.';
--> statement-breakpoint
comment on column tieout.accounts.request_limit is 'Requests in flight that the aggregator has been found to bear; shared by all workers.';
--> statement-breakpoint
comment on column tieout.accounts.not_before is 'Nobody asks before this time: the aggregator told us to wait.';
--> statement-breakpoint
comment on column tieout.accounts.last_success_at is 'When a page was last read.';
--> statement-breakpoint
comment on column tieout.accounts.covered is 'Union of the sealed windows: what we can prove to have read.';
--> statement-breakpoint
comment on column tieout.accounts.catalogue_read_at is 'When the catalogue was last read.';
--> statement-breakpoint
comment on table tieout.sync_windows is 'Every window ever planned, with its lease, its progress and its end.';
--> statement-breakpoint
comment on column tieout.sync_windows.id is 'Our number for the window.';
--> statement-breakpoint
comment on column tieout.sync_windows.account_id is 'The account it belongs to.';
--> statement-breakpoint
comment on column tieout.sync_windows.kind is 'live follows the clock, backfill goes back to the start, lookback and deep read again, refresh reads open transactions by id.';
--> statement-breakpoint
comment on column tieout.sync_windows.level is 'Of a lookback: how far back, in powers of two.';
--> statement-breakpoint
comment on column tieout.sync_windows.range_from is 'Begin of the time range, included.';
--> statement-breakpoint
comment on column tieout.sync_windows.range_to is 'End of the time range, excluded.';
--> statement-breakpoint
comment on column tieout.sync_windows.state is 'planned, walking (leased by a worker), sealed (read to its explicit end), split into parts, or failed (tried again later).';
--> statement-breakpoint
comment on column tieout.sync_windows.parent_id is 'The window that this one is a part of.';
--> statement-breakpoint
comment on column tieout.sync_windows.cursor is 'Where the walk goes on: the cursor after the last page that was kept.';
--> statement-breakpoint
comment on column tieout.sync_windows.fence is 'Raised with every lease; a worker that holds an older number commits nothing.';
--> statement-breakpoint
comment on column tieout.sync_windows.lease_until is 'Until when the window belongs to its worker, by the clock of the database.';
--> statement-breakpoint
comment on column tieout.sync_windows.worker is 'Who walks it, or walked it last.';
--> statement-breakpoint
comment on column tieout.sync_windows.not_before is 'Not tried again before this time.';
--> statement-breakpoint
comment on column tieout.sync_windows.failures is 'Failures in a row without a page in between.';
--> statement-breakpoint
comment on column tieout.sync_windows.restarts is 'How often in a row the walk began anew because its cursor was refused.';
--> statement-breakpoint
comment on column tieout.sync_windows.error_code is 'The last failure, as a code.';
--> statement-breakpoint
comment on column tieout.sync_windows.error is 'The last failure, in words.';
--> statement-breakpoint
comment on column tieout.sync_windows.pages is 'Pages kept.';
--> statement-breakpoint
comment on column tieout.sync_windows.read is 'Records read, known ones included.';
--> statement-breakpoint
comment on column tieout.sync_windows.added is 'Status rows that were new.';
--> statement-breakpoint
comment on column tieout.sync_windows.quarantined is 'Records that could not be understood.';
--> statement-breakpoint
comment on column tieout.sync_windows.vanished is 'Transactions that a deep re-read did not meet any more.';
--> statement-breakpoint
comment on column tieout.sync_windows.digest is 'Exclusive or of the record hashes of all status rows that this window added.';
--> statement-breakpoint
comment on column tieout.sync_windows.ended_by is 'How the end of the listing was told: absent, empty_echo or ids.';
--> statement-breakpoint
comment on column tieout.sync_windows.planned_at is 'When it was planned.';
--> statement-breakpoint
comment on column tieout.sync_windows.started_at is 'When it was first leased.';
--> statement-breakpoint
comment on column tieout.sync_windows.sealed_at is 'When it was sealed.';
--> statement-breakpoint
comment on table tieout.sync_findings is 'What a deep re-read found to differ from what we had.';
--> statement-breakpoint
comment on column tieout.sync_findings.window_id is 'The window that found it.';
--> statement-breakpoint
comment on column tieout.sync_findings.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.sync_findings.transaction_id is 'The transaction.';
--> statement-breakpoint
comment on column tieout.sync_findings.finding is 'appeared (was not known), changed (has a new status row), vanished (is not served any more), returned (is served again).';
--> statement-breakpoint
comment on column tieout.sync_findings.found_at is 'When.';
--> statement-breakpoint
comment on table tieout.deep_read_seen is 'Working table: transactions that a deep re-read has met so far.';
--> statement-breakpoint
comment on column tieout.deep_read_seen.window_id is 'The window that reads.';
--> statement-breakpoint
comment on column tieout.deep_read_seen.transaction_id is 'The transaction it met.';
--> statement-breakpoint
comment on table tieout.quarantined_records is 'What could not be understood, once per distinct text.';
--> statement-breakpoint
comment on column tieout.quarantined_records.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.quarantined_records.raw_hash is 'SHA-256 of the text.';
--> statement-breakpoint
comment on column tieout.quarantined_records.raw is 'The record as received.';
--> statement-breakpoint
comment on column tieout.quarantined_records.reason is 'Why it could not be understood.';
--> statement-breakpoint
comment on column tieout.quarantined_records.field is 'The field at fault.';
--> statement-breakpoint
comment on column tieout.quarantined_records.window_id is 'The window that first met it.';
--> statement-breakpoint
comment on column tieout.quarantined_records.first_seen_at is 'When it was first met.';
--> statement-breakpoint
comment on column tieout.quarantined_records.last_seen_at is 'When it was last met by a window that had not met it before.';
--> statement-breakpoint
comment on table tieout.assets is 'The aggregator''s crypto assets.';
--> statement-breakpoint
comment on column tieout.assets.account_id is 'The account that may use it.';
--> statement-breakpoint
comment on column tieout.assets.id is 'Asset and network, joined by an underscore; bare for natives.';
--> statement-breakpoint
comment on column tieout.assets.name is 'Name.';
--> statement-breakpoint
comment on column tieout.assets.last_seen_at is 'When the catalogue last held it.';
--> statement-breakpoint
comment on column tieout.assets.code is 'Code of the asset.';
--> statement-breakpoint
comment on column tieout.assets.symbol is 'Symbol.';
--> statement-breakpoint
comment on column tieout.assets.network is 'Network.';
--> statement-breakpoint
comment on column tieout.assets.network_name is 'Network for people.';
--> statement-breakpoint
comment on column tieout.assets.stated_decimals is 'Decimals as the aggregator states them; unreliable, never used to scale an amount.';
--> statement-breakpoint
comment on column tieout.assets.address is 'Token contract.';
--> statement-breakpoint
comment on column tieout.assets.chain_id is 'Chain id.';
--> statement-breakpoint
comment on table tieout.fiats is 'The aggregator''s fiat currencies.';
--> statement-breakpoint
comment on column tieout.fiats.account_id is 'The account that may use it.';
--> statement-breakpoint
comment on column tieout.fiats.id is 'Id.';
--> statement-breakpoint
comment on column tieout.fiats.name is 'Name.';
--> statement-breakpoint
comment on column tieout.fiats.last_seen_at is 'When the catalogue last held it.';
--> statement-breakpoint
comment on column tieout.fiats.code is 'ISO 4217 code.';
--> statement-breakpoint
comment on column tieout.fiats.symbol is 'Symbol.';
--> statement-breakpoint
comment on table tieout.payment_types is 'The aggregator''s payment types.';
--> statement-breakpoint
comment on column tieout.payment_types.account_id is 'The account that may use it.';
--> statement-breakpoint
comment on column tieout.payment_types.id is 'Id.';
--> statement-breakpoint
comment on column tieout.payment_types.name is 'Name.';
--> statement-breakpoint
comment on column tieout.payment_types.last_seen_at is 'When the catalogue last held it.';
--> statement-breakpoint
comment on table tieout.providers is 'The providers enabled for an account.';
--> statement-breakpoint
comment on column tieout.providers.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.providers.id is 'Id: a record''s onramp.';
--> statement-breakpoint
comment on column tieout.providers.name is 'Name for people.';
--> statement-breakpoint
comment on column tieout.providers.last_seen_at is 'When the catalogue last held it.';
--> statement-breakpoint
comment on table tieout.transaction_statuses is 'Append-only: every distinct record ever seen.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.transaction_id is 'The aggregator''s id; opaque.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.record_hash is 'SHA-256 over the canonical JSON of the normalised record; version in hash_version.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.hash_version is 'Which form of canonical JSON was hashed.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.status is 'Status; other spellings folded, unknown words as received.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.status_rank is 'Decides between rows of one status date.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.status_date is 'The aggregator''s time of the status.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.transaction_type is 'buy or sell.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.provider is 'The aggregator''s onramp.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.provider_transaction_id is 'The provider''s own id.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.payment_method is 'As received.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.country is 'As received.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.source_currency is 'What the customer gives.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.in_amount is 'How much of it.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.target_currency is 'What the customer gets.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.out_amount is 'How much of it; before completed an estimate or 0.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.transaction_hash is 'The chain''s hash as received; empty until known.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.wallet_address is 'The customer''s address.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.api_key is 'Key identifier in the record.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.extra is 'Fields the specification does not name.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.received_status is 'The word received, where it was folded into another.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.window_id is 'The window that first read it.';
--> statement-breakpoint
comment on column tieout.transaction_statuses.first_seen_at is 'When we first read it.';
--> statement-breakpoint
comment on table tieout.transactions is 'The latest status row of each transaction; can be made again from transaction_statuses.';
--> statement-breakpoint
comment on column tieout.transactions.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.transactions.transaction_id is 'The aggregator''s id; opaque.';
--> statement-breakpoint
comment on column tieout.transactions.record_hash is 'SHA-256 over the canonical JSON of the normalised record; version in hash_version.';
--> statement-breakpoint
comment on column tieout.transactions.hash_version is 'Which form of canonical JSON was hashed.';
--> statement-breakpoint
comment on column tieout.transactions.status is 'Status; other spellings folded, unknown words as received.';
--> statement-breakpoint
comment on column tieout.transactions.status_rank is 'Decides between rows of one status date.';
--> statement-breakpoint
comment on column tieout.transactions.status_date is 'The aggregator''s time of the status.';
--> statement-breakpoint
comment on column tieout.transactions.transaction_type is 'buy or sell.';
--> statement-breakpoint
comment on column tieout.transactions.provider is 'The aggregator''s onramp.';
--> statement-breakpoint
comment on column tieout.transactions.provider_transaction_id is 'The provider''s own id.';
--> statement-breakpoint
comment on column tieout.transactions.payment_method is 'As received.';
--> statement-breakpoint
comment on column tieout.transactions.country is 'As received.';
--> statement-breakpoint
comment on column tieout.transactions.source_currency is 'What the customer gives.';
--> statement-breakpoint
comment on column tieout.transactions.in_amount is 'How much of it.';
--> statement-breakpoint
comment on column tieout.transactions.target_currency is 'What the customer gets.';
--> statement-breakpoint
comment on column tieout.transactions.out_amount is 'How much of it; before completed an estimate or 0.';
--> statement-breakpoint
comment on column tieout.transactions.transaction_hash is 'The chain''s hash as received; empty until known.';
--> statement-breakpoint
comment on column tieout.transactions.wallet_address is 'The customer''s address.';
--> statement-breakpoint
comment on column tieout.transactions.api_key is 'Key identifier in the record.';
--> statement-breakpoint
comment on column tieout.transactions.extra is 'Fields the specification does not name.';
--> statement-breakpoint
comment on column tieout.transactions.is_final is 'Whether the status normally changes no more.';
--> statement-breakpoint
comment on column tieout.transactions.first_seen_at is 'When we first read any status of it.';
--> statement-breakpoint
comment on column tieout.transactions.last_changed_at is 'When its latest status row last changed here.';
--> statement-breakpoint
comment on column tieout.transactions.missing_since is 'Since when the aggregator does not serve it any more.';
