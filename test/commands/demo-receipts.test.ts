import { expect, test } from "vitest";
import { importDemoReceipts } from "../../src/commands/demo-receipts.ts";
import { importDemoStatements } from "../../src/commands/demo-statements.ts";
import { startSandbox } from "../../src/sandbox/server.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("the banks' files of the months that were over are imported once: all but the last paid as declared", async () => {
  const untilMs = Date.UTC(2026, 5, 10);
  const sandbox = await startSandbox({
    port: 0,
    transactions: 1_500,
    fromMs: Date.UTC(2026, 2, 1),
    toMs: untilMs,
    now: () => untilMs,
  });
  const [row] = await database.db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start) values ('demo', 'sandbox', '2026-03-01') returning id`,
  );
  const account = { id: row?.id ?? 0, name: "demo" };
  const said: string[] = [];
  const log = { warn: (problem: unknown) => void said.push(JSON.stringify(problem)) };
  const deps = {
    context: { say: (line: string) => void said.push(line), log: log as never },
    database: database.db,
    sandbox: { ...sandbox, untilMs },
    stopping: new AbortController().signal,
  };
  try {
    await importDemoStatements(deps, account);
    said.length = 0;
    await importDemoReceipts(deps, account);
    expect(said).toEqual([
      expect.stringMatching(/^Receipts: 6 bank files, [\d,]+ lines, imported and matched$/),
    ]);
    const payouts = await database.db.query<{ month: string; states: Record<string, number> }>(
      `select month, jsonb_object_agg(state, count) as states
       from (
         select to_char(p.payout_date, 'YYYY-MM') as month, r.state, count(*)::int
         from tieout.payouts as p
         cross join lateral tieout.payout_received(p, '2026-06-10', 'infinity') as r
         where p.account_id = $1
           and p.net_declared <> 0
         group by 1, 2
       ) as counted
       group by month
       order by month`,
      [account.id],
    );
    expect(payouts.map(({ month }) => month)).toEqual(["2026-04", "2026-05", "2026-06"]);
    expect(Object.keys(payouts[0]?.states ?? {})).toEqual(["received"]);
    expect(Object.keys(payouts[1]?.states ?? {})).toEqual(expect.arrayContaining(["received", "overdue"]));
    expect(Object.keys(payouts[2]?.states ?? {})).toEqual(["expected"]);

    await importDemoReceipts(deps, account);
    expect(said).toHaveLength(1);
  } finally {
    await sandbox.close();
  }
});
