import type { TransactionRecord } from "../core/transaction.ts";
import type { Database } from "../store/database.ts";
import type { ErasureMemory } from "../store/erasure/erased-subjects.ts";
import type { RecordOnePage } from "../store/transactions/page-recorder.ts";
import type { PageCounts } from "../store/transactions/record-page.ts";
import type { WindowKind } from "../store/windows/window-leases.ts";
import type { Upstream } from "../upstream/client.ts";

/** Everything that reading an account may touch. */
export interface SyncDeps {
  database: Database;
  /** Shared by all walkers of the process, whose pages go to the database together. */
  recordPage: RecordOnePage;
  /** What was erased and must not come back; nothing when left out. */
  erasures?: ErasureMemory;
  log: SyncLog;
  /** Only for waiting and jitter: what is planned and leased goes by the database's clock. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  random: () => number;
  /** Awaited before a long piece of work. Left out where one thing happens at a time. */
  takeTurn?: () => Promise<void>;
  /** Does nothing in production; tests stop, kill or delay a worker here. */
  failpoint: (name: Failpoint) => Promise<void> | void;
  worker: string;
  settings: SyncSettings;
  /** Called for every page that was stored, for metrics and progress. */
  observe?: (page: KeptPage) => void;
}

/** A page that has been stored. */
export interface KeptPage {
  accountId: number;
  kind: WindowKind;
  counts: PageCounts;
  /** The newest record of each transaction that got a new status row. */
  newRecords: readonly TransactionRecord[];
}

export interface SyncSettings {
  lagMs: number;
  lookbackMs: number;
  intervalMs: number;
  /** Requests in flight per account, at most. */
  requestsMax: number;
  leaseMs: number;
}

export interface SyncLog {
  debug(fields: object): void;
  info(fields: object): void;
  warn(fields: object): void;
  error(fields: object): void;
}

/** One aggregator account and the connection to it. */
export interface SyncAccount {
  id: number;
  name: string;
  upstream: Pick<Upstream, "fetchPage" | "fetchTransaction"> & Partial<Pick<Upstream, "serverNow">>;
  credentials?: Credentials;
}

/** What can be said about a key and its secret without revealing them. */
interface Credentials {
  /** Tells two of them apart, and nothing more. */
  fingerprint: string;
  /** What to do when they are refused: `correct UPSTREAM_API_SECRET, and start again`. */
  advice: string;
}

/** Places where a process may die; each is one where something could be half done. */
export type Failpoint =
  | "claim.before"
  | "claim.after"
  | "fetch.before"
  | "fetch.after"
  | "page.commit.before"
  | "page.commit.after"
  | "seal.before"
  | "seal.after"
  | "split.inside"
  | "ack.before";
