CREATE TABLE "tieout"."account_settings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."account_settings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"value" jsonb,
	"set_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"set_by" text NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "account_setting_version_is_kept_once" UNIQUE("account_id","name","version"),
	CONSTRAINT "account_setting_name_is_known" CHECK ("tieout"."account_settings"."name" in ('chart_of_accounts', 'functional_currency', 'calendar')),
	CONSTRAINT "account_setting_versions_count_from_1" CHECK ("tieout"."account_settings"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."accounts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."accounts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"sync_start" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"paused_reason" text,
	"paused_at" timestamp with time zone,
	"refused_credentials" text,
	"probe_at" timestamp with time zone,
	"failing_since" timestamp with time zone,
	"last_error" text,
	"request_limit" integer DEFAULT 4 NOT NULL,
	"not_before" timestamp with time zone,
	"last_success_at" timestamp with time zone,
	"covered" "tstzmultirange" DEFAULT '{}' NOT NULL,
	"catalogue_read_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "account_name_is_unique" UNIQUE("name"),
	CONSTRAINT "account_has_a_name" CHECK ("tieout"."accounts"."name" <> ''),
	CONSTRAINT "account_state_is_known" CHECK ("tieout"."accounts"."state" in ('active', 'paused', 'refused')),
	CONSTRAINT "failing_account_has_an_error" CHECK ("tieout"."accounts"."failing_since" is null or "tieout"."accounts"."last_error" is not null),
	CONSTRAINT "paused_account_has_a_reason" CHECK ("tieout"."accounts"."state" = 'active' or "tieout"."accounts"."paused_reason" is not null),
	CONSTRAINT "account_may_ask" CHECK ("tieout"."accounts"."request_limit" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."alert_rules" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."alert_rules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"account_ids" integer[],
	"limit_seconds" bigint,
	"limit_amount" numeric,
	"currency" text,
	"by_email" boolean DEFAULT false NOT NULL,
	"by_webhook" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "alert_kind_is_known" CHECK ("tieout"."alert_rules"."kind" in ('data_old', 'value_at_risk', 'payout_overdue', 'statement_missing', 'account_paused', 'quarantine')),
	CONSTRAINT "alert_limit_is_positive" CHECK ("tieout"."alert_rules"."limit_seconds" >= 0 and "tieout"."alert_rules"."limit_amount" >= 0),
	CONSTRAINT "old_data_has_a_limit" CHECK ("tieout"."alert_rules"."kind" <> 'data_old' or "tieout"."alert_rules"."limit_seconds" is not null),
	CONSTRAINT "value_at_risk_has_a_limit" CHECK (("tieout"."alert_rules"."kind" = 'value_at_risk') = ("tieout"."alert_rules"."limit_amount" is not null)
        and ("tieout"."alert_rules"."limit_amount" is null) = ("tieout"."alert_rules"."currency" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."alert_settings" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"recipients" text[] DEFAULT '{}' NOT NULL,
	"zone" text DEFAULT 'UTC' NOT NULL,
	"quiet_from" integer,
	"quiet_to" integer,
	"digest_at" integer,
	"digest_day" text,
	CONSTRAINT "alert_settings_are_one_row" CHECK ("tieout"."alert_settings"."one"),
	CONSTRAINT "quiet_hours_have_two_ends" CHECK (("tieout"."alert_settings"."quiet_from" is null) = ("tieout"."alert_settings"."quiet_to" is null)
        and "tieout"."alert_settings"."quiet_from" between 0 and 1439 and "tieout"."alert_settings"."quiet_to" between 0 and 1439),
	CONSTRAINT "digest_is_at_a_time_of_day" CHECK ("tieout"."alert_settings"."digest_at" between 0 and 1439)
);
--> statement-breakpoint
CREATE TABLE "tieout"."alerts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."alerts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"rule_id" integer NOT NULL,
	"account_id" integer,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"title" text NOT NULL,
	"path" text NOT NULL,
	"raised_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"cleared_at" timestamp with time zone,
	"emailed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "tieout"."api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"account_ids" integer[],
	"secret_hash" "bytea" NOT NULL,
	"last_four" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"owner_id" bigint,
	"approval_id" bigint,
	"expires_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"replaces" text,
	CONSTRAINT "key_has_a_name" CHECK ("tieout"."api_keys"."name" <> ''),
	CONSTRAINT "key_id_has_its_form" CHECK ("tieout"."api_keys"."id" ~ '^[0-9A-Za-z]{8}$'),
	CONSTRAINT "key_role_is_known" CHECK ("tieout"."api_keys"."role" in ('viewer', 'accountant', 'controller', 'auditor', 'admin', 'custom')),
	CONSTRAINT "secret_hash_is_sha256" CHECK (length("tieout"."api_keys"."secret_hash") = 32),
	CONSTRAINT "limited_key_has_accounts" CHECK ("tieout"."api_keys"."account_ids" is null or cardinality("tieout"."api_keys"."account_ids") > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."idempotency_keys" (
	"actor" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"status" integer,
	"content_type" text,
	"body" text,
	CONSTRAINT "idempotency_key_is_used_once" PRIMARY KEY("actor","key")
);
--> statement-breakpoint
CREATE TABLE "tieout"."approval_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."approval_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"approval_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"state" text NOT NULL,
	"person_id" bigint NOT NULL,
	"person_name" text NOT NULL,
	"reason" text
);
--> statement-breakpoint
CREATE TABLE "tieout"."approvals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."approvals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"account_id" integer,
	"details" jsonb NOT NULL,
	"proposed_by" bigint NOT NULL,
	"proposed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"reason" text NOT NULL,
	"state" text DEFAULT 'proposed' NOT NULL,
	"decided_by" bigint,
	"decided_at" timestamp with time zone,
	"decision_reason" text,
	CONSTRAINT "approval_kind_is_known" CHECK ("tieout"."approvals"."kind" in ('write_off', 'admin_key', 'settings', 'reopen', 'erase')),
	CONSTRAINT "approval_state_is_known" CHECK ("tieout"."approvals"."state" in ('proposed', 'approved', 'rejected', 'withdrawn')),
	CONSTRAINT "approval_has_a_reason" CHECK ("tieout"."approvals"."reason" ~ '\S'),
	CONSTRAINT "decided_approval_says_who_and_when" CHECK (("tieout"."approvals"."state" = 'proposed') = ("tieout"."approvals"."decided_by" is null) and ("tieout"."approvals"."decided_by" is null) = ("tieout"."approvals"."decided_at" is null)),
	CONSTRAINT "two_people_decide" CHECK (case "tieout"."approvals"."state"
        when 'withdrawn' then "tieout"."approvals"."decided_by" = "tieout"."approvals"."proposed_by"
        when 'proposed' then true
        else "tieout"."approvals"."decided_by" <> "tieout"."approvals"."proposed_by" end)
);
--> statement-breakpoint
CREATE TABLE "tieout"."write_off_limits" (
	"role" text NOT NULL,
	"currency" text NOT NULL,
	"amount" numeric NOT NULL,
	"set_by" text NOT NULL,
	"set_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "role_has_one_limit_a_currency" PRIMARY KEY("role","currency"),
	CONSTRAINT "limit_is_of_a_role_that_decides" CHECK ("tieout"."write_off_limits"."role" in ('accountant', 'controller')),
	CONSTRAINT "limit_is_not_negative" CHECK ("tieout"."write_off_limits"."amount" >= 0),
	CONSTRAINT "limit_currency_is_upper_case" CHECK ("tieout"."write_off_limits"."currency" = upper("tieout"."write_off_limits"."currency") and "tieout"."write_off_limits"."currency" <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."audit_log" (
	"number" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text DEFAULT '' NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	"request_id" text,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."assets" (
	"account_id" integer NOT NULL,
	"id" text NOT NULL,
	"name" text,
	"last_seen_at" timestamp with time zone NOT NULL,
	"code" text NOT NULL,
	"symbol" text,
	"network" text,
	"network_name" text,
	"stated_decimals" integer,
	"address" text,
	"chain_id" text,
	CONSTRAINT "assets_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."fiats" (
	"account_id" integer NOT NULL,
	"id" text NOT NULL,
	"name" text,
	"last_seen_at" timestamp with time zone NOT NULL,
	"code" text NOT NULL,
	"symbol" text,
	CONSTRAINT "fiats_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."payment_types" (
	"account_id" integer NOT NULL,
	"id" text NOT NULL,
	"name" text,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "payment_types_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."providers" (
	"account_id" integer NOT NULL,
	"id" text NOT NULL,
	"name" text,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "providers_account_id_id_pk" PRIMARY KEY("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."erased_subjects" (
	"account_id" integer NOT NULL,
	"kind" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"erasure_id" bigint NOT NULL,
	CONSTRAINT "subject_is_erased_once" PRIMARY KEY("account_id","kind","digest"),
	CONSTRAINT "erased_subject_kind_is_known" CHECK ("tieout"."erased_subjects"."kind" in ('wallet', 'transaction', 'name'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."erasure_requests" (
	"approval_id" bigint PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."erasure_seals" (
	"erasure_id" bigint NOT NULL,
	"relation" text NOT NULL,
	"row_key" text NOT NULL,
	"commitment" "bytea" NOT NULL,
	"seal" "bytea",
	CONSTRAINT "row_is_sealed_once" PRIMARY KEY("erasure_id","relation","row_key")
);
--> statement-breakpoint
CREATE TABLE "tieout"."erasures" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."erasures_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"kind" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"key_id" text NOT NULL,
	"approval_id" bigint NOT NULL,
	"reason" text NOT NULL,
	"proposed_by" text NOT NULL,
	"approved_by" text NOT NULL,
	"erased_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"made_in" text DEFAULT pg_current_xact_id()::text NOT NULL,
	"counts" jsonb NOT NULL,
	CONSTRAINT "approval_erases_once" UNIQUE("approval_id"),
	CONSTRAINT "erasure_kind_is_known" CHECK ("tieout"."erasures"."kind" in ('wallet', 'transaction')),
	CONSTRAINT "erasure_has_a_reason" CHECK ("tieout"."erasures"."reason" <> ''),
	CONSTRAINT "erasure_is_approved_by_another" CHECK (lower("tieout"."erasures"."proposed_by") <> lower("tieout"."erasures"."approved_by"))
);
--> statement-breakpoint
CREATE TABLE "tieout"."forgotten_files" (
	"statement_id" bigint PRIMARY KEY NOT NULL,
	"forgotten_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"made_in" text DEFAULT pg_current_xact_id()::text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."exports" (
	"id" text PRIMARY KEY NOT NULL,
	"report" text NOT NULL,
	"format" text NOT NULL,
	"parameters" jsonb NOT NULL,
	"actor" text NOT NULL,
	"account_ids" integer[],
	"wallets" boolean NOT NULL,
	"link_secret" "bytea" NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"worker" text,
	"lease_until" timestamp with time zone,
	"as_of" timestamp with time zone,
	"rows_written" bigint DEFAULT 0 NOT NULL,
	"rows_total" bigint,
	"totals" jsonb,
	"files" jsonb,
	"error_code" text,
	"error" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	CONSTRAINT "export_format_is_known" CHECK ("tieout"."exports"."format" in ('csv', 'jsonl', 'xlsx', 'parquet')),
	CONSTRAINT "export_state_is_known" CHECK ("tieout"."exports"."state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired')),
	CONSTRAINT "running_export_is_leased" CHECK ("tieout"."exports"."state" <> 'running' or "tieout"."exports"."lease_until" is not null),
	CONSTRAINT "succeeded_export_is_complete" CHECK ("tieout"."exports"."state" <> 'succeeded'
        or ("tieout"."exports"."files" is not null and "tieout"."exports"."totals" is not null and "tieout"."exports"."as_of" is not null and "tieout"."exports"."expires_at" is not null)),
	CONSTRAINT "failed_export_says_why" CHECK ("tieout"."exports"."state" <> 'failed' or "tieout"."exports"."error" is not null)
);
--> statement-breakpoint
CREATE TABLE "tieout"."fee_schedules" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."fee_schedules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"version" integer NOT NULL,
	"valid_from" timestamp with time zone NOT NULL,
	"file_name" text,
	"sha256" "bytea" NOT NULL,
	"imported_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"imported_by" text NOT NULL,
	"reason" text NOT NULL,
	CONSTRAINT "fee_schedule_version_is_kept_once" UNIQUE("account_id","provider","version"),
	CONSTRAINT "fee_schedule_versions_count_from_1" CHECK ("tieout"."fee_schedules"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."fee_terms" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."fee_terms_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"schedule_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"side" text,
	"payment_method" text,
	"currency" text,
	"over" numeric NOT NULL,
	"flat" numeric NOT NULL,
	"percent" numeric NOT NULL,
	"minimum" numeric,
	"maximum" numeric,
	"capped_by_fee" boolean DEFAULT false NOT NULL,
	CONSTRAINT "fee_term_kind_is_known" CHECK ("tieout"."fee_terms"."kind" in ('share', 'processing_fee', 'total_fee')),
	CONSTRAINT "fee_term_side_is_known" CHECK ("tieout"."fee_terms"."side" in ('buy', 'sell')),
	CONSTRAINT "fee_term_minimum_is_not_above_maximum" CHECK ("tieout"."fee_terms"."minimum" <= "tieout"."fee_terms"."maximum"),
	CONSTRAINT "fee_term_is_not_negative" CHECK ("tieout"."fee_terms"."over" >= 0 and "tieout"."fee_terms"."flat" >= 0 and "tieout"."fee_terms"."percent" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."decisions" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."decisions_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"discrepancy_id" bigint NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"facts_hash" "bytea" NOT NULL,
	"decision" text NOT NULL,
	"booked_at" timestamp with time zone NOT NULL,
	"reason" text NOT NULL,
	"decided_by" text NOT NULL,
	"decided_by_name" text DEFAULT '' NOT NULL,
	"approval_id" bigint,
	"known_from" timestamp with time zone NOT NULL,
	"known_to" timestamp with time zone,
	CONSTRAINT "decision_is_known_word" CHECK ("tieout"."decisions"."decision" in ('resolved', 'written_off')),
	CONSTRAINT "decision_is_known_for_a_while" CHECK ("tieout"."decisions"."known_from" < "tieout"."decisions"."known_to")
);
--> statement-breakpoint
CREATE TABLE "tieout"."discrepancies" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."discrepancies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	"receipt_line_id" bigint,
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
	"owed" numeric,
	"owed_currency" text,
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
	CONSTRAINT "fingerprint_is_sha256" CHECK (length("tieout"."discrepancies"."fingerprint") = 32 and length("tieout"."discrepancies"."facts_hash") = 32),
	CONSTRAINT "discrepancy_level_is_known" CHECK ("tieout"."discrepancies"."level" in ('error', 'warning')),
	CONSTRAINT "discrepancy_state_is_known" CHECK ("tieout"."discrepancies"."state" in ('open', 'investigating', 'resolved', 'written_off')),
	CONSTRAINT "discrepancy_names_its_subject" CHECK (case "tieout"."discrepancies"."subject_kind"
        when 'transaction' then "tieout"."discrepancies"."transaction_id" is not null
        when 'line' then "tieout"."discrepancies"."line_id" is not null
        when 'payout' then "tieout"."discrepancies"."payout_id" is not null
        when 'period' then "tieout"."discrepancies"."period_from" < "tieout"."discrepancies"."period_to"
        when 'receipt' then "tieout"."discrepancies"."receipt_line_id" is not null
        else false end),
	CONSTRAINT "delta_is_actual_less_expected" CHECK ("tieout"."discrepancies"."delta" = "tieout"."discrepancies"."actual" - "tieout"."discrepancies"."expected"),
	CONSTRAINT "discrepancy_value_is_not_negative" CHECK ("tieout"."discrepancies"."value" >= 0),
	CONSTRAINT "closed_discrepancy_says_when_who_and_why" CHECK (("tieout"."discrepancies"."state" in ('resolved', 'written_off')) = ("tieout"."discrepancies"."resolved_at" is not null)
        and ("tieout"."discrepancies"."resolved_at" is null or ("tieout"."discrepancies"."resolved_by" is not null and "tieout"."discrepancies"."reason" is not null)))
);
--> statement-breakpoint
CREATE TABLE "tieout"."discrepancy_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."discrepancy_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"discrepancy_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text DEFAULT '' NOT NULL,
	"event" text NOT NULL,
	"state" text NOT NULL,
	"owner" text,
	"comment" text,
	"reason" text,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"facts_hash" "bytea" NOT NULL,
	"request_id" text,
	CONSTRAINT "discrepancy_event_is_known" CHECK ("tieout"."discrepancy_events"."event" in ('raised', 'changed', 'assigned', 'commented', 'state_changed', 'resolved', 'written_off', 'reopened', 'agreed')),
	CONSTRAINT "event_state_is_known" CHECK ("tieout"."discrepancy_events"."state" in ('open', 'investigating', 'resolved', 'written_off')),
	CONSTRAINT "closing_gives_a_reason" CHECK ("tieout"."discrepancy_events"."event" not in ('resolved', 'written_off', 'agreed') or "tieout"."discrepancy_events"."reason" is not null),
	CONSTRAINT "comment_is_not_empty" CHECK ("tieout"."discrepancy_events"."event" <> 'commented' or coalesce("tieout"."discrepancy_events"."comment", '') <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."findings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."findings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"code" text NOT NULL,
	"level" text NOT NULL,
	"subject_kind" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"facts_hash" "bytea" NOT NULL,
	"transaction_id" text,
	"line_id" bigint,
	"payout_ref" text,
	"receipt_line_id" bigint,
	"period_from" timestamp with time zone,
	"period_to" timestamp with time zone,
	"expected" numeric,
	"actual" numeric,
	"currency" text,
	"expected_text" text,
	"actual_text" text,
	"value" numeric,
	"value_currency" text,
	"owed" numeric,
	"owed_currency" text,
	"near_period_edge" boolean NOT NULL,
	"holds_from" timestamp with time zone NOT NULL,
	"holds_to" timestamp with time zone NOT NULL,
	"known_from" timestamp with time zone NOT NULL,
	"known_to" timestamp with time zone,
	CONSTRAINT "finding_holds_for_a_while" CHECK ("tieout"."findings"."holds_from" < "tieout"."findings"."holds_to"),
	CONSTRAINT "finding_is_known_for_a_while" CHECK ("tieout"."findings"."known_from" < "tieout"."findings"."known_to"),
	CONSTRAINT "finding_level_is_known" CHECK ("tieout"."findings"."level" in ('error', 'warning'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."heartbeats" (
	"job" text NOT NULL,
	"worker" text NOT NULL,
	"database_at" timestamp with time zone NOT NULL,
	"worker_at" timestamp with time zone NOT NULL,
	CONSTRAINT "heartbeats_job_worker_pk" PRIMARY KEY("job","worker")
);
--> statement-breakpoint
CREATE TABLE "tieout"."line_carriers" (
	"line_id" bigint NOT NULL,
	"since_at" timestamp with time zone NOT NULL,
	"until_at" timestamp with time zone,
	"statement_id" bigint NOT NULL,
	"line_no" integer NOT NULL,
	CONSTRAINT "line_has_one_carrier_since_a_time" PRIMARY KEY("line_id","since_at"),
	CONSTRAINT "carrier_ends_after_it_begins" CHECK ("tieout"."line_carriers"."until_at" >= "tieout"."line_carriers"."since_at")
);
--> statement-breakpoint
CREATE TABLE "tieout"."line_retirements" (
	"line_id" bigint NOT NULL,
	"retired_at" timestamp with time zone NOT NULL,
	"restored_at" timestamp with time zone,
	"reason" text NOT NULL,
	"statement_id" bigint NOT NULL,
	CONSTRAINT "line_retires_once_at_a_time" PRIMARY KEY("line_id","retired_at"),
	CONSTRAINT "retirement_reason_is_known" CHECK ("tieout"."line_retirements"."reason" in ('superseded', 'withdrawn')),
	CONSTRAINT "retirement_ends_after_it_begins" CHECK ("tieout"."line_retirements"."restored_at" >= "tieout"."line_retirements"."retired_at")
);
--> statement-breakpoint
CREATE TABLE "tieout"."events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"data" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."upstream_events" (
	"account_id" integer NOT NULL,
	"event_id" text NOT NULL,
	"transaction_id" text NOT NULL,
	"window_id" bigint NOT NULL,
	"received_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "upstream_event_is_heard_once" PRIMARY KEY("account_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."webhook_deliveries" (
	"endpoint_id" text NOT NULL,
	"event_id" bigint NOT NULL,
	"subject" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"lease_until" timestamp with time zone,
	"sender" text,
	"status" integer,
	"error" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"settled_at" timestamp with time zone,
	CONSTRAINT "event_is_delivered_once" PRIMARY KEY("endpoint_id","event_id"),
	CONSTRAINT "delivery_state_is_known" CHECK ("tieout"."webhook_deliveries"."state" in ('pending', 'delivered', 'failed')),
	CONSTRAINT "settled_delivery_says_when" CHECK (("tieout"."webhook_deliveries"."state" = 'pending') = ("tieout"."webhook_deliveries"."settled_at" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"events" text[] NOT NULL,
	"account_ids" integer[],
	"state" text DEFAULT 'enabled' NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp with time zone,
	"secret_version" integer DEFAULT 1 NOT NULL,
	"previous_until" timestamp with time zone,
	"key_fingerprint" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp with time zone,
	"last_success_at" timestamp with time zone,
	"last_error" text,
	"version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "endpoint_id_has_its_form" CHECK ("tieout"."webhook_endpoints"."id" ~ '^[0-9A-Za-z]{12}$'),
	CONSTRAINT "endpoint_hears_something" CHECK (cardinality("tieout"."webhook_endpoints"."events") > 0),
	CONSTRAINT "endpoint_state_is_known" CHECK ("tieout"."webhook_endpoints"."state" in ('enabled', 'disabled')),
	CONSTRAINT "disabled_endpoint_says_when_and_why" CHECK (("tieout"."webhook_endpoints"."state" = 'disabled') = ("tieout"."webhook_endpoints"."disabled_at" is not null)
        and ("tieout"."webhook_endpoints"."state" = 'disabled') = ("tieout"."webhook_endpoints"."disabled_reason" is not null)),
	CONSTRAINT "limited_endpoint_has_accounts" CHECK ("tieout"."webhook_endpoints"."account_ids" is null or cardinality("tieout"."webhook_endpoints"."account_ids") > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."people" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."people_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"email" text NOT NULL,
	"roles" text[] NOT NULL,
	"account_ids" integer[],
	"state" text DEFAULT 'invited' NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"activated_at" timestamp with time zone,
	"suspended_at" timestamp with time zone,
	"last_seen_at" timestamp with time zone,
	CONSTRAINT "person_has_a_name" CHECK ("tieout"."people"."name" ~ '\S'),
	CONSTRAINT "person_has_an_email" CHECK ("tieout"."people"."email" ~ '^[^@\s]+@[^@\s]+$'),
	CONSTRAINT "person_has_known_roles" CHECK (cardinality("tieout"."people"."roles") > 0 and "tieout"."people"."roles" <@ '{viewer,accountant,controller,auditor,admin}'::text[]),
	CONSTRAINT "person_state_is_known" CHECK ("tieout"."people"."state" in ('invited', 'active', 'suspended')),
	CONSTRAINT "suspended_person_says_when" CHECK (("tieout"."people"."state" = 'suspended') = ("tieout"."people"."suspended_at" is not null)),
	CONSTRAINT "limited_person_has_accounts" CHECK ("tieout"."people"."account_ids" is null or cardinality("tieout"."people"."account_ids") > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"person_id" bigint NOT NULL,
	"method" text NOT NULL,
	"vouched_by" text,
	"opened_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_seen_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "session_token_hash_is_sha256" CHECK (length("tieout"."sessions"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tieout"."sign_in_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."sign_in_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"address" text NOT NULL,
	"method" text NOT NULL,
	"succeeded" boolean NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."sign_in_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"person_id" bigint,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "link_token_hash_is_sha256" CHECK (length("tieout"."sign_in_links"."token_hash") = 32),
	CONSTRAINT "link_purpose_is_known" CHECK ("tieout"."sign_in_links"."purpose" in ('first_person', 'invitation', 'sign_in')),
	CONSTRAINT "link_has_its_person" CHECK (("tieout"."sign_in_links"."purpose" = 'first_person') = ("tieout"."sign_in_links"."person_id" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."carried_discrepancies" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."carried_discrepancies_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"month" text NOT NULL,
	"discrepancy_id" bigint NOT NULL,
	"owner" text NOT NULL,
	"reason" text NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "carried_with_owner_and_reason" CHECK ("tieout"."carried_discrepancies"."owner" <> '' and "tieout"."carried_discrepancies"."reason" <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."period_events" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."period_events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"month" text NOT NULL,
	"zone" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"to_at" timestamp with time zone NOT NULL,
	"event" text NOT NULL,
	"actor" text NOT NULL,
	"actor_name" text NOT NULL,
	"vouched_by" text,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"known_at" timestamp with time zone,
	"pack_sha256" "bytea",
	"checklist" jsonb,
	"accepted" jsonb,
	"changes" jsonb,
	"reason" text,
	"request_id" text,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "period_event_is_known" CHECK ("tieout"."period_events"."event" in ('prepared', 'lapsed', 'approved', 'reopen_asked', 'reopened')),
	CONSTRAINT "period_event_has_a_name" CHECK ("tieout"."period_events"."actor" <> '' and "tieout"."period_events"."actor_name" <> ''),
	CONSTRAINT "signature_is_pinned" CHECK ("tieout"."period_events"."event" not in ('prepared', 'approved')
        or "tieout"."period_events"."known_at" is not null and length("tieout"."period_events"."pack_sha256") = 32),
	CONSTRAINT "preparation_has_a_checklist" CHECK (("tieout"."period_events"."event" = 'prepared') = ("tieout"."period_events"."checklist" is not null and "tieout"."period_events"."accepted" is not null)),
	CONSTRAINT "reopening_has_a_reason" CHECK ("tieout"."period_events"."event" not in ('reopen_asked', 'reopened') or coalesce("tieout"."period_events"."reason", '') <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."periods" (
	"account_id" integer NOT NULL,
	"month" text NOT NULL,
	"zone" text NOT NULL,
	"from_at" timestamp with time zone NOT NULL,
	"to_at" timestamp with time zone NOT NULL,
	"state" text NOT NULL,
	"known_at" timestamp with time zone,
	"pack_sha256" "bytea",
	"prepared_by" text,
	"prepared_by_name" text,
	"prepared_at" timestamp with time zone,
	"closed_by" text,
	"closed_by_name" text,
	"closed_at" timestamp with time zone,
	"reopen_asked_by" text,
	"reopen_asked_by_name" text,
	"last_event_id" bigint NOT NULL,
	CONSTRAINT "period_is_kept_once" PRIMARY KEY("account_id","month"),
	CONSTRAINT "period_month_is_a_month" CHECK ("tieout"."periods"."month" ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
	CONSTRAINT "period_has_a_length" CHECK ("tieout"."periods"."from_at" < "tieout"."periods"."to_at"),
	CONSTRAINT "period_state_is_known" CHECK ("tieout"."periods"."state" in ('open', 'prepared', 'closed', 'reopened')),
	CONSTRAINT "signed_period_is_pinned" CHECK ("tieout"."periods"."state" in ('open', 'reopened')
        or "tieout"."periods"."known_at" is not null and "tieout"."periods"."pack_sha256" is not null and "tieout"."periods"."prepared_by" is not null),
	CONSTRAINT "closed_period_is_approved" CHECK (("tieout"."periods"."state" = 'closed') = ("tieout"."periods"."closed_by" is not null)),
	CONSTRAINT "two_people_close_a_period" CHECK ("tieout"."periods"."closed_by" <> "tieout"."periods"."prepared_by")
);
--> statement-breakpoint
CREATE TABLE "tieout"."provider_settings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."provider_settings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	CONSTRAINT "setting_kind_is_known" CHECK ("tieout"."provider_settings"."kind" in ('profile', 'status_map', 'alias', 'provider_name', 'category', 'tolerance', 'calendar', 'exclusion', 'receipts')),
	CONSTRAINT "setting_versions_count_from_1" CHECK ("tieout"."provider_settings"."version" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."quote_asks" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."quote_asks_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"asked_at" timestamp with time zone NOT NULL,
	"transaction_type" text NOT NULL,
	"source_currency" text NOT NULL,
	"target_currency" text NOT NULL,
	"amount" numeric NOT NULL,
	"payment_method" text,
	"country" text,
	"took_ms" integer NOT NULL,
	"error" text,
	CONSTRAINT "ask_is_to_buy_or_to_sell" CHECK ("tieout"."quote_asks"."transaction_type" in ('buy', 'sell')),
	CONSTRAINT "ask_has_an_amount" CHECK ("tieout"."quote_asks"."amount" > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."quotes" (
	"account_id" integer NOT NULL,
	"ask_id" bigint NOT NULL,
	"provider" text NOT NULL,
	"payout" numeric,
	"rate" numeric,
	"network_fee" numeric,
	"transaction_fee" numeric,
	"refusal" text,
	CONSTRAINT "provider_answers_once" PRIMARY KEY("account_id","ask_id","provider"),
	CONSTRAINT "quote_pays_or_says_why_not" CHECK (("tieout"."quotes"."payout" > 0) is true or "tieout"."quotes"."refusal" is not null)
);
--> statement-breakpoint
CREATE TABLE "tieout"."rates" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."rates_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"day" date NOT NULL,
	"base" text NOT NULL,
	"quote" text NOT NULL,
	"rate" numeric NOT NULL,
	"source" text NOT NULL,
	"file_name" text NOT NULL,
	"sha256" "bytea" NOT NULL,
	"imported_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"imported_by" text NOT NULL,
	CONSTRAINT "rate_is_positive" CHECK ("tieout"."rates"."rate" > 0),
	CONSTRAINT "rate_is_between_two_currencies" CHECK ("tieout"."rates"."base" <> "tieout"."rates"."quote")
);
--> statement-breakpoint
CREATE TABLE "tieout"."reader_roles" (
	"role_name" text PRIMARY KEY NOT NULL,
	"account_ids" integer[],
	"wallets" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_by" text NOT NULL,
	CONSTRAINT "reader_role_has_its_form" CHECK ("tieout"."reader_roles"."role_name" ~ '^tieout_reader_[a-z][a-z0-9_]{0,40}$'),
	CONSTRAINT "limited_reader_has_accounts" CHECK ("tieout"."reader_roles"."account_ids" is null or cardinality("tieout"."reader_roles"."account_ids") > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_file_bytes" (
	"file_id" bigint NOT NULL,
	"part" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "receipt_part_is_kept_once" PRIMARY KEY("file_id","part")
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_files" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."receipt_files_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"file_name" text NOT NULL,
	"sha256" "bytea" NOT NULL,
	"byte_count" bigint NOT NULL,
	"format" text NOT NULL,
	"profile" jsonb,
	"encoding" text NOT NULL,
	"parser_version" integer NOT NULL,
	"bank_account" text,
	"given" jsonb NOT NULL,
	"state" text DEFAULT 'imported' NOT NULL,
	"balances" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"period_from" date,
	"period_to" date,
	"rows_of_file" integer NOT NULL,
	"rows_other" integer NOT NULL,
	"rows_read" integer NOT NULL,
	"rows_accepted" integer NOT NULL,
	"rows_restated" integer NOT NULL,
	"rows_duplicate" integer NOT NULL,
	"rows_rejected" integer NOT NULL,
	"made_at" timestamp with time zone NOT NULL,
	"imported_at" timestamp with time zone NOT NULL,
	"imported_by" text NOT NULL,
	"accepted_codes" text[],
	"accepted_reason" text,
	"withdrawn_at" timestamp with time zone,
	"withdrawn_by" text,
	"withdrawn_reason" text,
	CONSTRAINT "receipt_sha256_is_sha256" CHECK (length("tieout"."receipt_files"."sha256") = 32),
	CONSTRAINT "receipt_file_state_is_known" CHECK ("tieout"."receipt_files"."state" in ('imported', 'withdrawn')),
	CONSTRAINT "receipt_format_is_known" CHECK ("tieout"."receipt_files"."format" in ('camt053', 'mt940', 'bai2', 'ofx', 'csv', 'chain_csv')),
	CONSTRAINT "withdrawn_receipts_say_when_who_and_why" CHECK (("tieout"."receipt_files"."state" = 'withdrawn') = ("tieout"."receipt_files"."withdrawn_at" is not null)
        and ("tieout"."receipt_files"."withdrawn_at" is null) = ("tieout"."receipt_files"."withdrawn_by" is null)
        and ("tieout"."receipt_files"."withdrawn_at" is null) = ("tieout"."receipt_files"."withdrawn_reason" is null)),
	CONSTRAINT "receipt_rows_are_all_accounted_for" CHECK ("tieout"."receipt_files"."rows_read" = "tieout"."receipt_files"."rows_accepted" + "tieout"."receipt_files"."rows_duplicate" + "tieout"."receipt_files"."rows_rejected"
        and "tieout"."receipt_files"."rows_of_file" = "tieout"."receipt_files"."rows_other" + "tieout"."receipt_files"."rows_read"
        and "tieout"."receipt_files"."rows_restated" <= "tieout"."receipt_files"."rows_accepted"),
	CONSTRAINT "receipts_accepted_have_a_reason" CHECK (("tieout"."receipt_files"."accepted_codes" is null) = ("tieout"."receipt_files"."accepted_reason" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_lines" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."receipt_lines_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"line_key" text NOT NULL,
	"occurrence" integer NOT NULL,
	"version" integer NOT NULL,
	"content_hash" "bytea" NOT NULL,
	"file_id" bigint NOT NULL,
	"row_no" integer NOT NULL,
	"imported_at" timestamp with time zone NOT NULL,
	"bank_account" text NOT NULL,
	"value_date" date NOT NULL,
	"booking_date" date,
	"effective_at" timestamp with time zone NOT NULL,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"direction" text NOT NULL,
	"is_reversal" boolean NOT NULL,
	"reference" text,
	"end_to_end_id" text,
	"bank_reference" text,
	"hash" text,
	"remittance" text,
	"counterparty" text,
	"charges" numeric NOT NULL,
	"original_amount" numeric,
	"original_currency" text,
	"keys" text[] NOT NULL,
	CONSTRAINT "receipt_line_version_is_kept_once" UNIQUE("account_id","line_key","occurrence","version"),
	CONSTRAINT "receipt_content_hash_is_sha256" CHECK (length("tieout"."receipt_lines"."content_hash") = 32),
	CONSTRAINT "receipt_direction_is_known" CHECK ("tieout"."receipt_lines"."direction" in ('credit', 'debit')),
	CONSTRAINT "receipt_amount_is_not_negative" CHECK ("tieout"."receipt_lines"."amount" >= 0 and "tieout"."receipt_lines"."charges" >= 0),
	CONSTRAINT "original_amount_names_its_currency" CHECK (("tieout"."receipt_lines"."original_amount" is null) = ("tieout"."receipt_lines"."original_currency" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_matches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."receipt_matches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"receipt_line_id" bigint NOT NULL,
	"payout_id" bigint NOT NULL,
	"rule" text NOT NULL,
	"key" text,
	"amount" numeric NOT NULL,
	"currency" text NOT NULL,
	"bank_fee" numeric NOT NULL,
	"rounding" numeric NOT NULL,
	"state" text NOT NULL,
	"made_by" text NOT NULL,
	"reason" text,
	"effective_at" timestamp with time zone NOT NULL,
	"matched_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"ended_by" text,
	"ended_reason" text,
	"barred" boolean DEFAULT false NOT NULL,
	CONSTRAINT "receipt_match_rule_is_known" CHECK ("tieout"."receipt_matches"."rule" in ('reference', 'end_to_end_id', 'hash', 'person')),
	CONSTRAINT "receipt_match_state_is_known" CHECK ("tieout"."receipt_matches"."state" in ('active', 'ended')),
	CONSTRAINT "receipt_match_by_person_has_a_reason" CHECK ("tieout"."receipt_matches"."rule" <> 'person' or "tieout"."receipt_matches"."reason" is not null),
	CONSTRAINT "ended_receipt_match_says_when_who_and_why" CHECK (("tieout"."receipt_matches"."state" = 'ended') = ("tieout"."receipt_matches"."ended_at" is not null)
        and ("tieout"."receipt_matches"."ended_at" is null) = ("tieout"."receipt_matches"."ended_by" is null)
        and ("tieout"."receipt_matches"."ended_at" is null) = ("tieout"."receipt_matches"."ended_reason" is null)),
	CONSTRAINT "only_an_ended_receipt_match_is_barred" CHECK ("tieout"."receipt_matches"."state" = 'ended' or not "tieout"."receipt_matches"."barred")
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_retirements" (
	"line_id" bigint NOT NULL,
	"retired_at" timestamp with time zone NOT NULL,
	"restored_at" timestamp with time zone,
	"reason" text NOT NULL,
	"file_id" bigint NOT NULL,
	CONSTRAINT "receipt_retires_once_at_a_time" PRIMARY KEY("line_id","retired_at"),
	CONSTRAINT "receipt_retirement_reason_is_known" CHECK ("tieout"."receipt_retirements"."reason" in ('superseded', 'withdrawn')),
	CONSTRAINT "receipt_retirement_ends_after_it_begins" CHECK ("tieout"."receipt_retirements"."restored_at" >= "tieout"."receipt_retirements"."retired_at")
);
--> statement-breakpoint
CREATE TABLE "tieout"."receipt_rows" (
	"file_id" bigint NOT NULL,
	"row_no" integer NOT NULL,
	"line_no" integer NOT NULL,
	"outcome" text NOT NULL,
	"code" text,
	"field" text,
	"reason" text,
	"original_text" text NOT NULL,
	"line_id" bigint,
	CONSTRAINT "receipt_row_has_one_outcome" PRIMARY KEY("file_id","row_no"),
	CONSTRAINT "receipt_row_outcome_is_known" CHECK ("tieout"."receipt_rows"."outcome" in ('preamble', 'header', 'blank', 'skipped', 'trailer', 'accepted', 'duplicate', 'rejected')),
	CONSTRAINT "rejected_receipt_row_has_a_code_and_a_reason" CHECK ("tieout"."receipt_rows"."outcome" <> 'rejected' or ("tieout"."receipt_rows"."code" is not null and "tieout"."receipt_rows"."reason" is not null)),
	CONSTRAINT "receipt_row_taken_in_names_its_line" CHECK (("tieout"."receipt_rows"."outcome" in ('accepted', 'duplicate')) = ("tieout"."receipt_rows"."line_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."currency_words" (
	"word" text PRIMARY KEY NOT NULL,
	"is_fiat" boolean NOT NULL,
	"code" text NOT NULL,
	"network" text,
	"places" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."odd_histories" (
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	CONSTRAINT "odd_history_is_kept_once" PRIMARY KEY("account_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."shared_hashes" (
	"account_id" integer NOT NULL,
	"transaction_hash" text NOT NULL,
	CONSTRAINT "shared_hash_is_kept_once" PRIMARY KEY("account_id","transaction_hash")
);
--> statement-breakpoint
CREATE TABLE "tieout"."due_dates" (
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"currency" text,
	"period_from" timestamp with time zone NOT NULL,
	"period_to" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"known_from" timestamp with time zone NOT NULL,
	"known_to" timestamp with time zone,
	CONSTRAINT "period_is_not_empty" CHECK ("tieout"."due_dates"."period_from" < "tieout"."due_dates"."period_to")
);
--> statement-breakpoint
CREATE TABLE "tieout"."matches" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."matches_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"transaction_id" text NOT NULL,
	"record_hash" "bytea" NOT NULL,
	"line_id" bigint NOT NULL,
	"part_no" smallint DEFAULT 0 NOT NULL,
	"part_amount" numeric,
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
	CONSTRAINT "match_role_is_known" CHECK ("tieout"."matches"."role" in ('settles', 'relates')),
	CONSTRAINT "match_rule_is_known" CHECK ("tieout"."matches"."rule" in ('provider_id', 'our_reference', 'hash', 'suggested', 'person')),
	CONSTRAINT "match_state_is_known" CHECK ("tieout"."matches"."state" in ('active', 'suggested', 'ended')),
	CONSTRAINT "a_suggestion_is_never_active" CHECK ("tieout"."matches"."rule" <> 'suggested' or "tieout"."matches"."state" <> 'active'),
	CONSTRAINT "a_person_gives_a_reason" CHECK ("tieout"."matches"."rule" <> 'person' or "tieout"."matches"."reason" is not null),
	CONSTRAINT "ended_match_says_when_who_and_why" CHECK (("tieout"."matches"."state" = 'ended') = ("tieout"."matches"."ended_at" is not null)
        and ("tieout"."matches"."ended_at" is null) = ("tieout"."matches"."ended_by" is null)
        and ("tieout"."matches"."ended_at" is null) = ("tieout"."matches"."ended_reason" is null)),
	CONSTRAINT "only_an_ended_match_bars_its_pair" CHECK ("tieout"."matches"."state" = 'ended' or not "tieout"."matches"."barred"),
	CONSTRAINT "difference_name_is_known" CHECK ("tieout"."matches"."difference_name" in ('rounding', 'fee', 'quote_drift', 'other')),
	CONSTRAINT "a_part_is_positive" CHECK ("tieout"."matches"."part_amount" > 0),
	CONSTRAINT "only_a_part_has_a_number" CHECK ("tieout"."matches"."part_no" = 0 or "tieout"."matches"."part_no" > 0 and "tieout"."matches"."part_amount" is not null),
	CONSTRAINT "a_person_splits" CHECK ("tieout"."matches"."part_amount" is null or "tieout"."matches"."rule" = 'person')
);
--> statement-breakpoint
CREATE TABLE "tieout"."payout_history" (
	"payout_id" bigint NOT NULL,
	"payout_date" timestamp with time zone,
	"last_line_at" timestamp with time zone,
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
	"known_from" timestamp with time zone NOT NULL,
	"known_to" timestamp with time zone NOT NULL,
	CONSTRAINT "payout_is_known_once_at_a_time" PRIMARY KEY("payout_id","known_from"),
	CONSTRAINT "payout_is_known_for_a_while" CHECK ("tieout"."payout_history"."known_from" < "tieout"."payout_history"."known_to")
);
--> statement-breakpoint
CREATE TABLE "tieout"."payouts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."payouts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"payout_ref" text NOT NULL,
	"currency" text NOT NULL,
	"payout_date" timestamp with time zone,
	"last_line_at" timestamp with time zone,
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
	CONSTRAINT "payout_status_is_known" CHECK ("tieout"."payouts"."status" in ('tied', 'not_tied', 'undeclared')),
	CONSTRAINT "undeclared_payout_has_no_declared_net" CHECK (("tieout"."payouts"."status" = 'undeclared') = ("tieout"."payouts"."net_declared" is null)),
	CONSTRAINT "payout_difference_is_declared_less_computed" CHECK ("tieout"."payouts"."difference" = "tieout"."payouts"."net_declared" - "tieout"."payouts"."net_computed"),
	CONSTRAINT "payout_waterfall_adds_up" CHECK ("tieout"."payouts"."net_computed" = "tieout"."payouts"."gross" - "tieout"."payouts"."fees" - "tieout"."payouts"."refunds" - "tieout"."payouts"."chargebacks"
        + "tieout"."payouts"."chargeback_reversals" + "tieout"."payouts"."commissions" + "tieout"."payouts"."adjustments" + "tieout"."payouts"."reserves")
);
--> statement-breakpoint
CREATE TABLE "tieout"."reconcile_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."reconcile_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"known_at" timestamp with time zone NOT NULL,
	"as_at" timestamp with time zone NOT NULL,
	"covered" "tstzmultirange" DEFAULT '{}' NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"counts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "run_kind_is_known" CHECK ("tieout"."reconcile_runs"."kind" in ('full', 'incremental'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"person_id" bigint NOT NULL,
	"name" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkey_has_a_name" CHECK ("tieout"."passkeys"."name" ~ '\S')
);
--> statement-breakpoint
CREATE TABLE "tieout"."person_identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"person_id" bigint NOT NULL,
	"linked_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "identity_is_of_one_person" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "tieout"."sign_in_states" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"method" text NOT NULL,
	"asked" jsonb NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."statement_files" (
	"statement_id" bigint NOT NULL,
	"part" integer NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "file_part_is_kept_once" PRIMARY KEY("statement_id","part"),
	CONSTRAINT "file_parts_count_from_1" CHECK ("tieout"."statement_files"."part" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tieout"."statement_lines" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."statement_lines_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	"rate_applies_to" text,
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
	CONSTRAINT "content_hash_is_sha256" CHECK (length("tieout"."statement_lines"."content_hash") = 32),
	CONSTRAINT "occurrences_count_from_1" CHECK ("tieout"."statement_lines"."occurrence" >= 1 and "tieout"."statement_lines"."version" >= 1),
	CONSTRAINT "line_type_is_known" CHECK ("tieout"."statement_lines"."line_type" in ('charge', 'refund', 'chargeback', 'chargeback_reversal', 'fee', 'commission', 'adjustment', 'reserve', 'payout', 'balance', 'commission_total')),
	CONSTRAINT "line_side_is_known" CHECK ("tieout"."statement_lines"."side" in ('buy', 'sell')),
	CONSTRAINT "line_status_is_known" CHECK ("tieout"."statement_lines"."status" in ('created', 'awaiting_payment', 'processing', 'captured', 'delivering', 'settled', 'canceled', 'expired', 'failed', 'on_hold', 'refunded', 'charged_back', 'unknown')),
	CONSTRAINT "rate_basis_is_known" CHECK ("tieout"."statement_lines"."rate_basis" in ('crypto_per_fiat', 'fiat_per_crypto', 'payout_per_line', 'line_per_payout')
        and "tieout"."statement_lines"."rate_applies_to" in ('net', 'gross', 'market')),
	CONSTRAINT "money_names_its_currency" CHECK (("tieout"."statement_lines"."net_currency" is not null or "tieout"."statement_lines"."net_amount" = 0)
        and ("tieout"."statement_lines"."fiat_currency" is not null or ("tieout"."statement_lines"."fiat_gross" is null and "tieout"."statement_lines"."fiat_net" is null))
        and ("tieout"."statement_lines"."asset" is not null or "tieout"."statement_lines"."crypto_amount" is null))
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
	CONSTRAINT "row_outcome_is_known" CHECK ("tieout"."statement_rows"."outcome" in ('preamble', 'header', 'blank', 'skipped', 'trailer', 'accepted', 'duplicate', 'rejected')),
	CONSTRAINT "rejected_row_has_a_code_and_a_reason" CHECK ("tieout"."statement_rows"."outcome" <> 'rejected' or ("tieout"."statement_rows"."code" is not null and "tieout"."statement_rows"."reason" is not null)),
	CONSTRAINT "row_taken_in_names_its_line" CHECK (("tieout"."statement_rows"."outcome" in ('accepted', 'duplicate')) = ("tieout"."statement_rows"."line_id" is not null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."statements" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."statements_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	"made_at" timestamp with time zone GENERATED ALWAYS AS (case when generated_at_from in ('rows', 'import') then imported_at else generated_at end) STORED NOT NULL,
	"imported_by" text NOT NULL,
	"accepted_codes" text[],
	"accepted_reason" text,
	"replaces_id" bigint,
	"withdrawn_at" timestamp with time zone,
	"withdrawn_by" text,
	"withdrawn_reason" text,
	CONSTRAINT "statement_sha256_is_sha256" CHECK (length("tieout"."statements"."sha256") = 32),
	CONSTRAINT "statement_state_is_known" CHECK ("tieout"."statements"."state" in ('imported', 'withdrawn')),
	CONSTRAINT "statement_period_is_not_empty" CHECK (("tieout"."statements"."period_from" is null) = ("tieout"."statements"."period_to" is null) and "tieout"."statements"."period_from" < "tieout"."statements"."period_to"),
	CONSTRAINT "statement_period_basis_is_known" CHECK ("tieout"."statements"."period_basis" in ('activity', 'settlement', 'summary')),
	CONSTRAINT "generated_at_comes_from_somewhere" CHECK ("tieout"."statements"."generated_at_from" in ('command', 'file', 'file_name', 'rows', 'import')),
	CONSTRAINT "withdrawn_statement_says_when_who_and_why" CHECK (("tieout"."statements"."state" = 'withdrawn') = ("tieout"."statements"."withdrawn_at" is not null)
        and ("tieout"."statements"."withdrawn_at" is null) = ("tieout"."statements"."withdrawn_by" is null)
        and ("tieout"."statements"."withdrawn_at" is null) = ("tieout"."statements"."withdrawn_reason" is null)),
	CONSTRAINT "rows_read_are_all_accounted_for" CHECK ("tieout"."statements"."rows_read" = "tieout"."statements"."rows_accepted" + "tieout"."statements"."rows_duplicate" + "tieout"."statements"."rows_rejected"
        and "tieout"."statements"."rows_restated" <= "tieout"."statements"."rows_accepted"),
	CONSTRAINT "rows_of_file_are_all_accounted_for" CHECK ("tieout"."statements"."rows_of_file" = "tieout"."statements"."preamble_rows" + "tieout"."statements"."header_rows" + "tieout"."statements"."blank_rows" + "tieout"."statements"."skipped_rows"
        + "tieout"."statements"."trailer_rows" + "tieout"."statements"."rows_read"),
	CONSTRAINT "what_was_accepted_has_a_reason" CHECK (("tieout"."statements"."accepted_codes" is null) = ("tieout"."statements"."accepted_reason" is null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."deep_read_seen" (
	"window_id" bigint NOT NULL,
	"transaction_id" text NOT NULL,
	CONSTRAINT "deep_read_seen_window_id_transaction_id_pk" PRIMARY KEY("window_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."sync_findings" (
	"window_id" bigint NOT NULL,
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	"finding" text NOT NULL,
	"found_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "sync_findings_window_id_transaction_id_finding_pk" PRIMARY KEY("window_id","transaction_id","finding"),
	CONSTRAINT "finding_is_known" CHECK ("tieout"."sync_findings"."finding" in ('appeared', 'changed', 'vanished', 'returned'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."sync_windows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."sync_windows_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"kind" text NOT NULL,
	"level" smallint DEFAULT 0 NOT NULL,
	"range_from" timestamp with time zone NOT NULL,
	"range_to" timestamp with time zone NOT NULL,
	"state" text DEFAULT 'planned' NOT NULL,
	"parent_id" bigint,
	"cursor" text,
	"fence" bigint DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"worker" text,
	"not_before" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"restarts" integer DEFAULT 0 NOT NULL,
	"error_code" text,
	"error" text,
	"pages" integer DEFAULT 0 NOT NULL,
	"read" integer DEFAULT 0 NOT NULL,
	"added" integer DEFAULT 0 NOT NULL,
	"quarantined" integer DEFAULT 0 NOT NULL,
	"vanished" integer DEFAULT 0 NOT NULL,
	"digest" bit(256) DEFAULT 0::bit(256) NOT NULL,
	"ended_by" text,
	"planned_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"started_at" timestamp with time zone,
	"sealed_at" timestamp with time zone,
	CONSTRAINT "window_is_not_empty" CHECK ("tieout"."sync_windows"."range_from" < "tieout"."sync_windows"."range_to"),
	CONSTRAINT "window_kind_is_known" CHECK ("tieout"."sync_windows"."kind" in ('live', 'backfill', 'lookback', 'deep', 'refresh', 'event')),
	CONSTRAINT "window_state_is_known" CHECK ("tieout"."sync_windows"."state" in ('planned', 'walking', 'sealed', 'split', 'failed')),
	CONSTRAINT "walking_window_is_leased" CHECK ("tieout"."sync_windows"."state" <> 'walking' or "tieout"."sync_windows"."lease_until" is not null),
	CONSTRAINT "sealed_window_has_ended" CHECK (("tieout"."sync_windows"."state" = 'sealed') = ("tieout"."sync_windows"."sealed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "tieout"."account_providers" (
	"account_id" integer NOT NULL,
	"provider" text NOT NULL,
	"settled_to" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	"accused_to" timestamp with time zone DEFAULT '-infinity' NOT NULL,
	CONSTRAINT "provider_is_noted_once" PRIMARY KEY("account_id","provider")
);
--> statement-breakpoint
CREATE TABLE "tieout"."quarantined_records" (
	"account_id" integer NOT NULL,
	"raw_hash" "bytea" NOT NULL,
	"raw" text NOT NULL,
	"reason" text NOT NULL,
	"field" text,
	"window_id" bigint NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "quarantined_record_is_kept_once" PRIMARY KEY("account_id","raw_hash")
);
--> statement-breakpoint
CREATE TABLE "tieout"."transaction_keys" (
	"account_id" integer NOT NULL,
	"month" date NOT NULL,
	"name_hash" bigint GENERATED ALWAYS AS ((hashtext("left"(key, 8))::bigint << 32) | (hashtextextended(kind || key, account_id) & 4294967295)) STORED NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"transaction_id" text NOT NULL,
	CONSTRAINT "key_kind_is_known" CHECK ("tieout"."transaction_keys"."kind" in ('provider_id', 'reference', 'hash', 'wallet'))
) PARTITION BY RANGE ("month");
--> statement-breakpoint
CREATE TABLE "tieout"."transaction_statuses" (
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	"hash_version" smallint NOT NULL,
	"transaction_type" text,
	"provider" text,
	"provider_transaction_id" text,
	"payment_method" text,
	"country" text,
	"source_currency" text,
	"in_amount" numeric,
	"target_currency" text,
	"wallet_address" text,
	"api_key" text,
	"extra" jsonb,
	"out_amount" numeric,
	"transaction_hash" text,
	"record_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"status_rank" smallint NOT NULL,
	"status_date" timestamp with time zone NOT NULL,
	"received_status" text,
	"window_id" bigint NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "status_row_is_kept_once" PRIMARY KEY("account_id","status_date","record_hash"),
	CONSTRAINT "record_hash_is_sha256" CHECK (length("tieout"."transaction_statuses"."record_hash") = 32)
) PARTITION BY RANGE ("status_date");
--> statement-breakpoint
CREATE TABLE "tieout"."transactions" (
	"first_seen_at" timestamp with time zone NOT NULL,
	"missing_since" timestamp with time zone,
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	"hash_version" smallint NOT NULL,
	"transaction_type" text,
	"provider" text,
	"provider_transaction_id" text,
	"payment_method" text,
	"country" text,
	"source_currency" text,
	"in_amount" numeric,
	"target_currency" text,
	"wallet_address" text,
	"api_key" text,
	"extra" jsonb,
	"out_amount" numeric,
	"transaction_hash" text,
	"record_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"status_rank" smallint NOT NULL,
	"status_date" timestamp with time zone NOT NULL,
	"is_final" boolean NOT NULL,
	"last_changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "transaction_is_kept_once" PRIMARY KEY("account_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "tieout"."daily_totals" (
	"zone" text NOT NULL,
	"account_id" integer NOT NULL,
	"day" date NOT NULL,
	"provider" text,
	"transaction_type" text,
	"status" text NOT NULL,
	"source_currency" text,
	"class" text,
	"transactions" bigint NOT NULL,
	"in_amount" numeric,
	"latest_status_date" timestamp with time zone NOT NULL,
	CONSTRAINT "totals_class_is_known" CHECK ("tieout"."daily_totals"."class" in ('matched', 'pending', 'discrepant', 'excluded'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."daily_totals_progress" (
	"zone" text PRIMARY KEY NOT NULL,
	"added_up_to" timestamp with time zone NOT NULL,
	"added_up_at" timestamp with time zone NOT NULL,
	"asked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."attachments" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."attachments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"account_id" integer NOT NULL,
	"discrepancy_id" bigint NOT NULL,
	"file_name" text NOT NULL,
	"kind" text NOT NULL,
	"byte_count" integer NOT NULL,
	"sha256" "bytea" NOT NULL,
	"content" "bytea" NOT NULL,
	"added_by" text NOT NULL,
	"added_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "attachment_kind_is_known" CHECK ("tieout"."attachments"."kind" in ('pdf', 'png', 'jpeg', 'zip', 'text')),
	CONSTRAINT "attachment_is_small" CHECK ("tieout"."attachments"."byte_count" between 1 and 5242880 and length("tieout"."attachments"."content") = "tieout"."attachments"."byte_count"),
	CONSTRAINT "attachment_hash_is_sha256" CHECK (length("tieout"."attachments"."sha256") = 32)
);
--> statement-breakpoint
CREATE TABLE "tieout"."saved_views" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."saved_views_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" text NOT NULL,
	"screen" text NOT NULL,
	"query" text NOT NULL,
	"account_ids" integer[],
	"saved_by" text NOT NULL,
	"saved_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"removed_at" timestamp with time zone,
	CONSTRAINT "view_has_a_name" CHECK (length("tieout"."saved_views"."name") between 1 and 80),
	CONSTRAINT "view_is_of_a_screen" CHECK ("tieout"."saved_views"."screen" ~ '^/[a-z/]+$' and length("tieout"."saved_views"."query") <= 2000)
);
--> statement-breakpoint
ALTER TABLE "tieout"."account_settings" ADD CONSTRAINT "account_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."api_keys" ADD CONSTRAINT "api_keys_owner_id_people_id_fk" FOREIGN KEY ("owner_id") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."api_keys" ADD CONSTRAINT "api_keys_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "tieout"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."approval_events" ADD CONSTRAINT "approval_events_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "tieout"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD CONSTRAINT "approvals_proposed_by_people_id_fk" FOREIGN KEY ("proposed_by") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."approvals" ADD CONSTRAINT "approvals_decided_by_people_id_fk" FOREIGN KEY ("decided_by") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."assets" ADD CONSTRAINT "assets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."fiats" ADD CONSTRAINT "fiats_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."payment_types" ADD CONSTRAINT "payment_types_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."providers" ADD CONSTRAINT "providers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."erased_subjects" ADD CONSTRAINT "erased_subjects_erasure_id_erasures_id_fk" FOREIGN KEY ("erasure_id") REFERENCES "tieout"."erasures"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."erasure_requests" ADD CONSTRAINT "erasure_requests_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "tieout"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."erasure_seals" ADD CONSTRAINT "erasure_seals_erasure_id_erasures_id_fk" FOREIGN KEY ("erasure_id") REFERENCES "tieout"."erasures"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."erasures" ADD CONSTRAINT "erasures_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."erasures" ADD CONSTRAINT "erasures_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "tieout"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."forgotten_files" ADD CONSTRAINT "forgotten_files_statement_id_statements_id_fk" FOREIGN KEY ("statement_id") REFERENCES "tieout"."statements"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."fee_schedules" ADD CONSTRAINT "fee_schedules_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."fee_terms" ADD CONSTRAINT "fee_terms_schedule_id_fee_schedules_id_fk" FOREIGN KEY ("schedule_id") REFERENCES "tieout"."fee_schedules"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."decisions" ADD CONSTRAINT "decisions_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "tieout"."approvals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."upstream_events" ADD CONSTRAINT "upstream_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."webhook_deliveries" ADD CONSTRAINT "delivery_has_an_endpoint" FOREIGN KEY ("endpoint_id") REFERENCES "tieout"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."sessions" ADD CONSTRAINT "sessions_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."sign_in_links" ADD CONSTRAINT "sign_in_links_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."carried_discrepancies" ADD CONSTRAINT "carried_discrepancies_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."period_events" ADD CONSTRAINT "period_events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."periods" ADD CONSTRAINT "periods_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."provider_settings" ADD CONSTRAINT "provider_settings_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."quote_asks" ADD CONSTRAINT "quote_asks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."quotes" ADD CONSTRAINT "quotes_ask_id_quote_asks_id_fk" FOREIGN KEY ("ask_id") REFERENCES "tieout"."quote_asks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."receipt_files" ADD CONSTRAINT "receipt_files_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."reconcile_runs" ADD CONSTRAINT "reconcile_runs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."passkeys" ADD CONSTRAINT "passkeys_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."person_identities" ADD CONSTRAINT "person_identities_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "tieout"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."statement_files" ADD CONSTRAINT "statement_files_statement_id_statements_id_fk" FOREIGN KEY ("statement_id") REFERENCES "tieout"."statements"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."statements" ADD CONSTRAINT "statements_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tieout"."sync_windows" ADD CONSTRAINT "sync_windows_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_is_open_once" ON "tieout"."alerts" USING btree ("rule_id","subject") WHERE cleared_at is null;--> statement-breakpoint
CREATE INDEX "alerts_by_time" ON "tieout"."alerts" USING btree ("raised_at","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "tieout"."idempotency_keys" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "events_of_approval" ON "tieout"."approval_events" USING btree ("approval_id");--> statement-breakpoint
CREATE UNIQUE INDEX "one_proposal_waits_at_a_time" ON "tieout"."approvals" USING btree ("kind","subject") WHERE state = 'proposed';--> statement-breakpoint
CREATE INDEX "approvals_by_state" ON "tieout"."approvals" USING btree ("state","id");--> statement-breakpoint
CREATE INDEX "seals_by_row" ON "tieout"."erasure_seals" USING btree ("relation","row_key");--> statement-breakpoint
CREATE INDEX "erasures_by_transaction" ON "tieout"."erasures" USING btree ("made_in");--> statement-breakpoint
CREATE INDEX "exports_by_age" ON "tieout"."exports" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "exports_unfinished" ON "tieout"."exports" USING btree ("created_at") WHERE state in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "fee_terms_of_schedule" ON "tieout"."fee_terms" USING btree ("schedule_id");--> statement-breakpoint
CREATE INDEX "decisions_by_fingerprint" ON "tieout"."decisions" USING btree ("fingerprint");--> statement-breakpoint
CREATE UNIQUE INDEX "one_decision_stands_at_a_time" ON "tieout"."decisions" USING btree ("discrepancy_id") WHERE known_to is null;--> statement-breakpoint
CREATE INDEX "open_discrepancies" ON "tieout"."discrepancies" USING btree ("account_id","provider","code") WHERE state in ('open', 'investigating');--> statement-breakpoint
CREATE INDEX "discrepancies_by_transaction" ON "tieout"."discrepancies" USING btree ("account_id","transaction_id") WHERE transaction_id is not null;--> statement-breakpoint
CREATE INDEX "discrepancies_by_line" ON "tieout"."discrepancies" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE INDEX "discrepancies_by_change" ON "tieout"."discrepancies" USING btree ("last_changed_at","id");--> statement-breakpoint
CREATE INDEX "events_of_discrepancy" ON "tieout"."discrepancy_events" USING btree ("discrepancy_id","id");--> statement-breakpoint
CREATE INDEX "events_by_time" ON "tieout"."discrepancy_events" USING btree ("at");--> statement-breakpoint
CREATE UNIQUE INDEX "finding_is_known_once_at_a_time" ON "tieout"."findings" USING btree ("fingerprint","holds_from") WHERE known_to is null;--> statement-breakpoint
CREATE INDEX "findings_of_transaction" ON "tieout"."findings" USING btree ("account_id","transaction_id") WHERE transaction_id is not null;--> statement-breakpoint
CREATE INDEX "findings_of_line" ON "tieout"."findings" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE INDEX "overdue_statements" ON "tieout"."findings" USING btree ("account_id","provider","period_from") WHERE code = 'statement_overdue';--> statement-breakpoint
CREATE INDEX "findings_of_payout" ON "tieout"."findings" USING btree ("account_id","provider","payout_ref") WHERE subject_kind = 'payout';--> statement-breakpoint
CREATE INDEX "findings_of_receipt" ON "tieout"."findings" USING btree ("receipt_line_id") WHERE receipt_line_id is not null;--> statement-breakpoint
CREATE INDEX "findings_of_provider" ON "tieout"."findings" USING btree ("account_id","provider","holds_from");--> statement-breakpoint
CREATE UNIQUE INDEX "line_has_one_carrier_at_a_time" ON "tieout"."line_carriers" USING btree ("line_id") WHERE until_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "line_is_retired_once_at_a_time" ON "tieout"."line_retirements" USING btree ("line_id") WHERE restored_at is null;--> statement-breakpoint
CREATE INDEX "outbox_by_time" ON "tieout"."events" USING brin ("at");--> statement-breakpoint
CREATE INDEX "upstream_events_of_window" ON "tieout"."upstream_events" USING btree ("window_id","transaction_id");--> statement-breakpoint
CREATE INDEX "upstream_events_by_time" ON "tieout"."upstream_events" USING brin ("received_at");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "tieout"."webhook_deliveries" USING btree ("endpoint_id","next_at","event_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_in_order" ON "tieout"."webhook_deliveries" USING btree ("endpoint_id","subject","event_id") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_by_time" ON "tieout"."webhook_deliveries" USING brin ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "email_belongs_to_one_person" ON "tieout"."people" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "sessions_of_person" ON "tieout"."sessions" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "sessions_by_end" ON "tieout"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_of_address" ON "tieout"."sign_in_attempts" USING btree ("address","at");--> statement-breakpoint
CREATE INDEX "sign_in_links_of_person" ON "tieout"."sign_in_links" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "carried_by_period" ON "tieout"."carried_discrepancies" USING btree ("account_id","month","discrepancy_id");--> statement-breakpoint
CREATE INDEX "events_of_period" ON "tieout"."period_events" USING btree ("account_id","month","id");--> statement-breakpoint
CREATE UNIQUE INDEX "period_event_has_one_successor" ON "tieout"."period_events" USING btree ("account_id","month","previous_hash");--> statement-breakpoint
CREATE INDEX "quote_asks_by_time" ON "tieout"."quote_asks" USING btree ("account_id","asked_at");--> statement-breakpoint
CREATE INDEX "rates_by_day" ON "tieout"."rates" USING btree ("base","quote","day","imported_at");--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_file_is_imported_once" ON "tieout"."receipt_files" USING btree ("account_id","sha256") WHERE state = 'imported';--> statement-breakpoint
CREATE INDEX "receipt_files_by_import" ON "tieout"."receipt_files" USING btree ("account_id","imported_at");--> statement-breakpoint
CREATE INDEX "receipt_lines_by_time" ON "tieout"."receipt_lines" USING btree ("account_id","effective_at","id");--> statement-breakpoint
CREATE INDEX "receipt_lines_by_file" ON "tieout"."receipt_lines" USING btree ("file_id","row_no");--> statement-breakpoint
CREATE INDEX "receipt_lines_by_key" ON "tieout"."receipt_lines" USING gin ("keys");--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_settles_a_payout_once" ON "tieout"."receipt_matches" USING btree ("account_id","receipt_line_id","payout_id") WHERE state = 'active';--> statement-breakpoint
CREATE INDEX "receipt_matches_by_line" ON "tieout"."receipt_matches" USING btree ("receipt_line_id");--> statement-breakpoint
CREATE INDEX "receipt_matches_by_payout" ON "tieout"."receipt_matches" USING btree ("payout_id");--> statement-breakpoint
CREATE UNIQUE INDEX "receipt_is_retired_once_at_a_time" ON "tieout"."receipt_retirements" USING btree ("line_id") WHERE restored_at is null;--> statement-breakpoint
CREATE INDEX "receipt_rows_by_line" ON "tieout"."receipt_rows" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "period_is_due_once" ON "tieout"."due_dates" USING btree ("account_id","provider","period_from",coalesce(currency, '')) WHERE known_to is null;--> statement-breakpoint
CREATE INDEX "due_dates_by_provider" ON "tieout"."due_dates" USING btree ("account_id","provider");--> statement-breakpoint
CREATE INDEX "matches_by_transaction" ON "tieout"."matches" USING btree ("account_id","transaction_id");--> statement-breakpoint
CREATE INDEX "matches_by_line" ON "tieout"."matches" USING btree ("line_id");--> statement-breakpoint
CREATE INDEX "suggested_matches" ON "tieout"."matches" USING btree ("line_id") WHERE state = 'suggested';--> statement-breakpoint
CREATE INDEX "matches_by_time" ON "tieout"."matches" USING brin ("matched_at");--> statement-breakpoint
CREATE INDEX "ended_matches_by_time" ON "tieout"."matches" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE INDEX "barred_pairs" ON "tieout"."matches" USING btree ("account_id","transaction_id","line_id") WHERE barred;--> statement-breakpoint
CREATE UNIQUE INDEX "line_is_matched_once" ON "tieout"."matches" USING btree ("line_id","part_no") WHERE state = 'active';--> statement-breakpoint
CREATE INDEX "matches_of_splits" ON "tieout"."matches" USING btree ("line_id","part_no") WHERE part_amount is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "a_split_names_a_transaction_once" ON "tieout"."matches" USING btree ("line_id","transaction_id") WHERE state = 'active' and part_amount is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "transaction_is_settled_once" ON "tieout"."matches" USING btree ("account_id","transaction_id") WHERE state = 'active' and role = 'settles';--> statement-breakpoint
CREATE INDEX "runs_by_provider" ON "tieout"."reconcile_runs" USING btree ("account_id","provider","id");--> statement-breakpoint
CREATE INDEX "passkeys_of_person" ON "tieout"."passkeys" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "identities_of_person" ON "tieout"."person_identities" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "lines_by_statement" ON "tieout"."statement_lines" USING brin ("statement_id");--> statement-breakpoint
CREATE INDEX "lines_by_payout" ON "tieout"."statement_lines" USING btree ("payout_ref","account_id","provider") WHERE payout_ref is not null;--> statement-breakpoint
CREATE INDEX "lines_by_time" ON "tieout"."statement_lines" USING btree ("account_id","provider","effective_at");--> statement-breakpoint
CREATE INDEX "lines_unpaid" ON "tieout"."statement_lines" USING btree ("account_id","provider","effective_at") WHERE payout_ref is null and net_amount <> 0 and line_type <> 'payout';--> statement-breakpoint
CREATE INDEX "payout_lines_by_statement" ON "tieout"."statement_lines" USING btree ("statement_id","net_currency") WHERE line_type = 'payout';--> statement-breakpoint
CREATE INDEX "balance_lines" ON "tieout"."statement_lines" USING btree ("account_id","provider","net_currency","effective_at") WHERE line_type = 'balance';--> statement-breakpoint
CREATE INDEX "commission_totals" ON "tieout"."statement_lines" USING btree ("account_id","provider") WHERE line_type = 'commission_total';--> statement-breakpoint
CREATE INDEX "statement_rows_by_line" ON "tieout"."statement_rows" USING btree ("line_id") WHERE line_id is not null;--> statement-breakpoint
CREATE INDEX "statement_rows_set_aside" ON "tieout"."statement_rows" USING btree ("statement_id","line_no") WHERE outcome = 'rejected' or code is not null;--> statement-breakpoint
CREATE INDEX "statements_by_period" ON "tieout"."statements" USING btree ("account_id","provider","period_from");--> statement-breakpoint
CREATE INDEX "statements_by_import" ON "tieout"."statements" USING btree ("imported_at");--> statement-breakpoint
CREATE UNIQUE INDEX "file_is_imported_once" ON "tieout"."statements" USING btree ("account_id","provider","sha256") WHERE state = 'imported';--> statement-breakpoint
CREATE INDEX "findings_by_transaction" ON "tieout"."sync_findings" USING btree ("account_id","transaction_id");--> statement-breakpoint
CREATE INDEX "open_windows" ON "tieout"."sync_windows" USING btree ("account_id","kind","range_to") WHERE state in ('planned', 'walking', 'failed');--> statement-breakpoint
CREATE INDEX "windows_by_end" ON "tieout"."sync_windows" USING btree ("account_id","range_to");--> statement-breakpoint
CREATE INDEX "sealed_windows" ON "tieout"."sync_windows" USING btree ("account_id","sealed_at") WHERE state = 'sealed';--> statement-breakpoint
CREATE INDEX "keys_by_name" ON "tieout"."transaction_keys" USING btree ("name_hash") WITH (fillfactor=70);--> statement-breakpoint
CREATE INDEX "status_rows_of_transaction" ON "tieout"."transaction_statuses" USING btree ("account_id","transaction_id") WITH (fillfactor=70);--> statement-breakpoint
CREATE INDEX "status_rows_by_arrival" ON "tieout"."transaction_statuses" USING brin ("first_seen_at") WITH (pages_per_range=16);--> statement-breakpoint
CREATE INDEX "transactions_by_date" ON "tieout"."transactions" USING btree ("status_date");--> statement-breakpoint
CREATE INDEX "transactions_by_change" ON "tieout"."transactions" USING btree ("last_changed_at");--> statement-breakpoint
CREATE INDEX "transactions_open" ON "tieout"."transactions" USING btree ("account_id",hashtext(transaction_id)) WHERE not is_final;--> statement-breakpoint
CREATE INDEX "daily_totals_by_day" ON "tieout"."daily_totals" USING btree ("zone","day","account_id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_is_attached_once" ON "tieout"."attachments" USING btree ("account_id","discrepancy_id","sha256");--> statement-breakpoint
CREATE INDEX "attachments_of_discrepancy" ON "tieout"."attachments" USING btree ("discrepancy_id");--> statement-breakpoint
CREATE UNIQUE INDEX "view_name_is_used_once" ON "tieout"."saved_views" USING btree (coalesce(account_ids, '{}'),"screen",lower(name)) WHERE removed_at is null;