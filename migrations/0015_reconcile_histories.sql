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
DROP INDEX "tieout"."lines_by_statement";--> statement-breakpoint
CREATE INDEX "lines_by_statement" ON "tieout"."statement_lines" USING brin ("statement_id");
