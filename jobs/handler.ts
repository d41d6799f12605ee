import type { Log } from "../src/log.ts";
import type { Tracer } from "../src/trace.ts";
import type { JobName, Payload } from "./queues.ts";

/** All that a job may touch, handed to it by the command that runs the workers. */
export interface JobDeps {
  log: Log;
  /** Where a job is a span of a trace, if anywhere. */
  tracer?: Tracer;
  now: () => number;
  /** Host name and process number: who did it. */
  workerName: string;
  /** Raised when the process is to stop: long work gives its windows back. */
  stopping: AbortSignal;
  recordHeartbeat(heartbeat: { job: string; worker: string; workerAtMs: number }): Promise<void>;
  /** Reads the newest entry of the audit log and keeps it; says what is wrong with it. */
  keepAuditHead(): Promise<{ head: string | null; problems: { subject: string; problem: string }[] }>;
  /** Judges the alert rules and sends what they found. */
  runAlerts(): Promise<void>;
  sync: SyncJobs;
  exports: ExportJobs;
  reconcile: ReconcileJobs;
  data: DataJobs;
}

/** Retention, as jobs see it. */
interface DataJobs {
  /** Takes a backup when one is due, and checks it. */
  backUpWhenDue(stopping: AbortSignal): Promise<void>;
  /** Removes what has been kept long enough; says how much of what. */
  applyRetention(stopping: AbortSignal): Promise<Record<string, number>>;
  /** Brings the folder of Parquet files up to date. */
  writeLake(stopping: AbortSignal): Promise<void>;
}

/** The matching of statements, as jobs see it. */
interface ReconcileJobs {
  accountIds(): readonly number[];
  /** Matches and judges what is new of one account. */
  run(accountId: number, stopping: AbortSignal): Promise<void>;
}

/** The writing of reports, as jobs see it. */
interface ExportJobs {
  run(exportId: string, stopping: AbortSignal): Promise<void>;
  /** Says which exports wait for a worker. */
  sweep(): Promise<string[]>;
}

/** The reading of accounts, as jobs see it. */
interface SyncJobs {
  /** Plans windows for every account; says for which accounts how many walkers are wanted. */
  plan(): Promise<{ accountId: number; walkers: number }[]>;
  /** Walks windows of one account until there is none to claim. Says whether that has brought something new. */
  walk(accountId: number, stopping: AbortSignal): Promise<boolean>;
  refreshCatalogues(): Promise<void>;
  planDeepReads(): Promise<void>;
  /** Asks for quotes for what the accounts trade, within their budget. */
  sampleQuotes(stopping: AbortSignal): Promise<void>;
  /** Does without the queue what the queue should have done by now. */
  rescue(stopping: AbortSignal): Promise<void>;
}

export type Enqueue = <Name extends JobName>(name: Name, payload: Payload<Name>) => Promise<void>;

export type Handler<Name extends JobName> = (
  deps: JobDeps,
  payload: Payload<Name>,
  enqueue: Enqueue,
) => Promise<void>;
