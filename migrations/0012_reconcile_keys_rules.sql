-- How the matcher finds what is new without reading what is old, and how it compares.

-- Rows are added in order of time, so a summary per block finds the new ones, and costs recording next to nothing.
create index status_rows_by_arrival on tieout.transaction_statuses using brin (first_seen_at) with (pages_per_range = 16);
--> statement-breakpoint
-- What a provider completed in a period, and which providers there are.
create index transactions_by_provider on tieout.transactions (account_id, lower(coalesce(provider, '')), status_date);
--> statement-breakpoint
create index lines_by_time on tieout.statement_lines (account_id, provider, effective_at);
--> statement-breakpoint
create index retirements_by_time on tieout.line_retirements (greatest(retired_at, restored_at));
--> statement-breakpoint
drop index tieout.matches_by_time;
--> statement-breakpoint
create index matches_by_time on tieout.matches using brin (matched_at);
--> statement-breakpoint
-- Hexadecimal and bech32 addresses mean the same in either case; base58 does not.
create function tieout.comparable_address(address text) returns text
language sql immutable strict parallel safe as $$
  select case
    when address ~* '^(0x[0-9a-f]{40}|(bc|ltc|tb)1[0-9a-z]+)$' then lower(address)
    else nullif(address, '')
  end
$$;
--> statement-breakpoint
comment on table tieout.earlier_keys is 'Keys by which a statement may name a transaction, where its latest row does not show them: ids that changed, and ids written in another case.';
--> statement-breakpoint
comment on column tieout.earlier_keys.account_id is 'The account.';
--> statement-breakpoint
comment on column tieout.earlier_keys.kind is 'provider_id, reference or hash.';
--> statement-breakpoint
comment on column tieout.earlier_keys.key is 'The key in the form in which keys are compared.';
--> statement-breakpoint
comment on column tieout.earlier_keys.transaction_id is 'The transaction, one of whose status rows has it.';
--> statement-breakpoint
comment on table tieout.currency_words is 'What the currency words of records mean.';
--> statement-breakpoint
comment on column tieout.currency_words.word is 'The word as records have it, such as eur or usdc_base.';
--> statement-breakpoint
comment on column tieout.currency_words.is_fiat is 'Whether it is money of a state.';
--> statement-breakpoint
comment on column tieout.currency_words.code is 'Its code as statement lines have it: upper case for fiat, lower case for crypto.';
--> statement-breakpoint
comment on column tieout.currency_words.network is 'Our name of its network; empty when the word does not tell.';
--> statement-breakpoint
comment on column tieout.currency_words.places is 'Places of the smallest amount that is compared: the minor unit, or at most the eighth place of a coin.';
--> statement-breakpoint
comment on column tieout.reconcile_runs.covered is 'What had been read of the account then.';
--> statement-breakpoint
-- What is owed and in no payout yet.
create index lines_unpaid on tieout.statement_lines (account_id, provider, effective_at)
  where payout_ref is null and net_amount <> 0 and line_type <> 'payout';
