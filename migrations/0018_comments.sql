-- What some columns have come to mean.
comment on table tieout.heartbeats is 'Signs of life: of each worker, written through the queue (if these are fresh, jobs run); the last good end of each job; the aggregator''s clock; the head of the audit log as it was last seen.';
--> statement-breakpoint
comment on column tieout.sync_windows.level is 'Of a lookback: how far back, in powers of two. Of a deep re-read: how often in a row it has differed from the reading before.';
--> statement-breakpoint
comment on column tieout.quarantined_records.last_seen_at is 'When it was last met; moved at most once a day.';
--> statement-breakpoint
comment on column reporting.quarantined_records.last_seen_at is 'When it was last met; moved at most once a day.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.status is 'HTTP status of the answer that is repeated.';
