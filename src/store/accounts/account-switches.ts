import { recordAudit } from "../people/audit-log.ts";
import { type AccountReader, addAccounts, conditionsFor } from "../conditions.ts";
import type { Database } from "../database.ts";

/** An account as its reading is going. */
export interface SyncAccount {
  id: number;
  name: string;
  base_url: string;
  state: string;
  paused_reason: string | null;
  paused_at: string | null;
  /** Paused by a person, and so until a person resumes it. */
  held: boolean;
  sync_start: string;
  request_limit: number;
  /** Seconds until anybody asks again; `null` when nobody has to wait. */
  wait_seconds: number | null;
  last_success_at: string | null;
}

/** So far ahead that only a person can have meant it: no aggregator asks for a longer wait than days. */
const heldBeyond = "interval '30 days'";
const heldFor = "interval '100 years'";

export async function listSyncAccounts(
  reader: AccountReader,
  filters: { account?: readonly string[] } = {},
): Promise<SyncAccount[]> {
  const conditions = conditionsFor(reader, "a.id");
  addAccounts(conditions, "a.id", filters.account);
  return reader.database.query<SyncAccount & Record<string, unknown>>(
    `select a.id, a.name, a.base_url, a.state, a.paused_reason, a.paused_at::text,
            coalesce(a.not_before > clock_timestamp() + ${heldBeyond}, false) as held,
            a.sync_start::text, a.request_limit,
            case when a.not_before > clock_timestamp()
                 then extract(epoch from a.not_before - clock_timestamp())::double precision end as wait_seconds,
            a.last_success_at::text
     from tieout.accounts as a
     where ${conditions.toSql()}
     order by a.name
     limit 200`,
    conditions.values,
  );
}

interface SwitchAuthor {
  actor: string;
  requestId: string;
}

/** Nobody asks the aggregator for this account until a person says so. What is being asked now is still kept. */
export async function holdAccount(
  database: Database,
  account: { id: number; name: string; reason: string },
  author: SwitchAuthor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(
      `update tieout.accounts
       set state = 'paused', paused_reason = $2, paused_at = clock_timestamp(), not_before = clock_timestamp() + ${heldFor}
       where id = $1`,
      [account.id, account.reason],
    );
    const { name: subject, reason } = account;
    await recordAudit(tx, { ...author, action: "account.paused", subject, reason });
  });
}

/** The next worker asks again, also when the aggregator had refused the key or asked for patience. */
export async function resumeAccount(
  database: Database,
  account: { id: number; name: string },
  author: SwitchAuthor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(
      `update tieout.accounts
       set state = 'active', paused_reason = null, paused_at = null, not_before = null
       where id = $1`,
      [account.id],
    );
    await recordAudit(tx, { ...author, action: "account.resumed", subject: account.name });
  });
}
