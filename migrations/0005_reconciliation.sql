CREATE TABLE "tieout"."discrepancies" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."discrepancies_id_seq"),
	"fingerprint" "bytea" NOT NULL,
	"fingerprint_version" integer NOT NULL,
	"facts_hash" "bytea" NOT NULL,
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"code" text NOT NULL,
	"level" text NOT NULL,
	"subject_kind" text NOT NULL,
	"transaction_id" text,
	"line_id" bigint,
	"payout_id" bigint,
	"period_from" timestamp with time zone,
	"period_to" timestamp with time zone,
	"expected" numeric,
	"actual" numeric,
	"delta" numeric,
	"currency" text,
	"expected_text" text,
	"actual_text" text,
	"value" numeric,
	"value_currency" text,
	"since" timestamp with time zone NOT NULL,
	"near_period_edge" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"owner" text,
	"reason" text,
	"resolved_by" text,
	"resolved_at" timestamp with time zone,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_changed_at" timestamp with time zone NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "discrepancy_is_raised_once" UNIQUE("fingerprint"),
	CONSTRAINT "fingerprint_is_sha256" CHECK (length("fingerprint") = 32 and length("facts_hash") = 32),
	CONSTRAINT "discrepancy_level_is_known" CHECK ("level" in ('error', 'warning')),
	CONSTRAINT "discrepancy_state_is_known" CHECK ("state" in ('open', 'investigating', 'resolved', 'written_off')),
	CONSTRAINT "discrepancy_names_its_subject" CHECK (case "subject_kind"
		when 'transaction' then "transaction_id" is not null
		when 'line' then "line_id" is not null
		when 'payout' then "payout_id" is not null
		when 'period' then "period_from" < "period_to"
		else false end),
	CONSTRAINT "delta_is_actual_less_expected" CHECK ("delta" = "actual" - "expected"),
	CONSTRAINT "discrepancy_value_is_not_negative" CHECK ("value" >= 0),
	CONSTRAINT "closed_discrepancy_says_when_who_and_why" CHECK (("state" in ('resolved', 'written_off')) = ("resolved_at" is not null)
		and ("resolved_at" is null or ("resolved_by" is not null and "reason" is not null)))
);
--> statement-breakpoint
CREATE TABLE "tieout"."discrepancy_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."discrepancy_events_id_seq"),
	"discrepancy_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"event" text NOT NULL,
	"state" text NOT NULL,
	"owner" text,
	"comment" text,
	"reason" text,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"facts_hash" "bytea" NOT NULL,
	"request_id" text,
	CONSTRAINT "discrepancy_event_is_known" CHECK ("event" in ('raised', 'changed', 'assigned', 'commented', 'state_changed', 'resolved', 'written_off', 'reopened', 'agreed')),
	CONSTRAINT "event_state_is_known" CHECK ("state" in ('open', 'investigating', 'resolved', 'written_off')),
	CONSTRAINT "closing_gives_a_reason" CHECK ("event" not in ('resolved', 'written_off', 'agreed') or "reason" is not null),
	CONSTRAINT "comment_is_not_empty" CHECK ("event" <> 'commented' or coalesce("comment", '') <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."matches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."matches_id_seq"),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"transaction_id" text NOT NULL,
	"record_hash" "bytea" NOT NULL,
	"line_id" bigint NOT NULL,
	"role" text NOT NULL,
	"rule" text NOT NULL,
	"keys" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"state" text NOT NULL,
	"made_by" text NOT NULL,
	"reason" text,
	"in_expected" numeric,
	"in_actual" numeric,
	"in_difference" numeric,
	"out_expected" numeric,
	"out_actual" numeric,
	"out_difference" numeric,
	"difference_name" text,
	"effective_at" timestamp with time zone NOT NULL,
	"matched_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"ended_by" text,
	"ended_reason" text,
	"barred" boolean DEFAULT false NOT NULL,
	CONSTRAINT "match_role_is_known" CHECK ("role" in ('settles', 'relates')),
	CONSTRAINT "match_rule_is_known" CHECK ("rule" in ('provider_id', 'our_reference', 'hash', 'suggested', 'person')),
	CONSTRAINT "match_state_is_known" CHECK ("state" in ('active', 'suggested', 'ended')),
	CONSTRAINT "a_suggestion_is_never_active" CHECK ("rule" <> 'suggested' or "state" <> 'active'),
	CONSTRAINT "a_person_gives_a_reason" CHECK ("rule" <> 'person' or "reason" is not null),
	CONSTRAINT "ended_match_says_when_who_and_why" CHECK (("state" = 'ended') = ("ended_at" is not null)
		and ("ended_at" is null) = ("ended_by" is null)
		and ("ended_at" is null) = ("ended_reason" is null)),
	CONSTRAINT "only_an_ended_match_bars_its_pair" CHECK ("state" = 'ended' or not "barred"),
	CONSTRAINT "difference_name_is_known" CHECK ("difference_name" in ('rounding', 'fee', 'quote_drift', 'other'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."payouts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."payouts_id_seq"),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"payout_ref" text NOT NULL,
	"currency" text NOT NULL,
	"payout_date" timestamp with time zone,
	"line_count" integer NOT NULL,
	"gross" numeric NOT NULL,
	"fees" numeric NOT NULL,
	"refunds" numeric NOT NULL,
	"chargebacks" numeric NOT NULL,
	"chargeback_reversals" numeric NOT NULL,
	"commissions" numeric NOT NULL,
	"adjustments" numeric NOT NULL,
	"reserves" numeric NOT NULL,
	"net_computed" numeric NOT NULL,
	"net_declared" numeric,
	"difference" numeric,
	"declared_by_line_id" bigint,
	"transaction_hash" text,
	"status" text NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payout_is_kept_once" UNIQUE("account_id","provider","payout_ref","currency"),
	CONSTRAINT "payout_status_is_known" CHECK ("status" in ('tied', 'not_tied', 'undeclared')),
	CONSTRAINT "undeclared_payout_has_no_declared_net" CHECK (("status" = 'undeclared') = ("net_declared" is null)),
	CONSTRAINT "payout_difference_is_declared_less_computed" CHECK ("difference" = "net_declared" - "net_computed"),
	CONSTRAINT "payout_waterfall_adds_up" CHECK ("net_computed" = "gross" - "fees" - "refunds" - "chargebacks"
		+ "chargeback_reversals" + "commissions" + "adjustments" + "reserves")
);
--> statement-breakpoint
CREATE TABLE "tieout"."reconcile_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."reconcile_runs_id_seq"),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"known_at" timestamp with time zone NOT NULL,
	"as_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "run_kind_is_known" CHECK ("kind" in ('full', 'incremental'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."line_retirements" (
	"line_id" bigint NOT NULL,
	"retired_at" timestamp with time zone NOT NULL,
	"restored_at" timestamp with time zone,
	"reason" text NOT NULL,
	"statement_id" bigint NOT NULL,
	CONSTRAINT "line_retires_once_at_a_time" PRIMARY KEY("line_id","retired_at"),
	CONSTRAINT "retirement_reason_is_known" CHECK ("reason" in ('superseded', 'withdrawn')),
	CONSTRAINT "retirement_ends_after_it_begins" CHECK ("restored_at" >= "retired_at")
);
--> statement-breakpoint
CREATE TABLE "tieout"."provider_settings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."provider_settings_id_seq"),
	"account_id" integer,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"version" integer NOT NULL,
	"value" jsonb,
	"saved_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"saved_by" text NOT NULL,
	"reason" text,
	CONSTRAINT "setting_version_is_kept_once" UNIQUE NULLS NOT DISTINCT("account_id","provider","kind","name","version"),
	CONSTRAINT "setting_kind_is_known" CHECK ("kind" in ('profile', 'status_map', 'alias', 'tolerance', 'calendar', 'exclusion')),
	CONSTRAINT "setting_versions_count_from_1" CHECK ("version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."statement_files" (
	"statement_id" bigint NOT NULL,
	"part" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "file_part_is_kept_once" PRIMARY KEY("statement_id","part"),
	CONSTRAINT "file_parts_count_from_1" CHECK ("part" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."statement_lines" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."statement_lines_id_seq"),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"line_key" text NOT NULL,
	"occurrence" integer NOT NULL,
	"version" integer NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"statement_id" bigint NOT NULL,
	"line_no" integer NOT NULL,
	"line_type" text NOT NULL,
	"side" text,
	"provider_status" text,
	"status" text NOT NULL,
	"provider_transaction_id" text,
	"our_reference" text,
	"payout_ref" text,
	"fiat_currency" text,
	"fiat_gross" numeric,
	"fiat_net" numeric,
	"asset" text,
	"network" text,
	"crypto_amount" numeric,
	"fee_total" numeric,
	"fee_processing" numeric,
	"fee_network" numeric,
	"fee_partner" numeric,
	"fee_currency" text,
	"rate" numeric,
	"rate_basis" text,
	"net_amount" numeric NOT NULL,
	"net_currency" text,
	"category" text,
	"transaction_hash" text,
	"wallet_address" text,
	"address_tag" text,
	"created_at" timestamp with time zone,
	"effective_at" timestamp with time zone NOT NULL,
	"extra" jsonb,
	"imported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "line_version_is_kept_once" UNIQUE("line_key","occurrence","account_id","provider","version"),
	CONSTRAINT "content_hash_is_sha256" CHECK (length("content_hash") = 32),
	CONSTRAINT "occurrences_count_from_1" CHECK ("occurrence" >= 1 and "version" >= 1),
	CONSTRAINT "line_type_is_known" CHECK ("line_type" in ('charge', 'refund', 'chargeback', 'chargeback_reversal', 'fee', 'commission', 'adjustment', 'reserve', 'payout')),
	CONSTRAINT "line_side_is_known" CHECK ("side" in ('buy', 'sell')),
	CONSTRAINT "line_status_is_known" CHECK ("status" in ('created', 'awaiting_payment', 'processing', 'captured', 'delivering', 'settled', 'canceled', 'expired', 'failed', 'on_hold', 'refunded', 'charged_back', 'unknown')),
	CONSTRAINT "rate_basis_is_known" CHECK ("rate_basis" in ('crypto_per_fiat', 'fiat_per_crypto')),
	CONSTRAINT "money_names_its_currency" CHECK (("net_currency" is not null or "net_amount" = 0)
		and ("fiat_currency" is not null or ("fiat_gross" is null and "fiat_net" is null))
		and ("asset" is not null or "crypto_amount" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."statement_rows" (
	"statement_id" bigint NOT NULL,
	"line_no" integer NOT NULL,
	"outcome" text NOT NULL,
	"code" text,
	"field" text,
	"reason" text,
	"original_text" text NOT NULL,
	"line_id" bigint,
	CONSTRAINT "row_has_one_outcome" PRIMARY KEY("statement_id","line_no"),
	CONSTRAINT "row_outcome_is_known" CHECK ("outcome" in ('preamble', 'header', 'blank', 'skipped', 'trailer', 'accepted', 'duplicate', 'rejected')),
	CONSTRAINT "rejected_row_has_a_code_and_a_reason" CHECK ("outcome" <> 'rejected' or ("code" is not null and "reason" is not null)),
	CONSTRAINT "row_taken_in_names_its_line" CHECK (("outcome" in ('accepted', 'duplicate')) = ("line_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."statements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."statements_id_seq"),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"file_name" text NOT NULL,
	"sha256" "bytea" NOT NULL,
	"byte_count" bigint NOT NULL,
	"profile" text NOT NULL,
	"profile_version" integer NOT NULL,
	"profile_used" jsonb NOT NULL,
	"parser_version" integer NOT NULL,
	"encoding" text NOT NULL,
	"delimiter" text NOT NULL,
	"generated_at" timestamp with time zone NOT NULL,
	"generated_at_from" text NOT NULL,
	"period_from" timestamp with time zone,
	"period_to" timestamp with time zone,
	"period_basis" text NOT NULL,
	"state" text DEFAULT 'imported' NOT NULL,
	"preamble_rows" integer DEFAULT 0 NOT NULL,
	"header_rows" integer DEFAULT 0 NOT NULL,
	"blank_rows" integer DEFAULT 0 NOT NULL,
	"skipped_rows" integer DEFAULT 0 NOT NULL,
	"trailer_rows" integer DEFAULT 0 NOT NULL,
	"rows_of_file" integer DEFAULT 0 NOT NULL,
	"rows_read" integer DEFAULT 0 NOT NULL,
	"rows_accepted" integer DEFAULT 0 NOT NULL,
	"rows_restated" integer DEFAULT 0 NOT NULL,
	"rows_duplicate" integer DEFAULT 0 NOT NULL,
	"rows_rejected" integer DEFAULT 0 NOT NULL,
	"totals" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"stated" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"imported_at" timestamp with time zone NOT NULL,
	"imported_by" text NOT NULL,
	"accepted_codes" text[],
	"accepted_reason" text,
	"replaces_id" bigint,
	"withdrawn_at" timestamp with time zone,
	"withdrawn_by" text,
	"withdrawn_reason" text,
	CONSTRAINT "statement_sha256_is_sha256" CHECK (length("sha256") = 32),
	CONSTRAINT "statement_state_is_known" CHECK ("state" in ('imported', 'withdrawn')),
	CONSTRAINT "statement_period_is_not_empty" CHECK (("period_from" is null) = ("period_to" is null) and "period_from" < "period_to"),
	CONSTRAINT "statement_period_basis_is_known" CHECK ("period_basis" in ('activity', 'settlement')),
	CONSTRAINT "generated_at_comes_from_somewhere" CHECK ("generated_at_from" in ('command', 'file', 'file_name', 'rows')),
	CONSTRAINT "withdrawn_statement_says_when_who_and_why" CHECK (("state" = 'withdrawn') = ("withdrawn_at" is not null)
		and ("withdrawn_at" is null) = ("withdrawn_by" is null)
		and ("withdrawn_at" is null) = ("withdrawn_reason" is null)),
	CONSTRAINT "rows_read_are_all_accounted_for" CHECK ("rows_read" = "rows_accepted" + "rows_duplicate" + "rows_rejected"
		and "rows_restated" <= "rows_accepted"),
	CONSTRAINT "rows_of_file_are_all_accounted_for" CHECK ("rows_of_file" = "preamble_rows" + "header_rows" + "blank_rows" + "skipped_rows"
		+ "trailer_rows" + "rows_read"),
	CONSTRAINT "what_was_accepted_has_a_reason" CHECK (("accepted_codes" is null) = ("accepted_reason" is null))
);
--> statement-breakpoint
ALTER TABLE "tieout"."reconcile_runs" ADD CONSTRAINT "reconcile_runs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."provider_settings" ADD CONSTRAINT "provider_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."statement_files" ADD CONSTRAINT "statement_files_statement_id_statements_id_fk" FOREIGN KEY ("statement_id") REFERENCES "tieout"."statements"("id") DEFERRABLE INITIALLY DEFERRED;--> statement-breakpoint
ALTER TABLE "tieout"."statements" ADD CONSTRAINT "statements_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
CREATE INDEX "open_discrepancies" ON "tieout"."discrepancies" USING btree ("account_id","provider","code") WHERE state in ('open', 'investigating');--> statement-breakpoint
CREATE INDEX "discrepancies_by_transaction" ON "tieout"."discrepancies" USING btree ("account_id","transaction_id") WHERE transaction_id is not null;--> statement-breakpoint
CREATE INDEX "discrepancies_by_line" ON "tieout"."discrepancies" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE INDEX "discrepancies_by_change" ON "tieout"."discrepancies" USING btree ("last_changed_at","id");--> statement-breakpoint
CREATE INDEX "events_of_discrepancy" ON "tieout"."discrepancy_events" USING btree ("discrepancy_id","id");--> statement-breakpoint
CREATE INDEX "events_by_time" ON "tieout"."discrepancy_events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "matches_by_transaction" ON "tieout"."matches" USING btree ("account_id","transaction_id");--> statement-breakpoint
CREATE INDEX "matches_by_line" ON "tieout"."matches" USING btree ("line_id");--> statement-breakpoint
CREATE INDEX "matches_by_time" ON "tieout"."matches" USING btree ("matched_at");--> statement-breakpoint
CREATE INDEX "barred_pairs" ON "tieout"."matches" USING btree ("account_id","transaction_id","line_id") WHERE barred;--> statement-breakpoint
CREATE INDEX "runs_by_provider" ON "tieout"."reconcile_runs" USING btree ("account_id","provider","id");--> statement-breakpoint
CREATE INDEX "lines_by_statement" ON "tieout"."statement_lines" USING btree ("statement_id");--> statement-breakpoint
CREATE INDEX "lines_by_payout" ON "tieout"."statement_lines" USING btree ("payout_ref","account_id","provider") WHERE payout_ref is not null;--> statement-breakpoint
CREATE INDEX "statement_rows_by_line" ON "tieout"."statement_rows" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE INDEX "statement_rows_set_aside" ON "tieout"."statement_rows" USING btree ("statement_id","line_no") WHERE outcome = 'rejected' or code is not null;--> statement-breakpoint
CREATE INDEX "statements_by_period" ON "tieout"."statements" USING btree ("account_id","provider","period_from");--> statement-breakpoint
CREATE INDEX "statements_by_import" ON "tieout"."statements" USING btree ("imported_at");