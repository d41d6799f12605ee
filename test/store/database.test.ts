import { Client } from "pg";
import { describe, expect, inject, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { accounts } from "../../src/store/schema/accounts.ts";
import { asDatabaseError, isTransient } from "../../src/store/sql-errors.ts";
import { freePort } from "../support/free-port.ts";
import { startLastWordServer } from "../support/last-word-server.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

describe("a database transaction", () => {
  test("commits what it wrote when it returns, and nothing when it throws", async () => {
    await database.db.query("create table kept (id int)");
    await database.db.transaction((tx) => tx.query("insert into kept values (1)"));
    const failing = database.db.transaction(async (tx) => {
      await tx.query("insert into kept values (2)");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await database.db.query("select id from kept")).toEqual([{ id: 1 }]);
  });

  test("survives that the server ends its session, and the next one works", async () => {
    const seen: string[] = [];
    const db = openDatabase(database.url, {
      part: "cut",
      connectionsMax: 1,
      statementTimeoutMs: 5_000,
      onError: (error) => seen.push(error.message),
    });
    const cut = db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
      await asSuperuser(`select pg_terminate_backend(${row?.pid})`);
      await tx.query("select 1");
    });
    const error = await cut.catch((caught: unknown) => caught);
    expect(isTransient(error)).toBe(true);
    expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
    expect(seen.length).toBeGreaterThan(0);
    await db.close();
  });

  test("survives a server whose first word is its last", async () => {
    const server = await startLastWordServer();
    const db = open({ url: server.url, statementTimeoutMs: 5_000 });
    const error = await db.transaction((tx) => tx.query("select 1")).catch((caught: unknown) => caught);
    expect(isTransient(error)).toBe(true);
    await db.close();
    server.close();
  });

  test("ends a statement that runs too long", async () => {
    const db = open({ url: database.url.reveal(), statementTimeoutMs: 50 });
    await expect(db.query("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
    await db.close();
  });
});

describe("a database that cannot be used", () => {
  test.each([
    [
      "nobody listens",
      () => freePort().then((port) => address({ port: String(port) })),
      "does not answer: start it",
    ],
    [
      "wrong password",
      () => address({ password: "canary" }),
      "refused the password: correct user and password",
    ],
    ["no such database", () => address({ pathname: "/absent" }), "does not exist: create it"],
    ["no such host", () => address({ hostname: "no-such-host.invalid" }), "host name"],
  ])("is named together with what to do: %s", async (_, url, says) => {
    const db = open({ url: await url(), statementTimeoutMs: 5_000 });
    const error = await db
      .session((client) => client.query("select 1"))
      .catch((caught: unknown) => asDatabaseError(caught));
    expect(error).toMatchObject({ message: expect.stringContaining(says) as string });
    expect((error as Error).message).not.toContain("canary");
    await db.close();
  });

  test("is worth another try only when that may help", () => {
    for (const code of ["08006", "25006", "40001", "40P01", "53100", "53300", "57P01", "ECONNRESET"]) {
      expect(isTransient({ code })).toBe(true);
    }
    for (const code of ["23505", "42601", "42501", "28P01"]) expect(isTransient({ code })).toBe(false);
    expect(asDatabaseError({ code: "53100" })).toMatchObject({ retry: true });
  });

  test("is not waited for when it falls silent without closing its connections", async () => {
    const server = new URL(database.url.reveal());
    const proxy = await startTcpProxy(Number(server.port));
    const url = Object.assign(server, { port: new URL(proxy.url).port }).href;
    const db = open({ url, statementTimeoutMs: 500, connectionsMax: 3 });
    const ask = () => [
      db.query("select 1"),
      db.orm.select({ id: accounts.id }).from(accounts),
      db.transaction((tx) => tx.query("select 1")),
    ];
    await Promise.all(ask());
    proxy.freeze();
    const answers = await Promise.allSettled(ask());
    expect(answers.map((answer) => answer.status === "rejected" && isTransient(answer.reason))).toEqual([
      true,
      true,
      true,
    ]);
    // Its connections are not used again.
    await Promise.all(ask());
    await db.close();
    await proxy.close();
  });

  test("a replica that is not promoted yet is worth waiting for, and says so", async () => {
    const db = open({ url: database.url.reveal(), statementTimeoutMs: 5_000 });
    const error = await db
      .transaction(async (tx) => {
        await tx.query("set transaction read only");
        await tx.query("create table refused (id int)");
      })
      .catch((caught: unknown) => asDatabaseError(caught));
    expect(error).toMatchObject({ code: "database_unreachable", retry: true });
    expect((error as Error).message).toContain("takes no writes: promote it if it is a replica");
    await db.close();
  });
});

function open({
  url,
  statementTimeoutMs,
  connectionsMax = 1,
}: {
  url: string;
  statementTimeoutMs: number;
  connectionsMax?: number;
}): Database {
  return openDatabase(secret(url), {
    part: "test",
    connectionsMax,
    statementTimeoutMs,
    onError: () => undefined,
  });
}

function address(change: Partial<Record<"port" | "password" | "pathname" | "hostname", string>>): string {
  return Object.assign(new URL(database.url.reveal()), change).href;
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject("superuserUrl") });
  await client.connect();
  await client.query(statement);
  await client.end();
}
