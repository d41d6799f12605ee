import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createApi } from "../src/api/app.ts";
import type { Api } from "../src/api/deps.ts";
import { exportRoutes } from "../src/api/exports/routes.ts";
import { createFolderFiles } from "../src/store/files/folder-files.ts";
import { periodRoutes } from "../src/api/periods/routes.ts";
import type { Database } from "../src/store/database.ts";
import { refreshDailyTotals } from "../src/store/transactions/daily-totals.ts";
import { webRoutes } from "../src/web/routes.tsx";
import { aPerson, aSession, everyRole } from "../test/support/people.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillBooks } from "./support/page-books.ts";

/**
 * The server's time for each screen of the page, from the request to the last byte, beside that of the sign-in page, which
 * asks the database nothing. `npm run bench web 5000000 100000`: so many transactions, so many discrepancies.
 */
const transactions = Number(process.argv[2] ?? 200_000);
const discrepancies = Number(process.argv[3] ?? 20_000);
const rounds = 25;
const aimMs = 150;

const bench = await openBenchDatabase();
try {
  const { database } = bench;
  await fillBooks(database, { transactions, discrepancies });
  const allMs = await timed(() => refreshDailyTotals(database));
  await changeSome(database, 1_000);
  const changedMs = await timed(() => refreshDailyTotals(database));
  const ask = await openPage(database);
  const lines: string[] = [];
  for (const [name, path] of await screens(database)) lines.push(await measure(name, () => ask(path)));
  process.stdout
    .write(`server time per screen, ${rounds} requests each, ${transactions.toLocaleString("en")} transactions, ${discrepancies.toLocaleString("en")} discrepancies (node ${process.versions.node}, ${process.platform}-${process.arch})

screen                                      p50 ms   p95 ms   max ms   aim p95 ≤ ${aimMs}
${lines.join("\n")}

daily totals, added up from nothing: ${allMs.toFixed(0)} ms; after 1,000 changes: ${changedMs.toFixed(0)} ms (behind the scenes)
`);
} finally {
  await bench.remove();
}

async function openPage(database: Database): Promise<(path: string) => Promise<Response>> {
  // One person may ask so many times a minute and no more: several take turns.
  const tokens = await Promise.all(["Ada", "Grace", "Edsger"].map((name) => signIn(database, name)));
  const enqueue = async () => undefined;
  const { app } = createApi({
    now: Date.now,
    newRequestId: () => "bench",
    version: { version: "bench" },
    readiness: [],
    database,
    metrics: { observeRequest: () => undefined, render: async () => ({ contentType: "", body: "" }) },
    log: {
      info: () => undefined,
      error: (fields) => void process.stderr.write(`${JSON.stringify(fields)}\n`),
    },
    extensions: [
      (api: Api) =>
        exportRoutes({ database, files: createFolderFiles(bench.folder), randomBytes, enqueue })(api),
      (api: Api) => periodRoutes({ database, signingKey: generateKeyPairSync("ed25519").privateKey })(api),
      webRoutes({ randomBytes }),
    ],
  });
  let asked = 0;
  return async (path) =>
    app.request(path, { headers: { cookie: `tieout_session=${tokens[asked++ % tokens.length]}` } });
}

async function signIn(database: Database, name: string): Promise<string> {
  return aSession(database, await aPerson(database, everyRole, { name }));
}

async function screens(database: Database): Promise<[name: string, path: string][]> {
  const [one] = await database.query<{ id: string; hash: string; account: string }>(
    `select t.transaction_id as id, t.transaction_hash as hash, a.name as account
     from tieout.transactions as t
     join tieout.accounts as a on a.id = t.account_id
     order by t.status_date
     offset $1
     limit 1`,
    [Math.floor(transactions / 2)],
  );
  const { id = "", hash = "", account = "" } = one ?? {};
  const day = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  return [
    ["sign-in (no database)", "/sign-in"],
    ["overview, 30 days", "/overview"],
    ["overview, 90 days", "/overview?days=90"],
    ["transactions", "/transactions"],
    ["transactions, failed", "/transactions?status=failed"],
    ["transactions, provider and status", "/transactions?provider=topper&status=canceled"],
    ["transactions, one day", `/transactions?status_date[gte]=${day}&status_date[lte]=${day}`],
    ["transactions, currency and amount", "/transactions?source_currency=eur&in_amount[gte]=1000"],
    ["transactions, nothing passes", "/transactions?provider=nobody"],
    ["transactions, matched", "/transactions?class=matched"],
    ["transactions, pending since a day", `/transactions?class=pending&status_date[gte]=${day}`],
    ["transactions, discrepant", "/transactions?class=discrepant"],
    ["transactions, by hash", `/transactions?q=${hash}`],
    ["transactions, by the beginning of an id", `/transactions?q=${id.slice(0, 24)}`],
    ["one transaction", `/transactions/one?account=${account}&id=${id}`],
    ["discrepancies", "/discrepancies"],
    ["discrepancies, by code and provider", "/discrepancies?code=in_amount_mismatch&provider=moonpay"],
    ["discrepancies, old", "/discrepancies?age_min=60"],
    ["one discrepancy", "/discrepancies/77"],
    ["payouts", "/payouts"],
    ["one payout", "/payouts/7"],
    ["statements", "/statements"],
    ["reports", "/reports"],
    ["report: transactions, one day", `/reports/transactions.v1?from=${day}&to_day=${day}`],
    ["report: receivable, one month", `/reports/receivable.v1?from=${day}`],
    ["report: discrepancies, one month", `/reports/discrepancies.v1?from=${day}`],
    ["exports", "/exports"],
    ["sync", "/sync"],
    ["sync, failed windows", "/sync?state=failed"],
    ["quarantine", "/sync/quarantine"],
  ];
}

async function measure(name: string, ask: () => Promise<Response>): Promise<string> {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    tookMs.push(
      await timed(async () => {
        const answer = await ask();
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`${name}: status ${answer.status}`);
      }),
    );
  }
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.min(rounds - 1, Math.ceil(rounds * share) - 1)] ?? 0;
  const cell = (value: number) => value.toFixed(1).padStart(9);
  const verdict = at(0.95) <= aimMs ? "" : "   over";
  return `${name.padEnd(40)} ${cell(at(0.5))}${cell(at(0.95))}${cell(at(1))}${verdict}`;
}

/** Late statuses of old transactions, as they come every minute. */
async function changeSome(database: Database, count: number): Promise<void> {
  await database.query(
    `update tieout.transactions
     set last_changed_at = clock_timestamp()
     where transaction_id in (select transaction_id from tieout.transactions order by status_date desc limit $1)`,
    [count],
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
