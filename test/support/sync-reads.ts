import type { Database } from "../../src/store/database.ts";

/** The transactions that the account has, by id. */
export async function idsOf(db: Database, accountId: number): Promise<string[]> {
  const rows = await db.query<{ transaction_id: string }>(
    "select transaction_id from tieout.transactions where account_id = $1 order by transaction_id",
    [accountId],
  );
  return rows.map(({ transaction_id }) => transaction_id);
}

/** What deep re-reads have found: `id finding`. */
export async function findingsOf(db: Database, accountId: number): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    "select transaction_id || ' ' || finding as line from tieout.sync_findings where account_id = $1 order by 1",
    [accountId],
  );
  return rows.map(({ line }) => line);
}

export async function quarantineOf(
  db: Database,
  accountId: number,
): Promise<{ reason: string; field: string | null; raw: string }[]> {
  return db.query(
    "select reason, field, raw from tieout.quarantined_records where account_id = $1 order by raw_hash",
    [accountId],
  );
}

/** What the account's row says of its state and its pace. */
export async function readPace(
  db: Database,
  accountId: number,
): Promise<{ state: string; pausedReason: string | null; requestLimit: number; waits: boolean }> {
  const [row] = await db.query<{
    state: string;
    pausedReason: string | null;
    requestLimit: number;
    waits: boolean;
  }>(
    `select state, paused_reason as "pausedReason", request_limit as "requestLimit",
            coalesce(greatest(not_before, probe_at) > clock_timestamp(), false) as waits
     from tieout.accounts
     where id = $1`,
    [accountId],
  );
  if (!row) throw new Error(`there is no account ${accountId}`);
  return row;
}
