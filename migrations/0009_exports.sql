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
	CONSTRAINT "export_format_is_known" CHECK ("format" in ('csv', 'jsonl')),
	CONSTRAINT "export_state_is_known" CHECK ("state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired')),
	CONSTRAINT "running_export_is_leased" CHECK ("state" <> 'running' or "lease_until" is not null),
	CONSTRAINT "succeeded_export_is_complete" CHECK ("state" <> 'succeeded' or ("files" is not null and "totals" is not null and "as_of" is not null and "expires_at" is not null)),
	CONSTRAINT "failed_export_says_why" CHECK ("state" <> 'failed' or "error" is not null)
);
--> statement-breakpoint
CREATE INDEX "exports_by_age" ON "tieout"."exports" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "exports_unfinished" ON "tieout"."exports" USING btree ("created_at") WHERE state in ('queued', 'running');
