import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { CommandContext } from "../../src/commands/context.ts";
import { openAccounts } from "../../src/commands/open-accounts.ts";
import { watchSecrets } from "../../src/commands/watch-secrets.ts";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/log.ts";
import { createSyncRunner } from "../../src/sync/sync-runner.ts";
import { openFolder } from "../support/open-folder.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
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
  const context: CommandContext = {
    config: readConfig(env),
    readConfigAgain: () => readConfig(env),
    log: createLog({ level: "silent" }),
    now: Date.now,
    say: () => undefined,
    version: "test",
    migrationsDir: "migrations",
  };
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
