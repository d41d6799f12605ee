import type { Queryable } from "../database.ts";

export interface RowCounts {
  transactions: number;
  statusRows: number;
}

/** From the windows' own counters, which are written with the rows: counting the rows themselves would take a scan. */
export async function countRows(database: Queryable, accountId: number): Promise<RowCounts> {
  const [row] = await database.query<RowCounts & Record<string, number>>(
    `select (select count(*)::int from tieout.transactions where account_id = $1) as transactions,
            (select coalesce(sum(added), 0)::int from tieout.sync_windows where account_id = $1) as "statusRows"`,
    [accountId],
  );
  return row ?? { transactions: 0, statusRows: 0 };
}
