import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

/** Keys that may do something else than the audit log says they were made for, and keys that it does not know. */
export async function findWrongKeys(database: Queryable): Promise<Mismatch[]> {
  return database.query<Mismatch>(
    `select 'key_' || k.id as subject,
            case
              when made.after is null then 'the audit log does not say that it was made'
              when (revoked.number is not null) <> (k.revoked_at is not null) then 'it is not revoked as the audit log says'
              when k.expires_at is distinct from (made.after ->> 'expires_at')::timestamptz
                and (k.expires_at is null or k.expires_at > (made.after ->> 'expires_at')::timestamptz)
                then 'it is good for longer than it was made for'
              else 'it may do something else than it was made for'
            end as problem
     from tieout.api_keys as k
     left join lateral (
       select a.after from tieout.audit_log as a
       where a.action = 'key.created' and a.subject = 'key_' || k.id order by a.number limit 1
     ) as made on true
     left join lateral (
       select a.number from tieout.audit_log as a
       where a.action = 'key.revoked' and a.subject = 'key_' || k.id limit 1
     ) as revoked on true
     where made.after is null
        or made.after ->> 'role' <> k.role
        or made.after -> 'scopes' <> to_jsonb(k.scopes)
        or nullif(made.after -> 'accounts', 'null') is distinct from (
             select jsonb_agg(a.name order by a.name) from tieout.accounts as a
             where k.account_ids is not null and a.id = any(k.account_ids))
        or (k.expires_at is distinct from (made.after ->> 'expires_at')::timestamptz
            and (k.expires_at is null or k.expires_at > (made.after ->> 'expires_at')::timestamptz))
        or (revoked.number is not null) <> (k.revoked_at is not null)
     order by k.id
     limit 20`,
  );
}
