CREATE TABLE "tieout"."currency_words" (
	"word" text PRIMARY KEY NOT NULL,
	"is_fiat" boolean NOT NULL,
	"code" text NOT NULL,
	"network" text,
	"places" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tieout"."earlier_keys" (
	"account_id" integer NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"transaction_id" text NOT NULL,
	CONSTRAINT "earlier_key_is_kept_once" PRIMARY KEY("account_id","kind","key","transaction_id")
);
--> statement-breakpoint
ALTER TABLE "tieout"."reconcile_runs" ADD COLUMN "covered" "tstzmultirange" DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "earlier_keys_of_transaction" ON "tieout"."earlier_keys" USING btree ("account_id","transaction_id");
