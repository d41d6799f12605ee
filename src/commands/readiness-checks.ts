import type { JobQueue } from "../../jobs/connection.ts";
import { describeTrouble } from "../api/accounts/trouble.ts";
import type { ReadinessCheck } from "../api/health/readiness.ts";
import { HOUR, SECOND } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import { createMemory } from "../core/remember.ts";
import { listFreshness } from "../store/accounts/account-reads.ts";
import { listWrongClocks } from "../store/accounts/aggregator-clocks.ts";
import { checkWrites, clockOffsetMs, clockOffsetMaxMs } from "../store/health/checks.ts";
import { heartbeatAgeSeconds } from "../store/health/heartbeats.ts";
import type { Database } from "../store/database.ts";
import { checkMigrated } from "../store/migrate.ts";
import { countOddDates } from "../store/transactions/months.ts";
import { asDatabaseError, cannotWrite, isTransient } from "../store/sql-errors.ts";
import { backupAge } from "./backup.ts";
import type { CommandContext } from "./context.ts";
import type { Store } from "./open-store.ts";

/** Above this the workers are not working, whatever they say of themselves. */
const heartbeatAgeMaxSeconds = 60;

const embeddedGone =
  "the embedded Postgres does not answer: it is being started again; if that lasts, see postgres.log in the data folder";

/** A wrong clock now and then dates some rows oddly; this many are no accident. */
const oddDatesMax = 10_000;

/** What `/readyz` and `doctor` look at. */
export function readinessChecks(
  context: CommandContext,
  store: Pick<Store, "database" | "embedded">,
  /** `null`: they could not be opened, which the caller says. */
  queues: Readonly<Record<string, JobQueue>> | null,
): ReadinessCheck[] {
  const { database, embedded } = store;
  // Asked often, and backups may lie far away.
  const ages = createMemory<Awaited<ReturnType<typeof backupAge>>>({ now: context.now, keepMs: 30 * SECOND });
  const checks: ReadinessCheck[] = [
    {
      name: "database",
      critical: true,
      run: async () => {
        await database.query("select 1").catch((cause: unknown) => {
          throw asDatabaseError(cause);
        });
      },
    },
    // What was read is still served; nothing is added to it.
    { name: "writes", critical: false, run: () => checkWrites(database) },
    {
      name: "migrations",
      critical: true,
      run: async () => ({
        version: await checkMigrated(database, context.migrationsDir, embedded?.engine.cluster ?? null),
      }),
    },
    {
      name: "clock",
      critical: true,
      run: async () => {
        const offsetMs = Math.round(await clockOffsetMs(database, context.now));
        if (Math.abs(offsetMs) > clockOffsetMaxMs) {
          throw new TieoutError("clock_skew", `this machine's clock is ${offsetMs} ms off: set it by NTP`);
        }
        return { offset_ms: offsetMs };
      },
    },
    {
      name: "aggregator",
      // What was read stays right, and is still served; it only grows old.
      critical: false,
      run: async () => {
        const troubles = await listTroubles(context, database);
        const wrongClocks = (await listWrongClocks(database)).map(describeWrongClock);
        const said = [...troubles, ...wrongClocks];
        if (said.length > 0) throw new Error(said.join("; "));
      },
    },
    {
      name: "dates",
      // They are kept and found like all others, only more slowly.
      critical: false,
      run: async () => {
        const odd = await countOddDates(database, oddDatesMax);
        if (odd >= oddDatesMax) {
          const told = `${oddDatesMax} or more status rows are dated outside all months`;
          throw new Error(`${told}: compare the aggregator's dates with SYNC_START and with the clock`);
        }
        return { outside_all_months: odd };
      },
    },
    ...(queues === null ? [] : [queueCheck(queues)]),
    {
      name: "backup",
      // Everything works without one, until it is needed.
      critical: false,
      run: async () => {
        const age = await ages
          .get("newest", () => backupAge(context, store))
          .catch((error: unknown) => {
            // Its words name a place, and anyone may ask this.
            throw error instanceof TieoutError && error.code === "files_unusable"
              ? new Error("the place for backups does not answer as it should: tieout backup says why")
              : error;
          });
        if (age === null) return undefined;
        const hours = Math.round(age.ageMs / HOUR);
        if (age.ageMs > 2 * context.config.backup.intervalMs + HOUR)
          throw new Error(
            `${age.newest ? `the newest backup is ${hours} h old` : `there is no backup after ${hours} h`}: look for backup in the log of the workers, or run tieout backup`,
          );
        return age.newest ? { age_hours: hours } : undefined;
      },
    },
    {
      name: "lake",
      // What has been written stays right; it only grows old.
      critical: false,
      run: async () => {
        const { scheduled, intervalMs } = context.config.lake;
        const age = scheduled ? await heartbeatAgeSeconds(database, "lake") : null;
        if (age === null) return undefined;
        if (age * SECOND > 2 * intervalMs + HOUR)
          throw new Error(
            `the lake was last brought up to date ${Math.round((age * SECOND) / HOUR)} h ago: look for lake in the log of the workers`,
          );
        return { age_seconds: Math.round(age) };
      },
    },
    {
      name: "heartbeat",
      // An API without workers still answers; what it says grows old, and this says so.
      critical: false,
      run: async () => {
        const age = await heartbeatAgeSeconds(database, "heartbeat");
        if (age === null) throw new Error("no worker has run yet: start one with tieout work");
        const seconds = Math.round(age);
        if (age > heartbeatAgeMaxSeconds)
          throw new Error(`no worker has run for ${seconds} s: start one with tieout work`);
        return { age_seconds: seconds };
      },
    },
  ];
  const tell = tellDatabase(embedded !== null);
  return checks.map((check) =>
    asksOthers.has(check.name) ? check : { ...check, run: () => check.run().catch(tell) },
  );
}

/** What does not ask the database, or not only that. */
const asksOthers: ReadonlySet<string> = new Set(["queue", "backup"]);

/** The same words for every check that met a database that is away: neither the driver's, nor its address, which anyone would read. */
function tellDatabase(isEmbedded: boolean): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof TieoutError ? (error.cause ?? error) : error;
    if (!isTransient(cause)) throw error;
    const { code, message } = asDatabaseError(cause);
    // No address of ours to correct: we start it ourselves.
    const isGone = isEmbedded && code === "database_unreachable" && cannotWrite(cause) === null;
    throw new TieoutError(code, isGone ? embeddedGone : message, { cause });
  };
}

function queueCheck(queues: Readonly<Record<string, JobQueue>>): ReadinessCheck {
  const run = async () => {
    await Promise.all(Object.values(queues).map((queue) => queue.getJobCounts("waiting"))).catch(
      (cause: unknown) => {
        throw new Error("the queue does not answer: start its server again", { cause });
      },
    );
  };
  return { name: "queue", critical: true, run };
}

/** Of the configured accounts; where none is configured here, of all that are known. */
async function listTroubles({ config }: CommandContext, database: Database): Promise<string[]> {
  const names = config.accounts?.map(({ name }) => name);
  const filters = names === undefined ? {} : { account: names };
  const { rows } = await listFreshness({ database, accountIds: null }, filters, { limit: 200, after: null });
  return rows.map(describeTrouble).filter((trouble) => trouble !== null);
}

export function describeWrongClock({ account, aheadMs }: { account: string; aheadMs: number }): string {
  const seconds = Math.round(Math.abs(aheadMs) / SECOND);
  const apart = `${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
  return `the aggregator's clock of account ${account} is ${apart} the database's: one of them is not set by NTP`;
}
