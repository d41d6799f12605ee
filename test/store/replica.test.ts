import { rm } from "node:fs/promises";
import { join } from "node:path";
import { integer, pgTable } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { readFromReplica } from "../../src/store/replica.ts";
import { openFolder } from "../support/open-folder.ts";
import { startReplica, type TestReplica } from "../support/replica.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

let folder = "";
let postgres: EmbeddedPostgres;
let replica: TestReplica;
let primary: Database;
let follower: Database;
let reader: Database;
const figures = pgTable("figures", { n: integer().notNull() });
const changes: (string | null)[] = [];
// Time passes only when the test says so: how slow the machine is must not matter.
let nowMs = 0;

beforeAll(async () => {
  folder = await openFolder("tieout-replica-");
  postgres = await startEmbeddedPostgres(join(folder, "data"), { throwAway: true });
  replica = await startReplica(postgres, folder);
  primary = openTestDatabase(secret(postgres.superuserUrl));
  follower = openTestDatabase(secret(replica.urlFor(postgres.superuserUrl)));
  reader = readFromReplica(primary, follower, {
    now: () => nowMs,
    onChange: (reason) => changes.push(reason),
  });
  await primary.query("create table figures (n integer not null)");
  const isThere = "select to_regclass('figures') is not null as there";
  await waitFor(
    "the replica has the table",
    async () => (await follower.query<{ there: boolean }>(isThere))[0]?.there === true,
  );
});

afterAll(async () => {
  await reader.close();
  await primary.close();
  await replica.stop();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

/** Where a read comes from; a second later, so that every one may bring a check. */
async function whoAnswers(): Promise<"replica" | "primary"> {
  nowMs += 1_000;
  const [row] = await reader.query<{ follows: boolean }>("select pg_is_in_recovery() as follows");
  return row?.follows === true ? "replica" : "primary";
}

function untilAnswers(who: "replica" | "primary"): Promise<unknown> {
  return waitFor(`the ${who} answers`, async () => (await whoAnswers()) === who, { timeoutMs: 60_000 });
}

/** A check that takes long is an answer too, so the primary may be asked before the reason is known. */
function untilSaid(reason: string): Promise<unknown> {
  const isSaid = async () => {
    await whoAnswers();
    return changes.at(-1)?.startsWith(reason) === true;
  };
  return waitFor(`it is said that ${reason}`, isSaid, { timeoutMs: 60_000 });
}

async function sumFrom(database: Database): Promise<number> {
  const [row] = await database.query<{ sum: number }>("select coalesce(sum(n), 0)::int as sum from figures");
  return row?.sum ?? 0;
}

test("a replica that keeps up is asked, and shows what was written", async () => {
  expect(await whoAnswers()).toBe("primary"); // nobody waits for the first check
  await untilAnswers("replica");
  await primary.query("insert into figures values (1)");
  await waitFor("the replica shows it", async () => (await sumFrom(follower)) === 1);
  expect(changes.at(-1)).toBe(null);
});

test("one that lags is not asked until it has caught up", async () => {
  await follower.query("select pg_wal_replay_pause()");
  await primary.query("insert into figures values (10)");
  await untilSaid("it lags by more than 5 s");
  await untilAnswers("primary");
  expect(await sumFrom(reader)).toBe(11);
  expect(await sumFrom(follower)).toBe(1);
  await follower.query("select pg_wal_replay_resume()");
  await untilAnswers("replica");
  expect(await sumFrom(reader)).toBe(11);
});

test("one that goes away costs no read, and is asked again when it is back", async () => {
  await untilAnswers("replica");
  // Asked for now, and sent when nobody is there any more.
  const built = reader.orm.select({ n: figures.n }).from(figures).orderBy(figures.n);
  await replica.stop();
  expect(await built).toEqual([{ n: 1 }, { n: 10 }]);
  await replica.start();
  await untilAnswers("replica");
  await replica.stop();
  expect(await sumFrom(reader)).toBe(11);
  await untilSaid("it does not answer");
  await untilAnswers("primary");
  await primary.query("insert into figures values (100)");
  await replica.start();
  await untilAnswers("replica");
  await waitFor("it has caught up", async () => (await sumFrom(follower)) === 111);
});

test("one of another database is left out, however closely it follows", async () => {
  await primary.query("create database another");
  const url = Object.assign(new URL(replica.urlFor(postgres.superuserUrl)), { pathname: "/another" }).href;
  await waitFor("the replica has it too", async () => {
    const found = await follower.query("select 1 from pg_database where datname = 'another'");
    return found.length === 1;
  });
  const stranger = openTestDatabase(secret(url));
  const misled = readFromReplica(primary, stranger, { now: () => nowMs, onChange: () => undefined });
  try {
    expect(await misled.problem()).toBe("it is a replica of another database: correct READ_DATABASE_URL");
    expect(await sumFrom(misled)).toBe(111);
  } finally {
    await misled.close();
  }
});

test("one that refuses us is left out, and why is said of its own variable", async () => {
  const url = replica.urlFor(postgres.superuserUrl).replace(/:[^:@/]+@/, ":wrong@");
  const misled = readFromReplica(primary, openTestDatabase(secret(url)), {
    now: () => nowMs,
    onChange: () => undefined,
  });
  try {
    expect(await misled.problem()).toBe(
      "it refused the password: correct user and password in READ_DATABASE_URL",
    );
  } finally {
    await misled.close();
  }
});

test("one that was promoted is left out: its history is another", async () => {
  await follower.query("select pg_promote()");
  await follower.query("insert into figures values (1000)");
  await untilSaid("it follows nobody");
  await untilAnswers("primary");
  expect(await sumFrom(reader)).toBe(111);
});
