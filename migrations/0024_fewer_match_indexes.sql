-- Matches had two indexes for each way of finding them: one over all, and a unique one over those that count now. One index does both.
-- Those that count now are numbered 0, which lets there be one; the others have their own number, which begins at 1.
DROP INDEX IF EXISTS "tieout"."matches_by_transaction";--> statement-breakpoint
DROP INDEX IF EXISTS "tieout"."matches_by_line";--> statement-breakpoint
DROP INDEX IF EXISTS "tieout"."line_is_matched_once";--> statement-breakpoint
DROP INDEX IF EXISTS "tieout"."transaction_is_settled_once";--> statement-breakpoint
CREATE UNIQUE INDEX "line_is_matched_once" ON "tieout"."matches" USING btree ("line_id","part_no",(case when state = 'active' then 0 else id end));--> statement-breakpoint
CREATE UNIQUE INDEX "transaction_is_settled_once" ON "tieout"."matches" USING btree ("account_id","transaction_id",(case when state = 'active' and role = 'settles' then 0 else id end));
