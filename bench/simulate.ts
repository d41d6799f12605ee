import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { secret } from "../src/core/secret.ts";
import { openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { stopServer } from "../src/store/embedded/server.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import { mistakes } from "../test/simulate/mistakes.ts";
import { openSimulator } from "../test/simulate/simulator.ts";
import { tellFailure, tellWorld } from "../test/simulate/tell.ts";
import { openFolder } from "../test/support/open-folder.ts";
import type { WorldsDone, WorldsWanted } from "./support/simulate-worker.ts";

/**
 * Small random worlds, each judged against its truth: `npm run simulate -- --seeds 500`. One world, with all that is known
 * of it: `-- --seed 42`, and every event: `--trace`. Which seed finds each planted mistake: `-- --mistakes`. Exits 1 when
 * a promise was not kept, or a mistake was not found.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    "from-seed": { type: "string", default: "1" },
    seed: { type: "string" },
    trace: { type: "boolean", default: false },
    mistake: { type: "string" },
    mistakes: { type: "boolean", default: false },
    processes: { type: "string", default: "2" },
  },
});

const folder = await openFolder("tieout-simulate-");
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
const template = "tieout";
const workers: ChildProcess[] = [];
// Otherwise the workers and Postgres, which run in processes of their own, would stay behind.
process.once("SIGINT", () => void stopAll(130));
process.once("SIGTERM", () => void stopAll(143));
try {
  await migrateTemplate();
  if (values.seed !== undefined) await runOne(Number(values.seed));
  else await withWorkers(values.mistakes ? findMistakes : runMany);
} finally {
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}

async function stopAll(exitCode: number): Promise<never> {
  for (const worker of workers) {
    worker.removeAllListeners("exit"); // that it ends now is no surprise to whoever asked it
    worker.kill("SIGKILL");
  }
  await stopServer(postgres.server);
  await rm(folder, { recursive: true, force: true });
  process.exit(exitCode);
}

async function migrateTemplate(): Promise<void> {
  const database = openDatabase(secret(postgres.url), {
    part: "simulate",
    connectionsMax: 1,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  await migrateDatabase(database, resolve("migrations"));
  await database.close();
}

async function runOne(seed: number): Promise<void> {
  const simulator = openSimulator(postgres.superuserUrl, template);
  const outcome = await simulator.run(seed, values.mistake);
  await simulator.close();
  if (values.trace) say(outcome.trace.join("\n"));
  const { findings, world, digest, statusRows, trace } = outcome;
  if (findings.length > 0) tellBad(tellFailure(outcome, values.mistake));
  else say([`seed ${seed}: every promise was kept`, ...tellWorld(world)].join("\n"));
  say(`${trace.length} events, ${statusRows} status rows, digest ${digest}: the same at every run`);
}

/** Hands out worlds in small portions, so that all processes end at about the same time. */
async function runMany(): Promise<void> {
  const from = Number(values["from-seed"]);
  const last = from + Number(values.seeds) - 1;
  let next = from;
  const total = { worlds: 0, events: 0, statusRows: 0, failed: 0 };
  const begun = performance.now();
  await Promise.all(
    workers.map(async (worker) => {
      while (next <= last) {
        const fromSeed = next;
        next = Math.min(last + 1, next + 5);
        for (let seed = fromSeed; seed < next;) {
          const done = await ask(worker, wanted({ fromSeed: seed, seeds: next - seed }));
          seed += done.worlds;
          total.worlds += done.worlds;
          total.events += done.events;
          total.statusRows += done.statusRows;
          if (!done.failed) break;
          total.failed++;
          tellBad(done.failed.tells);
        }
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1_000;
  say(`seeds ${from} to ${last}: ${total.failed} of ${total.worlds} worlds failed
${total.events} events, ${total.statusRows} status rows, ${seconds.toFixed(1)} s on ${workers.length} processes
${((60 * total.worlds) / seconds).toFixed(0)} worlds a minute (aim ≥ 60)`);
}

function wanted(worlds: WorldsWanted): WorldsWanted {
  return { ...worlds, ...(values.mistake === undefined ? {} : { mistake: values.mistake }) };
}

async function findMistakes(): Promise<void> {
  const waiting = values.mistake === undefined ? [...mistakes.keys()] : [values.mistake];
  const fromSeed = Number(values["from-seed"]);
  await Promise.all(
    workers.map(async (worker) => {
      for (let mistake = waiting.shift(); mistake !== undefined; mistake = waiting.shift()) {
        const { failed, worlds } = await ask(worker, { fromSeed, seeds: Number(values.seeds), mistake });
        if (failed) say(`${mistake}: found by seed ${failed.seed} (${failed.kind})`);
        else tellBad(`${mistake}: NOT FOUND by ${worlds} seeds\n`);
      }
    }),
  );
}

async function withWorkers(use: () => Promise<void>): Promise<void> {
  const file = fileURLToPath(new URL("./support/simulate-worker.js", import.meta.url));
  for (let n = 0; n < Number(values.processes); n++)
    workers.push(fork(file, [postgres.superuserUrl, template]));
  try {
    await use();
  } finally {
    await Promise.all(
      workers.map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        worker.disconnect();
        await once(worker, "exit");
      }),
    );
  }
}

function ask(worker: ChildProcess, worlds: WorldsWanted): Promise<WorldsDone> {
  return new Promise((done, fail) => {
    const gone = () =>
      fail(new Error(`a process ended in the middle of the seeds from ${worlds.fromSeed} on`));
    worker.once("exit", gone);
    worker.once("message", (answer: WorldsDone) => {
      worker.off("exit", gone);
      done(answer);
    });
    worker.send(worlds);
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function tellBad(text: string): void {
  process.stdout.write(text);
  process.exitCode = 1;
}
