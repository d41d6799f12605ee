CREATE TABLE "tieout"."accounts" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tieout"."accounts_id_seq"),
	"name" text NOT NULL,
	"base_url" text NOT NULL,
	"sync_start" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "account_name_is_unique" UNIQUE("name"),
	CONSTRAINT "account_has_a_name" CHECK ("name" <> '')
);
--> statement-breakpoint
CREATE TABLE "tieout"."audit_log" (
	"number" bigint PRIMARY KEY NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"actor" text NOT NULL,
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
CREATE TABLE "tieout"."heartbeats" (
	"job" text NOT NULL,
	"worker" text NOT NULL,
	"database_at" timestamp with time zone NOT NULL,
	"worker_at" timestamp with time zone NOT NULL,
	CONSTRAINT "heartbeats_job_worker_pk" PRIMARY KEY("job","worker")
);
