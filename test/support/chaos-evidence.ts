import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { recordHash } from "../../src/core/record-hash.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";
import type { Database } from "../../src/store/database.ts";
import type { ChaosPlan } from "./chaos.ts";
import type { Expected, Verdict } from "./ledger-oracle.ts";
import type { ServedPages } from "./served-pages.ts";

interface Evidence {
  readonly database: Database;
  readonly served: ServedPages;
  readonly troubles: readonly string[];
  readonly report: { readonly verdict?: Verdict; readonly error?: string };
  /** What `verify` says; only where the run came that far, like the two below. */
  readonly mismatches?: readonly unknown[];
  readonly accountId?: number;
  readonly ledger?: Expected;
}

/**
 * Writes all that is known of a run that ended badly to a folder, and returns its name: what was lost, wrong or made up
 * with its rows, the windows of its time, and what the aggregator served of it and when; then everything else.
 */
export async function keepEvidence(
  plan: Pick<ChaosPlan, "seed" | "say">,
  evidence: Evidence,
  root = "artifacts",
): Promise<string> {
  const folder = resolve(root, `chaos-${plan.seed}-${new Date().toISOString().replaceAll(":", "")}`);
  await mkdir(folder, { recursive: true });
  const { database, served, troubles, report, mismatches = [] } = evidence;
  const write = (name: string, content: unknown) =>
    writeFile(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  const writeLines = (name: string, lines: readonly unknown[]) =>
    writeFile(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { say: _, ...figures } = plan;
  await write("run.json", { plan: figures, report, mismatches, troubles });
  await writeLines("pages.jsonl", served.pages);
  await writeLines("windows.jsonl", await readWindowsOf(database, "true", []));
  for (const id of namedIn(report.verdict))
    await write(`transaction-${fileName(id)}.json`, await storyOf(evidence, id));
  return folder;
}

/** Every transaction that the verdict speaks of. */
function namedIn(verdict: Verdict | undefined): Set<string> {
  const { lost = [], phantom = [], latestWrong = [] } = verdict ?? {};
  return new Set([
    ...[...lost, ...phantom].map((line) => line.slice(0, line.lastIndexOf("|"))),
    ...latestWrong.map((line) => line.slice(0, line.indexOf(": "))),
  ]);
}

async function storyOf({ database, served, ledger, accountId = 0 }: Evidence, id: string): Promise<unknown> {
  const theirs = (ledger?.records ?? []).filter(({ transactionId }) => transactionId === id);
  const ours = await database.query<{ record_hash: string }>(
    `select status, status_date::text, encode(record_hash, 'hex') as record_hash, window_id::int, first_seen_at::text
     from tieout.transaction_statuses
     where account_id = $1 and transaction_id = $2
     order by status_date, first_seen_at`,
    [accountId, id],
  );
  const [latest] = await database.query(
    `select status, status_date::text, encode(record_hash, 'hex') as record_hash, first_seen_at::text, last_changed_at::text
     from tieout.transactions
     where account_id = $1 and transaction_id = $2`,
    [accountId, id],
  );
  const kept = new Set(ours.map(({ record_hash: hash }) => hash));
  const lost = theirs.filter((record) => !kept.has(recordHash(record)));
  return {
    transactionId: id,
    lost: await Promise.all(lost.map((record) => tellLost({ database, served, accountId }, record))),
    theirRecords: theirs.map((record) => ({ ...record, recordHash: recordHash(record) })),
    ourStatusRows: ours,
    ourLatestRow: latest ?? null,
    servedPages: served.about(id),
  };
}

async function tellLost(
  { database, served, accountId }: { database: Database; served: ServedPages; accountId: number },
  record: TransactionRecord,
): Promise<unknown> {
  const { statusDate } = record;
  const covering = "w.account_id = $1 and w.range_from <= $2 and w.range_to > $2";
  const [covered] = await database.query<{ covered: boolean }>(
    "select covered @> $2::timestamptz as covered from tieout.accounts where id = $1",
    [accountId, statusDate],
  );
  return {
    statusDate,
    // A date beyond what is covered was never promised.
    isCovered: covered?.covered ?? null,
    windows: await readWindowsOf(database, covering, [accountId, statusDate]),
    // Listings around its date, with or without it.
    servedPages: served.around(statusDate),
  };
}

/** A time has colons, and an id may have anything. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_");
}

async function readWindowsOf(database: Database, condition: string, values: unknown[]): Promise<unknown[]> {
  return database.query(
    `select w.id::int, w.kind, w.level, w.parent_id::int, w.state, w.range_from::text, w.range_to::text, w.planned_at::text,
            w.started_at::text, w.sealed_at::text, w.lease_until::text, w.worker, w.fence::int, w.cursor, w.pages, w.read,
            w.added, w.quarantined, w.failures, w.restarts, w.error_code, w.error, w.ended_by
     from tieout.sync_windows as w
     where ${condition}
     order by w.id`,
    values,
  );
}
