import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApi } from "../src/api/app.ts";
import type { Api } from "../src/api/deps.ts";
import { exportRoutes } from "../src/api/exports/routes.ts";
import { createFolderFiles } from "../src/store/files/folder-files.ts";
import { periodRoutes } from "../src/api/periods/routes.ts";
import { secret } from "../src/core/secret.ts";
import { type Database, openDatabase } from "../src/store/database.ts";
import { refreshDailyTotals } from "../src/store/transactions/daily-totals.ts";
import { webRoutes } from "../src/web/routes.tsx";
import { aPerson, aSession, everyRole } from "../test/support/people.ts";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillBooks } from "./support/page-books.ts";

/**
 * The server's time for each screen of the page, from the request to the last byte, beside that of the sign-in page, which
 * asks the database nothing. `npm run bench web 5000000 1000000`: so many transactions, so many statement lines. With the
 * URL of a database behind them it is measured as it is, and must have been filled by `fillBooks`.
 */
const transactions = Number(process.argv[2] ?? 200_000);
const lines = Number(process.argv[3] ?? 40_000);
const filledUrl = process.argv[4];
const rounds = 25;
const aimMs = 150;

const bench = await (filledUrl === undefined ? openBenchDatabase() : openFilledDatabase(filledUrl));
try {
  const { database } = bench;
  if (filledUrl === undefined) await fillBooks(database, { transactions, lines });
  const allMs = await timed(() => refreshDailyTotals(database));
  await changeSome(database, 1_000);
  const changedMs = await timed(() => refreshDailyTotals(database));
  const ask = await openPage(database);
  const measured: string[] = [];
  for (const [name, path] of await screens(database)) measured.push(await measure(name, path, ask));
  process.stdout
    .write(`server time per screen, ${rounds} requests each, ${transactions.toLocaleString("en")} transactions, ${lines.toLocaleString("en")} lines (node ${process.versions.node}, ${process.platform}-${process.arch})

screen                                      p50 ms   p95 ms   max ms   aim p95 ≤ ${aimMs}   the rest of it, once
${measured.join("\n")}

daily totals, added up from nothing: ${allMs.toFixed(0)} ms; after 1,000 changes: ${changedMs.toFixed(0)} ms (behind the scenes)
`);
} finally {
  await bench.remove();
}

async function openFilledDatabase(url: string) {
  const database = openDatabase(secret(url), {
    part: "bench",
    connectionsMax: 20,
    statementTimeoutMs: 3_600_000,
    onError: () => undefined,
  });
  const folder = await mkdtemp(join(tmpdir(), "tieout-bench-"));
  const remove = async () => {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { database, folder, remove };
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
  const [one] = await database.query<
    Record<"id" | "hash" | "account" | "discrepancy" | "payout" | "statement" | "line", string>
  >(
    `select t.transaction_id as id, t.transaction_hash as hash, a.name as account,
            (select max(id)::text from tieout.discrepancies) as discrepancy,
            (select max(id)::text from tieout.payouts) as payout,
            longest.statement_id::text as statement, longest.line_no::text as line
     from tieout.transactions as t
     cross join (
       select statement_id, max(line_no) as line_no
       from tieout.statement_rows
       group by statement_id
       order by count(*) desc
       limit 1
     ) as longest
     join tieout.accounts as a on a.id = t.account_id
     order by t.status_date
     offset $1
     limit 1`,
    [Math.floor(transactions / 2)],
  );
  if (!one) throw new Error("these books hold no transaction");
  const { id, hash, account, discrepancy, payout, statement, line } = one;
  const day = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);
  const month = day.slice(0, 7);
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
    ["one discrepancy", `/discrepancies/${discrepancy}`],
    ["payouts", "/payouts"],
    ["one payout", `/payouts/${payout}`],
    ["statements", "/statements"],
    ["one statement", `/statements/${statement}`],
    ["one statement, its discrepant lines", `/statements/${statement}?class=discrepant`],
    ["one statement, lines with a word", `/statements/${statement}?q=strange`],
    ["one line and its candidates", `/statements/${statement}/lines/${line}`],
    ["receipts", "/receipts"],
    ["close", "/close"],
    ["close, one month", `/close/${month}?account=${account}`],
    ["find an id", `/find?q=${id}`],
    ["find a hash", `/find?q=${hash}`],
    ["find an amount", "/find?q=120.25"],
    ["find what is not there", "/find?q=not-there-at-all"],
    ["execution", "/execution"],
    ["settings of a provider", `/settings/providers/moonpay?account=${account}`],
    ["audit trail", "/settings/audit"],
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

async function measure(
  name: string,
  path: string,
  ask: (path: string) => Promise<Response>,
): Promise<string> {
  const tookMs: number[] = [];
  const refused = new Set<string>();
  let rest: string | undefined;
  for (let round = 0; round < rounds; round++) {
    tookMs.push(
      await timed(async () => {
        const answer = await ask(path);
        const body = await answer.text();
        rest ??= /hx-get="([^"]*wait=true[^"]*)"/.exec(body)?.[1]?.replaceAll("&amp;", "&");
        if (answer.status >= 400) refused.add(`refused with ${answer.status}: ${alertIn(body)}`);
      }),
    );
  }
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => tookMs[Math.min(rounds - 1, Math.ceil(rounds * share) - 1)] ?? 0;
  const cell = (value: number) => value.toFixed(1).padStart(9);
  const address = rest;
  const restMs = address === undefined ? null : await timed(async () => (await ask(address)).text());
  const verdict = [
    at(0.95) <= aimMs ? "" : "   over",
    ...(restMs === null ? [] : [cell(restMs)]),
    ...refused,
  ].join("   ");
  return `${name.padEnd(40)} ${cell(at(0.5))}${cell(at(0.95))}${cell(at(1))}${verdict}`;
}

function alertIn(page: string): string {
  return /role="alert">(.*?)<\/div>/s.exec(page)?.[1]?.replaceAll(/<[^>]*>/g, "") ?? "";
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
