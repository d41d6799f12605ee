import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { migrateQueue } from "../../jobs/connection.ts";
import { DAY, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { secret } from "../../src/core/secret.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { parseFaults } from "../../src/sandbox/transactions/faults.ts";
import { hash32 } from "../../src/sandbox/world/random.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { startServer, stopServer } from "../../src/store/embedded/server.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";
import { verify } from "../../src/sync/verify.ts";
import { keepEvidence } from "./chaos-evidence.ts";
import { compareWithLedger, readLedger, tiedOut, type Verdict } from "./ledger-oracle.ts";
import { openFolder } from "./open-folder.ts";
import { keepServedPages } from "./served-pages.ts";
import { waitFor } from "./wait-for.ts";

export interface ChaosPlan {
  seed: string;
  transactions: number;
  workers: number;
  kills: number;
  /** Postgres ended without a checkpoint, and started again. */
  restarts: number;
  queueWipes: number;
  /** As for `tieout sandbox --faults`. */
  faults: string;
  /** What stays when the trouble ends: records that are malformed remain so, and stay set aside. */
  faultsThatStay: string;
  faultSeconds: number;
  healSecondsMax: number;
  say: (line: string) => void;
}

export interface ChaosReport {
  verdict: Verdict;
  mismatches: number;
  statusRows: number;
  healSeconds: number;
  /** The folder with all that is known of a run that failed; `null` when it ended well. */
  evidence: string | null;
}

type Trouble = "kill" | "restart" | "wipe";

/** Everything tied out. Windows of the present are open again every second; what matters lies before the end. */
export function endedWell({ verdict, mismatches }: Pick<ChaosReport, "verdict" | "mismatches">): boolean {
  return mismatches === 0 && isDeepStrictEqual({ ...verdict, unfinished: [] }, tiedOut);
}

/**
 * Worker processes on a real database and a faulty aggregator, killed, starved and misled by a seed; then all trouble
 * ends, the workers go on until everything is read, and the tables are compared with the ledger. A run that ends badly
 * leaves its evidence behind.
 */
export async function runChaos(plan: ChaosPlan): Promise<ChaosReport> {
  plan.say(`seed ${plan.seed}`);
  const folder = await openFolder("tieout-chaos-");
  const postgres = await startEmbeddedPostgres(join(folder, "data"));
  const database = openDatabase(secret(postgres.url), {
    part: "chaos",
    connectionsMax: 4,
    statementTimeoutMs: 10 * MINUTE,
    onError: () => undefined,
  });
  await migrateDatabase(database, resolve("migrations"));
  await database.session((client) => migrateQueue(client));
  const toMs = Math.floor(Date.now() / SECOND) * SECOND - MINUTE;
  const fromMs = toMs - 3 * DAY;
  let stoppedMs: number | null = null;
  const served = keepServedPages();
  const sandbox = await startSandbox({
    port: 0,
    now: () => stoppedMs ?? Date.now(),
    seed: plan.seed,
    transactions: plan.transactions,
    fromMs,
    toMs,
    faults: parseFaults(`${plan.faults},${plan.faultsThatStay}`),
    onAnswer: served.onAnswer,
  });
  const crew = startCrew(plan, { postgres, sandbox, fromMs });
  const troubles: string[] = [];
  try {
    await makeTrouble(plan, { crew, postgres, database, troubles });
    Object.assign(sandbox.switches, { faults: parseFaults(plan.faultsThatStay) });
    // The ledger stops with its clock: until then a status may come in after the last reading, and would be called lost.
    stoppedMs = Date.now();
    plan.say("trouble is over; healing");
    const healBegun = performance.now();
    const telling = setInterval(() => void tellProgress(plan, database), 10 * SECOND);
    // The ledger shows what happened in the millisecond that it stopped in.
    const accountId = await waitUntilRead(plan, database, stoppedMs + 1).finally(() =>
      clearInterval(telling),
    );
    const healSeconds = (performance.now() - healBegun) / SECOND;
    await crew.stop();
    const ledger = await readLedger(sandbox);
    const verdict = await compareWithLedger(database, accountId, ledger);
    const { statusRows, mismatches } = await verify(database);
    const report = { verdict, statusRows, mismatches: mismatches.length, healSeconds };
    if (endedWell(report)) return { ...report, evidence: null };
    const evidence = await keepEvidence(plan, {
      database,
      accountId,
      served,
      ledger,
      troubles,
      report,
      mismatches,
    });
    return { ...report, evidence };
  } catch (error) {
    // Not finished is not lost; and yet what was read, and what was not, has to be seen.
    await crew.stop();
    const report = { error: String(error) };
    const evidence = await keepEvidence(plan, { database, served, troubles, report });
    throw new Error(`chaos, seed ${plan.seed}: ${String(error)}; the evidence is in ${evidence}`, {
      cause: error,
    });
  } finally {
    await crew.stop();
    await sandbox.close();
    await database.close();
    await stopServer(postgres.server);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Crew {
  kill(index: number): void;
  stop(): Promise<void>;
}

/** The real program, several times; whoever dies is replaced. */
function startCrew(
  plan: ChaosPlan,
  { postgres, sandbox, fromMs }: { postgres: EmbeddedPostgres; sandbox: RunningSandbox; fromMs: number },
): Crew {
  const crew: ChildProcess[] = [];
  let stopping = false;
  const start = (index: number) => {
    const child = spawn(process.execPath, ["dist/tieout.js", "work"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        DATABASE_URL: postgres.url,
        UPSTREAM_BASE_URL: sandbox.url,
        UPSTREAM_API_KEY: sandbox.apiKey,
        UPSTREAM_API_SECRET: sandbox.apiSecret,
        SYNC_START: formatInstant(fromMs - MINUTE),
        SYNC_LAG: "0s",
        SYNC_LOOKBACK: "0s",
        SYNC_INTERVAL: "1s",
        LOG_LEVEL: "silent",
      },
      stdio: "ignore",
    });
    crew[index] = child;
    child.once("exit", () => {
      // A worker that cannot reach its database refuses to start; an operator's supervisor would try again too.
      if (!stopping) setTimeout(() => start(index), 200);
    });
  };
  for (let index = 0; index < plan.workers; index++) start(index);
  return {
    kill: (index) => void crew[index]?.kill("SIGKILL"),
    stop: async () => {
      stopping = true;
      await sleep(250); // a replacement may be about to start
      await Promise.all(
        crew.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill("SIGKILL");
          await once(child, "exit");
        }),
      );
    },
  };
}

async function makeTrouble(
  plan: ChaosPlan,
  {
    crew,
    postgres,
    database,
    troubles,
  }: { crew: Crew; postgres: EmbeddedPostgres; database: Database; troubles: string[] },
): Promise<void> {
  const planned: Trouble[] = [
    ...Array<Trouble>(plan.kills).fill("kill"),
    ...Array<Trouble>(plan.restarts).fill("restart"),
    ...Array<Trouble>(plan.queueWipes).fill("wipe"),
  ];
  const shuffled = planned
    .map((trouble, n) => ({ trouble, place: hash32(plan.seed, "trouble", String(n)) }))
    .toSorted((a, b) => a.place - b.place);
  const pauseMs = (plan.faultSeconds * SECOND) / Math.max(1, planned.length);
  for (const [n, { trouble }] of shuffled.entries()) {
    await sleep(pauseMs * (0.5 + (hash32(plan.seed, "pause", String(n)) % 1_000) / 1_000));
    const whom = hash32(plan.seed, "whom", String(n)) % plan.workers;
    troubles.push(`${new Date().toISOString()} ${trouble}${trouble === "kill" ? ` of worker ${whom}` : ""}`);
    if (trouble === "kill") crew.kill(whom);
    if (trouble === "restart") await restartImmediately(postgres);
    if (trouble === "wipe") await wipeQueue(database);
    if (n % 20 === 0) plan.say(`${n} of ${planned.length} troubles made`);
  }
}

async function restartImmediately(postgres: EmbeddedPostgres): Promise<void> {
  const { pid, port } = postgres.server;
  process.kill(pid, "SIGQUIT");
  await stopServer({ pid });
  postgres.server = await startServer(postgres.engine, { port });
}

async function wipeQueue(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name
     from pg_tables
     where schemaname = 'queue' and tablename not like '%migration%'`,
  );
  const statement = `truncate ${tables.map(({ name }) => name).join(", ")}`;
  await waitFor("the queue is wiped", () =>
    database.query(statement).then(
      () => true,
      () => false,
    ),
  );
}

async function tellProgress({ say }: ChaosPlan, database: Database): Promise<void> {
  const [row] = await database
    .query<{ read: number; walking: number; open: number; failed: number; limit: number }>(
      `select sum(w.added)::int as read,
              count(*) filter (where w.state = 'walking' and w.lease_until > clock_timestamp())::int as walking,
              count(*) filter (where w.state in ('planned', 'walking'))::int as open,
              count(*) filter (where w.state = 'failed')::int as failed,
              (select min(request_limit) from tieout.accounts)::int as limit
       from tieout.sync_windows as w`,
    )
    .catch(() => []);
  if (row)
    say(
      `${row.read} records; ${row.walking} of ${row.open} open windows are walked, ${row.failed} failed; ${row.limit} requests at once`,
    );
}

/**
 * Everything up to the end of the ledger is sealed, and nothing is open. Deep re-reads are not waited for: they read again
 * what has been read, and the schedule of a wiped queue begins with one.
 */
async function waitUntilRead(plan: ChaosPlan, database: Database, endMs: number): Promise<number> {
  return waitFor(
    "everything is read",
    async () => {
      const rows = await database
        .query<{ id: number }>(
          `select a.id
           from tieout.accounts as a
           where a.covered @> tstzrange(a.sync_start, $1)
             and not exists (select from tieout.sync_windows as w
                             where w.account_id = a.id and w.range_from < $1 and w.kind <> 'deep'
                               and w.state in ('planned', 'walking', 'failed'))`,
          [formatInstant(endMs)],
        )
        .catch(() => []);
      return rows[0]?.id ?? null;
    },
    { timeoutMs: plan.healSecondsMax * SECOND, everyMs: 250 },
  );
}
