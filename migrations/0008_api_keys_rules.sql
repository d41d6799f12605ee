-- A key is never deleted and never changes its secret: the audit log names it for ever.

create function tieout.keep_api_key() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'api_keys: % refused; revoke the key instead', lower(tg_op) using errcode = 'restrict_violation';
  end if;
  if (new.id, new.secret_hash, new.role, new.scopes, new.account_ids)
     is distinct from (old.id, old.secret_hash, old.role, old.scopes, old.account_ids) then
    raise exception 'api_keys: what a key may do is fixed; create another' using errcode = 'restrict_violation';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'api_keys: a revoked key stays revoked' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
--> statement-breakpoint
create trigger keep_api_key before update or delete on tieout.api_keys
  for each row execute function tieout.keep_api_key();
--> statement-breakpoint
create trigger refuse_truncate before truncate on tieout.api_keys
  for each statement execute function tieout.keep_api_key();
--> statement-breakpoint
-- For a search by prefix: in a database that sorts by the rules of a language, the plain operator class finds whole
-- values only. These take the places of the plain ones and find whole values as well.
drop index tieout.transactions_by_provider_id;
--> statement-breakpoint
create index transactions_by_provider_id on tieout.transactions (provider_transaction_id text_pattern_ops);
--> statement-breakpoint
drop index tieout.transactions_by_hash;
--> statement-breakpoint
create index transactions_by_hash on tieout.transactions (transaction_hash text_pattern_ops)
  where transaction_hash <> '';
--> statement-breakpoint
create index transactions_by_wallet on tieout.transactions (wallet_address text_pattern_ops)
  where wallet_address <> '';
--> statement-breakpoint
create index transactions_by_reference on tieout.transactions ((extra ->> 'partnerContext') text_pattern_ops)
  where extra ? 'partnerContext';
--> statement-breakpoint
create index findings_by_transaction on tieout.sync_findings (account_id, transaction_id);
--> statement-breakpoint
comment on table tieout.api_keys is 'Who may do what through the API. Of a key only its SHA-256 is kept.';
--> statement-breakpoint
comment on column tieout.api_keys.id is 'The eight characters in the middle of the key; the API shows them as key_….';
--> statement-breakpoint
comment on column tieout.api_keys.name is 'For people: who uses it, and for what.';
--> statement-breakpoint
comment on column tieout.api_keys.role is 'viewer, accountant or admin; custom: only what scopes says.';
--> statement-breakpoint
comment on column tieout.api_keys.scopes is 'What it may do beyond its role.';
--> statement-breakpoint
comment on column tieout.api_keys.account_ids is 'The accounts it may see; null: all of them.';
--> statement-breakpoint
comment on column tieout.api_keys.secret_hash is 'SHA-256 of the whole key.';
--> statement-breakpoint
comment on column tieout.api_keys.last_four is 'The last four characters, by which a person recognises it.';
--> statement-breakpoint
comment on column tieout.api_keys.created_at is 'When it was made.';
--> statement-breakpoint
comment on column tieout.api_keys.created_by is 'Who made it: another key, a person on the command line, or the service itself.';
--> statement-breakpoint
comment on column tieout.api_keys.expires_at is 'From when on it is refused; null: never.';
--> statement-breakpoint
comment on column tieout.api_keys.last_used_at is 'When it was last used, to the minute.';
--> statement-breakpoint
comment on column tieout.api_keys.revoked_at is 'When it was revoked.';
--> statement-breakpoint
comment on column tieout.api_keys.replaces is 'The key that this one takes over from; that one expires after the overlap.';
--> statement-breakpoint
comment on table tieout.idempotency_keys is 'The first answer to a request that may be sent again; kept for a day.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.api_key_id is 'Whose request it was.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.key is 'The Idempotency-Key of the request.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.fingerprint is 'SHA-256 over method, path and body: the same key with another request is refused.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.started_at is 'When the first request came.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.status is 'HTTP status of the answer; null while it is being made.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.content_type is 'Content type of the answer.';
--> statement-breakpoint
comment on column tieout.idempotency_keys.body is 'The answer. A secret that is shown once is not in it.';
