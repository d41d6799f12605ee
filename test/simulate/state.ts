import type { PoolClient, QueryConfig } from "pg";
import { statementsOn } from "../../src/store/database.ts";
import { readRowVersions } from "../support/row-versions.ts";
import type { ClockedServer } from "./simulated-database.ts";

/** What our tables hold of an account, in the order of its making. */
export interface State {
  readonly statuses: readonly StoredStatus[];
  readonly transactions: readonly StoredTransaction[];
  readonly quarantined: readonly { readonly identity: string; readonly firstSeenMs: number }[];
  readonly windows: readonly StoredWindow[];
  /** Writes to windows by processes that did not have them. */
  readonly trespasses: readonly { readonly windowId: number; readonly says: string }[];
  /** Parts of the time from the start to the last window that nobody has read. */
  readonly gaps: readonly { readonly fromMs: number; readonly toMs: number }[];
}

export interface StoredStatus {
  readonly transactionId: string;
  /** Transaction and hash. */
  readonly identity: string;
  readonly statusDate: string;
  readonly statusRank: number;
  readonly firstSeenMs: number;
  readonly windowId: number;
}

export interface StoredTransaction {
  readonly transactionId: string;
  readonly identity: string;
  readonly isFinal: boolean;
  readonly isMissing: boolean;
}

export interface StoredWindow {
  readonly id: number;
  readonly parentId: number | null;
  readonly kind: string;
  readonly level: number;
  readonly state: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly plannedMs: number;
  readonly startedMs: number | null;
  readonly sealedMs: number | null;
  readonly cursor: string | null;
  readonly isLeased: boolean;
  readonly worker: string | null;
  readonly fence: number;
  readonly pages: number;
  readonly read: number;
  readonly added: number;
  readonly quarantined: number;
  readonly restarts: number;
  readonly failures: number;
  readonly errorCode: string | null;
  readonly endedBy: string | null;
  /** Count and digest are those of the status rows that it added. */
  readonly isHonest: boolean;
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::double precision`;

export async function readState(
  server: ClockedServer,
  { accountId, nowMs, windowsBefore }: { accountId: number; nowMs: number; windowsBefore: number },
): Promise<State> {
  const read = async <Row>(text: string, ...more: unknown[]) =>
    (await server.run({ nowMs }, { text, values: [accountId, ...more] })) as Row[];
  return {
    statuses: await read<StoredStatus>(
      `select transaction_id as "transactionId", transaction_id || '|' || encode(record_hash, 'hex') as identity,
              to_char(status_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as "statusDate",
              status_rank as "statusRank", ${ms("first_seen_at")} as "firstSeenMs", window_id::int - $2 as "windowId"
       from tieout.transaction_statuses
       where account_id = $1
       order by identity`,
      windowsBefore,
    ),
    transactions: await read<StoredTransaction>(
      `select transaction_id as "transactionId", transaction_id || '|' || encode(record_hash, 'hex') as identity,
              is_final as "isFinal", missing_since is not null as "isMissing"
       from tieout.transactions
       where account_id = $1
       order by identity`,
    ),
    quarantined: await read<State["quarantined"][number]>(
      `select encode(raw_hash, 'hex') as identity, ${ms("first_seen_at")} as "firstSeenMs"
       from tieout.quarantined_records
       where account_id = $1
       order by identity`,
    ),
    windows: await read<StoredWindow>(
      `select w.id::int - $2 as id, w.parent_id::int - $2 as "parentId", w.kind, w.level, w.state,
              ${ms("w.range_from")} as "fromMs", ${ms("w.range_to")} as "toMs", ${ms("w.planned_at")} as "plannedMs",
              ${ms("w.started_at")} as "startedMs", ${ms("w.sealed_at")} as "sealedMs", w.cursor,
              w.lease_until is not null as "isLeased", w.worker, w.fence::int as fence, w.pages, w.read, w.added,
              w.quarantined, w.restarts, w.failures, w.error_code as "errorCode", w.ended_by as "endedBy",
              w.added = coalesce(found.rows, 0) and w.digest = coalesce(found.digest, 0::bit(256)) as "isHonest"
       from tieout.sync_windows as w
       left join (
         select window_id, count(*)::int as rows, bit_xor(('x' || encode(record_hash, 'hex'))::bit(256)) as digest
         from tieout.transaction_statuses
         where account_id = $1
         group by window_id
       ) as found on found.window_id = w.id
       where w.account_id = $1
       order by w.id`,
      windowsBefore,
    ),
    trespasses: await read<State["trespasses"][number]>(
      `select window_id - $2 as "windowId", says from simulated.trespasses where account_id = $1 order by 1, 2`,
      windowsBefore,
    ),
    gaps: await read<State["gaps"][number]>(
      `select ${ms("lower(gap)")} as "fromMs", ${ms("upper(gap)")} as "toMs"
       from tieout.accounts as a,
            unnest(tstzmultirange(tstzrange(a.sync_start, greatest(a.sync_start, (
              select max(range_to) from tieout.sync_windows as w
              where w.account_id = a.id and w.kind in ('live', 'backfill'))))) - a.covered) as gap
       where a.id = $1
       order by gap`,
    ),
  };
}

/** Where each row lies, who wrote it and who locked it last: even a lock that changed nothing shows. */
export async function readVersions(
  server: ClockedServer,
  { accountId, nowMs }: { accountId: number; nowMs: number },
): Promise<string[]> {
  const query = async (statement: QueryConfig) => ({ rows: await server.run({ nowMs }, statement) });
  return readRowVersions(statementsOn({ query } as unknown as PoolClient), accountId);
}
