import { readdir, readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { migrateQueue } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import { openDatabase } from "../../src/store/database.ts";
import { startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";
import { openFolder } from "./open-folder.ts";
import { startRedis, type TestRedis } from "./redis-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    superuserUrl: string;
    templateDatabase: string;
    /** `null` on a machine without Redis; the run says so. */
    redisUrl: string | null;
  }
}

const templateDatabase = "test_template";

/** One throw-away Postgres for the run, with one migrated database that every test file copies; and Redis, if it is there. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await openFolder("tieout-test-");
  const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  await makeTemplate(postgres.superuserUrl);
  const redis = await redisOrExplanation(folder);
  project.provide("superuserUrl", postgres.superuserUrl);
  project.provide("templateDatabase", templateDatabase);
  project.provide("redisUrl", redis?.url ?? null);

  return async () => {
    const left = await leftovers(postgres.superuserUrl);
    await redis?.stop();
    await postgres.leave();
    left.push(...(await processesUsing(folder)));
    await rm(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`the tests left behind: ${left.join("; ")}`);
  };
}

async function makeTemplate(superuserUrl: string): Promise<void> {
  await asSuperuser(superuserUrl, (client) => client.query(`create database ${templateDatabase}`));
  const url = new URL(superuserUrl);
  url.pathname = templateDatabase;
  const database = openDatabase(secret(url.href), {
    part: "template",
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  });
  await migrateDatabase(database, resolve("migrations"));
  await database.session((client) => migrateQueue(client));
  await database.close();
}

async function redisOrExplanation(folder: string): Promise<TestRedis | null> {
  const redis = await startRedis(folder);
  if (redis) return redis;
  const message =
    "redis-server is not installed: the queue tests ran on Postgres only (apt-get install redis-server)";
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`${message}\n`);
  return null;
}

async function leftovers(superuserUrl: string): Promise<string[]> {
  return asSuperuser(superuserUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "select datname as name from pg_database where datname like 'test\\_%' and datname <> $1",
      [templateDatabase],
    );
    return rows.map(({ name }) => `database ${name}`);
  });
}

/** Processes whose command line names our folder: a server that a test started and did not stop. */
async function processesUsing(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.flatMap((line, index) => (line.includes(folder) ? [`process ${pids[index]}`] : []));
}

async function asSuperuser<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
