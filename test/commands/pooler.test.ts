import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { aKey } from "../api/an-api.ts";
import { anAccount, aRecord, keep } from "../api/some-records.ts";
import { openFolder } from "../support/open-folder.ts";
import { findPgbouncer, startPgbouncer, type TestPooler } from "../support/pgbouncer.ts";
import { type Running, runTieout, startTieout } from "../support/run-tieout.ts";
import { openTestDatabase, useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

/** Fewer than two APIs ask for, and more than the reports that run at once, each of which keeps one to its end. */
const sessions = 8;

describe.runIf(findPgbouncer())("behind pgbouncer in transaction mode", () => {
  const database = useTestDatabase();
  const role = `pooled_${randomBytes(4).toString("hex")}`;
  const password = randomBytes(8).toString("hex");
  const running: Running[] = [];
  let folder = "";
  let pooler: TestPooler;
  beforeAll(async () => {
    folder = await openFolder("tieout-pooler-");
    await database.db.query(`create role ${role} login password '${password}' in role tieout_service`);
    const address = new URL(database.url.reveal());
    Object.assign(address, { username: role, password });
    pooler = await startPgbouncer(folder, address.href, { sessions });
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await pooler.stop();
    await database.db.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [
      role,
    ]);
    await database.db.query(`drop role ${role}`);
    await rm(folder, { recursive: true, force: true });
  });
  const env = () => ({ DATABASE_URL: pooler.url, TIEOUT_DATA_DIR: join(folder, "data") });

  test("what needs sessions of its own is refused, and so is a role without its settings", async () => {
    for (const command of ["work", "up", "migrate"]) {
      const { code, stderr } = await runTieout([command], env());
      expect([command, code]).toEqual([command, 3]);
      expect(stderr).toContain("only tieout serve can use the pooler");
    }
    const { code, stderr } = await runTieout(["serve"], { ...env(), PORT: "0" });
    expect(code).toBe(3);
    expect(stderr).toContain(`alter role ${role} set timezone = 'UTC';`);
    expect(stderr).not.toContain(password);
  });

  test("an address that does not say that it leads to a pooler is told what to add", async () => {
    const silent = openTestDatabase(secret(pooler.url.replace("pooler=transaction", "")));
    await expect(silent.session((client) => client.query("select 1"))).rejects.toThrow(
      /looks like a connection pooler: add \?pooler=transaction to DATABASE_URL, or give the server's own address$/,
    );
    await silent.close();
  });

  test("a statement with a name is not looked for in a session that never heard of it", async () => {
    const pooled = openTestDatabase(secret(pooler.url));
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    const answers = await Promise.all(
      numbers.map((n) =>
        pooled.query<{ n: number }>("select $1::int as n, pg_sleep(0.01)", [n], "of_the_test"),
      ),
    );
    expect(answers.map(([row]) => row?.n)).toEqual(numbers);
    await pooled.close();
  });

  test("two APIs share few sessions, answer everything, and come back when the pooler does", async () => {
    for (const setting of ["timezone = 'UTC'", "search_path = tieout, public", "statement_timeout = '1min'"])
      await database.db.query(`alter role ${role} set ${setting}`);
    await pooler.stop();
    await pooler.start();
    const account = await anAccount(database.db, "acme-eu");
    await keep(
      database.db,
      account,
      Array.from({ length: 30 }, (_, n) => aRecord(n)),
    );
    const key = await aKey(database.db, "admin");
    running.push(...[1, 2].map(() => startTieout(["serve"], { ...env(), PORT: "0" })));
    const urls = await Promise.all(running.map((each) => each.ready()));
    const ask = async (path: string, init: RequestInit = {}) => {
      const url = urls[Math.floor(Math.random() * urls.length)] ?? "";
      const answer = await fetch(url + path, { ...init, headers: { authorization: `Bearer ${key}` } });
      await answer.text();
      return answer.status;
    };
    // Lists, statements that have a name where they may, the page's sign-in, and a report's COPY in a snapshot of its own.
    const lists = ["/v1/transactions?limit=5", "/v1/discrepancies", "/v1/sync/windows", "/sign-in"];
    const report = "/v1/reports/transactions.csv?from=2026-03-01&to=2026-03-02&partial=true";
    const paths = [report, report, ...Array.from({ length: 15 }, () => lists).flat()];
    const answers = await Promise.all(paths.map(async (path) => [path, await ask(path)]));
    expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
    const [used] = await database.db.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where usename = $1",
      [role],
    );
    expect(used?.count).toBeLessThanOrEqual(sessions);

    await pooler.stop();
    expect(await ask("/v1/transactions?limit=5")).toBe(503);
    await pooler.start();
    await waitFor("both answer again", async () => (await ask("/v1/transactions?limit=5")) === 200);
  });
});
