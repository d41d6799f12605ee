import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { CommandContext } from "../../src/commands/context.ts";
import { openAccounts } from "../../src/commands/open-accounts.ts";
import { watchSecrets } from "../../src/commands/watch-secrets.ts";
import { readConfig } from "../../src/config.ts";
import { DAY, HOUR } from "../../src/core/duration.ts";
import { createLog } from "../../src/log.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import { createSyncRunner } from "../../src/sync/sync-runner.ts";
import { type ScriptedAnswer, startHttpServer } from "../support/http-server.ts";
import { openFolder } from "../support/open-folder.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { type TestDatabase, useTestDatabase } from "../support/test-database.ts";
import { startFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();
let folder: string;
beforeAll(async () => {
  folder = await openFolder("tieout-secrets-");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What people see of the account. */
const readAccount = async () => {
  const [row] = await database.db.query<{ state: string; transactions: number }>(
    `select state, (select count(*)::int from tieout.transactions) as transactions from tieout.accounts`,
  );
  return row;
};

function contextOf(env: Record<string, string>): CommandContext {
  return {
    config: readConfig(env),
    readConfigAgain: () => readConfig(env),
    log: createLog({ level: "silent" }),
    now: Date.now,
    say: () => undefined,
    version: "test",
    migrationsDir: "migrations",
  };
}

test("a secret that is replaced in its file is used without a restart, and ends the refusal at once", async () => {
  const { sandbox, fromMs } = await startFrozenSandbox({ transactions: 40 });
  onTestFinished(() => sandbox.close());
  const file = join(folder, "secret");
  await writeFile(file, "sk_of_last_year");
  const env = {
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: "pk_sandbox",
    UPSTREAM_API_SECRET_FILE: file,
    SYNC_START: new Date(fromMs).toISOString(),
  };
  const context = contextOf(env);
  const opened = await openAccounts(context, database.db);
  onTestFinished(opened.close);
  const runner = createSyncRunner(syncDeps(database.db), opened.accounts);
  const walkAll = async () => {
    await runner.plan();
    for (const { id } of opened.accounts) await runner.walk(id, new AbortController().signal);
  };
  await walkAll();
  expect(await readAccount()).toEqual({ state: "refused", transactions: 0 });

  let walking: Promise<void> = Promise.resolve();
  const wake = async () => void (walking = walkAll());
  const watching = watchSecrets(context, { database: database.db, opened, wake, everyMs: 10 });
  onTestFinished(watching.stop);
  await writeFile(file, "");
  await writeFile(file, "sk_sandbox\n");
  await waitFor("the account is read", async () => (await readAccount())?.transactions === 40);
  await walking;
  expect(await readAccount()).toEqual({ state: "active", transactions: 40 });
  const [entry] = await database.db.query(
    "select action, subject from tieout.audit_log where action like '%secret%'",
  );
  expect(entry).toEqual({ action: "account.secret_renewed", subject: "default" });
});

describe("a secret that is replaced while records are read", () => {
  const databases = { right: useTestDatabase(), wrong: useTestDatabase() };

  /** Reads with `sk_old`, of which the server holds the answers, until the file has `secret`; then lets them go. */
  async function renewWhileReading(
    own: TestDatabase,
    secret: string,
    answerTo: (secret: string) => ScriptedAnswer,
  ) {
    const asked: string[] = [];
    const held: (() => void)[] = [];
    const server = await startHttpServer(({ query, headers }) => {
      const sent = String(headers["x-service-secret"]);
      // The first question is about the clock only.
      if (query.get("limit") === "1") return empty;
      asked.push(sent);
      const { status = 200, body } = answerTo(sent);
      if (sent !== "sk_old") return { status, body };
      const answer = JSON.stringify(body ?? {});
      return { misbehave: (response) => void held.push(() => response.writeHead(status).end(answer)) };
    });
    onTestFinished(() => server.close());
    const file = join(folder, "rotated");
    await writeFile(file, "sk_old");
    const context = contextOf({
      UPSTREAM_BASE_URL: server.url,
      UPSTREAM_API_KEY: "pk",
      UPSTREAM_API_SECRET_FILE: file,
      SYNC_START: new Date(Date.now() - DAY).toISOString(),
    });
    const opened = await openAccounts(context, own.db);
    onTestFinished(opened.close);
    const [account] = opened.accounts;
    const toMs = Date.now() - 2 * HOUR;
    const windows = [
      { fromMs: toMs - HOUR, toMs },
      { fromMs: toMs - DAY, toMs: toMs - HOUR },
    ];
    await insertWindows(
      own.db,
      account?.id ?? 0,
      windows.map((range) => ({ kind: "backfill", ...range })),
    );
    const runner = createSyncRunner(syncDeps(own.db), opened.accounts);
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const walkAll = async () => {
      await runner.plan();
      for (const { id } of opened.accounts) await runner.walk(id, stopping.signal);
    };
    const walking = walkAll();
    await waitFor("the old secret is asked with", async () => held.length > 0);
    let isRenewed = false;
    const wake = async () => void (isRenewed = true);
    const watching = watchSecrets(context, { database: own.db, opened, wake, everyMs: 10 });
    onTestFinished(watching.stop);
    await writeFile(file, secret);
    await waitFor("the secret is renewed", async () => isRenewed);
    for (const answer of held) answer();
    return { asked, walkAll, walking };
  }

  const empty = { body: { transactions: [], limit: 50 } };

  test("does not pay for the refusal of the old one", async () => {
    const { walking, walkAll } = await renewWhileReading(databases.right, "sk_new", (secret) =>
      secret === "sk_new" ? empty : { status: 401 },
    );
    await walking;
    await walkAll();
    const rows = await databases.right.db.query(
      "select state, last_success_at is not null as is_read from tieout.accounts",
    );
    expect(rows).toEqual([{ state: "active", is_read: true }]);
  });

  test("and is wrong is asked with once", async () => {
    const { walking, asked } = await renewWhileReading(databases.wrong, "sk_wrong", (secret) =>
      secret === "sk_wrong" ? { status: 401 } : empty,
    );
    await Promise.race([walking, wait(20_000)]);
    expect(asked.filter((secret) => secret === "sk_wrong")).toHaveLength(1);
  });
});
