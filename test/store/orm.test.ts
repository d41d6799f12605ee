import { Writable } from "node:stream";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { translate } from "../../src/api/fail.ts";
import { createLog } from "../../src/log.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { accounts } from "../../src/store/schema/accounts.ts";
import { signInLinks } from "../../src/store/schema/people.ts";
import { asDatabaseError, isDataError, isTransient } from "../../src/store/sql-errors.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

describe("a Drizzle statement that fails", () => {
  test("is known by the code of the database: a value it cannot hold, and one it holds already", async () => {
    const account = { name: "twice", baseUrl: "http://localhost", syncStart: "2026-01-01T00:00:00Z" };
    await database.db.orm.insert(accounts).values(account);
    const second = await failureOf(database.db.orm.insert(accounts).values(account));
    expect(second).toMatchObject({ code: "23505", constraint: "account_name_is_unique" });
    expect(isDataError(second)).toBe(true);
    expect(isTransient(second)).toBe(false);
    const unreadable = await failureOf(
      database.db.orm.select().from(accounts).where(eq(accounts.createdAt, "no time")),
    );
    expect(unreadable).toMatchObject({ code: "22007" });
    expect(isDataError(unreadable)).toBe(true);
    expect(statusOf(unreadable)).toBe(400);
  });

  test("is known inside a database transaction as well, and rolls it back", async () => {
    const broken = { name: "", baseUrl: "", syncStart: "2026-01-01T00:00:00Z" };
    const failure = await failureOf(
      database.db.transaction(async (tx) => {
        await tx.orm.insert(accounts).values({ ...broken, name: "rolled back" });
        await tx.orm.insert(accounts).values(broken);
      }),
    );
    expect(failure).toMatchObject({ code: "23514", constraint: "account_has_a_name" });
    expect(await database.db.orm.select().from(accounts).where(eq(accounts.name, "rolled back"))).toEqual([]);
  });

  test("is worth another try when the server ended its session", async () => {
    const failure = await failureOf(
      database.db.transaction((tx) =>
        tx.orm.select({ gone: sql`pg_terminate_backend(pg_backend_pid())` }).from(sql`(values (1)) as once`),
      ),
    );
    expect(isTransient(failure)).toBe(true);
    expect(statusOf(failure)).toBe(503);
  });

  test("is named a slow one when it ran out of time", async () => {
    const failure = await failureOf(
      impatient.orm.select({ slept: sql`pg_sleep(5)` }).from(sql`(values (1)) as once`),
    );
    expect(failure).toMatchObject({ code: "57014" });
    expect(statusOf(failure)).toBe(503);
  });

  test("puts no value it was given into any log line", async () => {
    const canary = Buffer.from("canary".padEnd(32, "."));
    const link = {
      tokenHash: canary,
      purpose: "sign_in" as const,
      createdBy: "canary",
      expiresAt: "canary",
    };
    const failure = await failureOf(
      database.db.orm.insert(signInLinks).values({ ...link, createdAt: "now" }),
    );
    const { lines, log } = capture();
    log.error({ event: "e", err: asDatabaseError(failure) });
    translate({ log }, failure, "req_1");
    expect(lines).toHaveLength(2);
    expect(lines.join("")).toContain("22007");
    // The driver's message quotes the one value it could not read; the API logs the code alone.
    expect(lines[1]).not.toContain("canary");
    for (const text of ["Failed query", "params", "insert into", canary.toString("hex"), String(canary)])
      expect(lines.join("")).not.toContain(text);
  });
});

test("a login that the database refuses is not a caller's fault: 503, until it is put right", () => {
  expect(["28P01", "28000", "08006", "XX000"].map((code) => statusOf({ code }))).toEqual([
    503, 503, 503, 500,
  ]);
});

let impatient: Database;
beforeAll(() => {
  impatient = openDatabase(database.url, {
    part: "test",
    connectionsMax: 1,
    statementTimeoutMs: 50,
    onError: () => undefined,
  });
});
afterAll(() => impatient.close());

function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(work).then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
}

/** What the API answers. */
function statusOf(error: unknown): number {
  const { log } = capture();
  return translate({ log }, error, "req_1").problem.status;
}

function capture() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString("utf8"));
      done();
    },
  });
  return { lines, log: createLog({ level: "info", destination }) };
}
