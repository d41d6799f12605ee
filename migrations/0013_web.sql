CREATE TABLE "tieout"."daily_totals" (
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
	CONSTRAINT "totals_class_is_known" CHECK ("class" in ('matched', 'unmatched', 'discrepant'))
);
--> statement-breakpoint
CREATE TABLE "tieout"."daily_totals_progress" (
	"only_row" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"added_up_to" timestamp with time zone NOT NULL,
	"added_up_at" timestamp with time zone NOT NULL,
	CONSTRAINT "progress_is_one_row" CHECK ("only_row")
);
--> statement-breakpoint
CREATE TABLE "tieout"."sign_in_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"api_key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "link_token_hash_is_sha256" CHECK (length("token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tieout"."web_sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"api_key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "session_token_hash_is_sha256" CHECK (length("token_hash") = 32)
);
--> statement-breakpoint
CREATE INDEX "daily_totals_by_day" ON "tieout"."daily_totals" USING btree ("day","account_id");--> statement-breakpoint
CREATE INDEX "web_sessions_by_end" ON "tieout"."web_sessions" USING btree ("expires_at");