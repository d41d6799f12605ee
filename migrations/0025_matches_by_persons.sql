-- What people have said of a pair, that it is one or that it is none, is little, and every run asks for it. Only what they have parted had
-- an index; for their matches a run over one new file read every match there is.
DROP INDEX IF EXISTS "tieout"."barred_pairs";--> statement-breakpoint
DROP INDEX IF EXISTS "tieout"."pairs_by_persons";--> statement-breakpoint
CREATE INDEX "pairs_by_persons" ON "tieout"."matches" USING btree ("account_id","transaction_id","line_id") WHERE barred or rule = 'person';
