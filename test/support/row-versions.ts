import type { Queryable } from "../../src/store/database.ts";

/** Where each row lies, who wrote it and who locked it last: even a lock that changed nothing shows. */
export async function readRowVersions(db: Queryable, accountId: number): Promise<string[]> {
  const rows = await db.query<{ version: string }>(
    `select 'status ' || transaction_id || ' ' || encode(record_hash, 'hex') || concat_ws(' ', ctid, xmin, xmax) as version
     from tieout.transaction_statuses
     where account_id = $1
     union all
     select 'transaction ' || transaction_id || concat_ws(' ', ctid, xmin, xmax)
     from tieout.transactions
     where account_id = $1
     union all
     select 'name ' || kind || ' ' || key || ' ' || transaction_id || concat_ws(' ', ctid, xmin, xmax)
     from tieout.transaction_keys
     where account_id = $1
     union all
     select 'quarantined ' || encode(raw_hash, 'hex') || concat_ws(' ', ctid, xmin, xmax)
     from tieout.quarantined_records
     where account_id = $1
     order by 1`,
    [accountId],
  );
  return rows.map(({ version }) => version);
}
