import type { Mismatch } from "../transactions/integrity.ts";
import { desc, eq } from "drizzle-orm";
import type { Queryable } from "../database.ts";
import { auditLog } from "../schema/audit-log.ts";
import { heartbeats } from "../schema/heartbeats.ts";

/** The newest entry of the audit log: it shows later whether the log was cut off. */
export interface AuditHead {
  number: number;
  /** Hex. */
  hash: string;
}

export async function readAuditHead(database: Queryable): Promise<AuditHead | null> {
  const { number, hash } = auditLog;
  const [row] = await database.orm.select({ number, hash }).from(auditLog).orderBy(desc(number)).limit(1);
  return row ? { number: row.number, hash: row.hash.toString("hex") } : null;
}

/**
 * Keeps the head beside the log as well, among the signs of life. The one kept before gives way only as long as the log
 * still has it: otherwise it is the proof that entries are gone.
 */
export async function keepAuditHead(
  database: Queryable,
): Promise<{ head: string | null; problems: Mismatch[] }> {
  const newest = await readAuditHead(database);
  const head = newest && formatAuditHead(newest);
  const problems = await findCutOff(database, await listKeptHeads(database));
  if (head === null || problems.length > 0) return { head, problems };
  await database.query(
    `with kept as (
       insert into tieout.heartbeats (job, worker, database_at, worker_at)
       values ('audit-witness', $1, clock_timestamp(), clock_timestamp())
       on conflict (job, worker) do update set database_at = excluded.database_at, worker_at = excluded.worker_at
     )
     delete from tieout.heartbeats
     where job = 'audit-witness' and worker <> $1`,
    [head],
  );
  return { head, problems };
}

export async function listKeptHeads(database: Queryable): Promise<AuditHead[]> {
  const rows = await database.orm
    .select({ head: heartbeats.worker })
    .from(heartbeats)
    .where(eq(heartbeats.job, "audit-witness"));
  return rows.flatMap(({ head }) => parseAuditHead(head) ?? []);
}

/** Of entries that were the head once: those that the log no longer has. */
export async function findCutOff(database: Queryable, heads: readonly AuditHead[]): Promise<Mismatch[]> {
  const rows = await database.query<{ number: number }>(
    `select known.number
     from unnest($1::int[], $2::text[]) as known (number, hash)
     where not exists (select from tieout.audit_log as entry
                       where entry.number = known.number and entry.hash = decode(known.hash, 'hex'))
     order by known.number`,
    [heads.map(({ number }) => number), heads.map(({ hash }) => hash)],
  );
  return rows.map(({ number }) => ({
    subject: `audit entry ${number}`,
    problem: "it was the newest once, and is gone or another one now: the log was cut off",
  }));
}

/** As it is logged and given back: number, colon, hash. */
function formatAuditHead({ number, hash }: AuditHead): string {
  return `${number}:${hash}`;
}

export function parseAuditHead(text: string): AuditHead | null {
  const [, number, hash] = /^([1-9]\d{0,8}):([0-9a-f]{64})$/.exec(text) ?? [];
  return number === undefined || hash === undefined ? null : { number: Number(number), hash };
}
