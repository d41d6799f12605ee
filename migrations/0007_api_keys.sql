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
	"expires_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"replaces" text,
	CONSTRAINT "key_has_a_name" CHECK ("name" <> ''),
	CONSTRAINT "key_id_has_its_form" CHECK ("id" ~ '^[0-9A-Za-z]{8}$'),
	CONSTRAINT "key_role_is_known" CHECK ("role" in ('viewer', 'accountant', 'admin', 'custom')),
	CONSTRAINT "secret_hash_is_sha256" CHECK (length("secret_hash") = 32),
	CONSTRAINT "limited_key_has_accounts" CHECK ("account_ids" is null or cardinality("account_ids") > 0)
);
--> statement-breakpoint
CREATE TABLE "tieout"."idempotency_keys" (
	"api_key_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" "bytea" NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"status" integer,
	"content_type" text,
	"body" text,
	CONSTRAINT "idempotency_key_is_used_once" PRIMARY KEY("api_key_id","key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "tieout"."idempotency_keys" USING btree ("started_at");