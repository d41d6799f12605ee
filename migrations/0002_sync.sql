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
	CONSTRAINT "finding_is_known" CHECK ("finding" in ('appeared', 'changed', 'vanished', 'returned'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."sync_windows" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."sync_windows_id_seq"),
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
	CONSTRAINT "window_is_not_empty" CHECK ("range_from" < "range_to"),
	CONSTRAINT "window_kind_is_known" CHECK ("kind" in ('live', 'backfill', 'lookback', 'deep', 'refresh')),
	CONSTRAINT "window_state_is_known" CHECK ("state" in ('planned', 'walking', 'sealed', 'split', 'failed')),
	CONSTRAINT "walking_window_is_leased" CHECK ("state" <> 'walking' or "lease_until" is not null),
	CONSTRAINT "sealed_window_has_ended" CHECK (("state" = 'sealed') = ("sealed_at" is not null))
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
CREATE TABLE "tieout"."transaction_statuses" (
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	"record_hash" "bytea" NOT NULL,
	"hash_version" smallint NOT NULL,
	"status" text NOT NULL,
	"status_rank" smallint NOT NULL,
	"status_date" timestamp with time zone NOT NULL,
	"transaction_type" text,
	"provider" text,
	"provider_transaction_id" text,
	"payment_method" text,
	"country" text,
	"source_currency" text,
	"in_amount" numeric,
	"target_currency" text,
	"out_amount" numeric,
	"transaction_hash" text,
	"wallet_address" text,
	"api_key" text,
	"extra" jsonb,
	"received_status" text,
	"window_id" bigint NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	CONSTRAINT "status_row_is_kept_once" PRIMARY KEY("account_id","transaction_id","record_hash"),
	CONSTRAINT "record_hash_is_sha256" CHECK (length("record_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tieout"."transactions" (
	"account_id" integer NOT NULL,
	"transaction_id" text NOT NULL,
	"record_hash" "bytea" NOT NULL,
	"hash_version" smallint NOT NULL,
	"status" text NOT NULL,
	"status_rank" smallint NOT NULL,
	"status_date" timestamp with time zone NOT NULL,
	"transaction_type" text,
	"provider" text,
	"provider_transaction_id" text,
	"payment_method" text,
	"country" text,
	"source_currency" text,
	"in_amount" numeric,
	"target_currency" text,
	"out_amount" numeric,
	"transaction_hash" text,
	"wallet_address" text,
	"api_key" text,
	"extra" jsonb,
	"is_final" boolean NOT NULL,
	"first_seen_at" timestamp with time zone NOT NULL,
	"last_changed_at" timestamp with time zone NOT NULL,
	"missing_since" timestamp with time zone,
	CONSTRAINT "transaction_is_kept_once" PRIMARY KEY("account_id","transaction_id")
);
--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "state" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "paused_reason" text;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "paused_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "request_limit" integer DEFAULT 4 NOT NULL;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "not_before" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "last_success_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "covered" "tstzmultirange" DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD COLUMN "catalogue_read_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "tieout"."assets" ADD CONSTRAINT "assets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."fiats" ADD CONSTRAINT "fiats_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."payment_types" ADD CONSTRAINT "payment_types_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."providers" ADD CONSTRAINT "providers_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
ALTER TABLE "tieout"."sync_windows" ADD CONSTRAINT "sync_windows_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tieout"."accounts"("id");--> statement-breakpoint
CREATE INDEX "open_windows" ON "tieout"."sync_windows" USING btree ("account_id","kind","range_to") WHERE state in ('planned', 'walking', 'failed');--> statement-breakpoint
CREATE INDEX "windows_by_end" ON "tieout"."sync_windows" USING btree ("account_id","range_to");--> statement-breakpoint
CREATE INDEX "status_rows_by_date" ON "tieout"."transaction_statuses" USING btree ("account_id","status_date");--> statement-breakpoint
CREATE INDEX "transactions_by_date" ON "tieout"."transactions" USING btree ("status_date","transaction_id","account_id");--> statement-breakpoint
CREATE INDEX "transactions_by_change" ON "tieout"."transactions" USING btree ("last_changed_at","transaction_id","account_id");--> statement-breakpoint
CREATE INDEX "transactions_by_provider_id" ON "tieout"."transactions" USING btree ("provider_transaction_id");--> statement-breakpoint
CREATE INDEX "transactions_by_hash" ON "tieout"."transactions" USING btree ("transaction_hash") WHERE transaction_hash <> '';--> statement-breakpoint
CREATE INDEX "transactions_open" ON "tieout"."transactions" USING btree ("account_id","transaction_id") WHERE not is_final;--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD CONSTRAINT "account_state_is_known" CHECK ("state" in ('active', 'paused'));--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD CONSTRAINT "paused_account_has_a_reason" CHECK ("state" = 'active' or "paused_reason" is not null);--> statement-breakpoint
ALTER TABLE "tieout"."accounts" ADD CONSTRAINT "account_may_ask" CHECK ("request_limit" >= 1);