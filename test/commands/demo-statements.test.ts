import { expect, test } from "vitest";
import { importDemoStatements } from "../../src/commands/demo-statements.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("imports the months that were over at the first start, once, and goes on where it was cut off", async () => {
  const untilMs = Date.UTC(2026, 5, 10);
  const sandbox = await startSandbox({
    port: 0,
    transactions: 400,
    fromMs: Date.UTC(2026, 3, 20),
    toMs: untilMs,
    // Another month is over by now; it is not the demo's any more.
    now: () => Date.UTC(2026, 6, 5),
  });
  const [row] = await database.db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start) values ('demo', 'sandbox', '2026-04-20') returning id`,
  );
  const account = { id: row?.id ?? 0, name: "demo" };
  const said: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const run = (stopping: AbortSignal) =>
    importDemoStatements(
      {
        context: { say: (line) => void said.push(line), log: log as never },
        database: database.db,
        sandbox: { ...sandbox, untilMs },
        stopping,
      },
      account,
    );
  const files = async () => {
    const rows = await database.db.query<{ file_name: string }>(
      "select file_name from tieout.statements where account_id = $1 order by file_name",
      [account.id],
    );
    return rows.map(({ file_name }) => file_name);
  };
  try {
    const cutOff = new AbortController();
    const watch = setInterval(() => void files().then((held) => held.length > 1 && cutOff.abort()), 20);
    await run(cutOff.signal);
    clearInterval(watch);
    const first = await files();
    expect(first.length).toBeGreaterThan(1);
    expect(said).toEqual([]);

    await run(new AbortController().signal);
    const all = await files();
    expect(all.length).toBeGreaterThan(first.length);
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(all.map((name) => name.slice(-11, -4)))).toEqual(new Set(["2026-04", "2026-05"]));
    expect(said[0]).toMatch(
      /^Statements: \d+ files of the sandbox's providers, [\d,]+ lines, imported and reconciled$/,
    );

    await database.db.query(
      `update tieout.statements
       set state = 'withdrawn', withdrawn_at = clock_timestamp(), withdrawn_by = 'test', withdrawn_reason = 'test'
       where account_id = $1 and file_name = $2`,
      [account.id, all[0]],
    );
    const lines = said.length;
    await run(new AbortController().signal);
    expect(await files()).toEqual(all);
    expect(said.slice(lines)).toEqual([]);
  } finally {
    await sandbox.close();
  }
});
