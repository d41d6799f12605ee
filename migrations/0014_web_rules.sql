-- The work queue of discrepancies is read oldest first, a page at a time; the overview adds all of it up by age, from
-- the index alone.
create index open_discrepancies_by_age on tieout.discrepancies (since, id) include (account_id, value_currency, value)
  where state in ('open', 'investigating');
--> statement-breakpoint
-- Few of all matches ever end; by these the daily totals notice it.
create index ended_matches_by_time on tieout.matches (ended_at)
  where ended_at is not null;
--> statement-breakpoint
comment on table tieout.web_sessions is 'Who is signed in to the page. Of a session only the hash of its token is kept.';
--> statement-breakpoint
comment on column tieout.web_sessions.token_hash is 'SHA-256 of the token in the browser''s cookie.';
--> statement-breakpoint
comment on column tieout.web_sessions.api_key_id is 'The API key whose scopes and accounts the session has. A revoked key ends its sessions.';
--> statement-breakpoint
comment on column tieout.web_sessions.created_at is 'When somebody signed in.';
--> statement-breakpoint
comment on column tieout.web_sessions.expires_at is 'When the session ends by itself.';
--> statement-breakpoint
comment on table tieout.sign_in_links is 'One-time links to the page: each opens one session of a key and is deleted by it.';
--> statement-breakpoint
comment on column tieout.sign_in_links.token_hash is 'SHA-256 of the token in the link.';
--> statement-breakpoint
comment on column tieout.sign_in_links.api_key_id is 'The API key that the session will have.';
--> statement-breakpoint
comment on column tieout.sign_in_links.created_at is 'When the link was made.';
--> statement-breakpoint
comment on column tieout.sign_in_links.expires_at is 'After this time the link opens nothing.';
--> statement-breakpoint
comment on table tieout.daily_totals is 'Counts and sums of transactions by UTC day, added up ahead of the asking. Derived from transactions.';
--> statement-breakpoint
comment on column tieout.daily_totals.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.daily_totals.day is 'UTC day of the latest status.';
--> statement-breakpoint
comment on column tieout.daily_totals.provider is 'The provider.';
--> statement-breakpoint
comment on column tieout.daily_totals.transaction_type is 'buy or sell.';
--> statement-breakpoint
comment on column tieout.daily_totals.status is 'The latest status.';
--> statement-breakpoint
comment on column tieout.daily_totals.source_currency is 'What customers gave: sums are never across currencies.';
--> statement-breakpoint
comment on column tieout.daily_totals.class is 'Of completed transactions: discrepant (an error is open), matched (a statement line settles it), unmatched (neither). Empty for others.';
--> statement-breakpoint
comment on column tieout.daily_totals.transactions is 'How many transactions.';
--> statement-breakpoint
comment on column tieout.daily_totals.in_amount is 'Exact sum of what customers gave.';
--> statement-breakpoint
comment on column tieout.daily_totals.latest_status_date is 'The newest status date among them.';
--> statement-breakpoint
comment on table tieout.daily_totals_progress is 'Up to which change daily_totals has been added up. One row.';
--> statement-breakpoint
comment on column tieout.daily_totals_progress.only_row is 'Always true: there is one row.';
--> statement-breakpoint
comment on column tieout.daily_totals_progress.added_up_to is 'Transactions that changed up to this time are in the totals.';
--> statement-breakpoint
comment on column tieout.daily_totals_progress.added_up_at is 'When the totals were last brought up to date.';
