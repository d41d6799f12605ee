import assert from "node:assert";
import { request } from "undici";
import { counted } from "../core/counted.ts";
import type { Instant } from "../core/instant.ts";
import { monthOf } from "../core/period.ts";
import { utc } from "../core/zone.ts";
import { builtInProfiles } from "../reconcile/profiles/built-in.ts";
import { reconcileAccount } from "../reconcile/reconcile.ts";
import { importStatement } from "../reconcile/statement/import-statement.ts";
import type { StatementSource } from "../reconcile/statement/source.ts";
import { summariseAccount } from "../reconcile/summarise.ts";
import type { Database } from "../store/database.ts";
import { listStatements } from "../store/statements/statements.ts";
import { classTable, countClasses } from "./class-table.ts";
import type { CommandContext } from "./context.ts";

export interface DemoSandbox {
  url: string;
  apiKey: string;
  apiSecret: string;
  /** When it started for the first time: months that were over by then are the demo's. */
  untilMs: number;
}

export interface DemoDeps {
  context: Pick<CommandContext, "say" | "log">;
  database: Database;
  sandbox: DemoSandbox;
  stopping: AbortSignal;
}

/**
 * What someone sees who starts without any configuration: the statements of the sandbox's providers for the months that
 * were over at the first start, imported and reconciled, and how much of the money is matched, pending and discrepant.
 * Which of them are there already is asked of the database, so that a start that was cut off is made good by the next.
 */
export async function importDemoStatements(
  deps: DemoDeps,
  account: { id: number; name: string },
): Promise<void> {
  const { context, database, stopping } = deps;
  const wanted = await listMissing(deps, account);
  let files = 0;
  let lines = 0;
  for (const statement of wanted) {
    if (stopping.aborted) return;
    const accepted = await importOne(deps, account, statement);
    if (accepted > 0) files++;
    lines += accepted;
  }
  if (files === 0) return;
  await reconcileAccount(database, account.id, { stopping });
  if (stopping.aborted) return;
  const sums = await summariseAccount(database, account.id, { provider: null });
  context.say(
    `Statements: ${counted(files, "file")} of the sandbox's providers, ${counted(lines, "line")}, imported and reconciled`,
  );
  context.say(`Completed transactions: ${countClasses(sums)}`);
  context.say(classTable(sums, { currenciesMax }));
}

/** The first screen has room for the largest; `tieout reconcile` shows all of them. */
const currenciesMax = 8;

interface ListedStatement {
  provider: string;
  /** `2026-10` */
  period: string;
  csv: string;
}

async function listMissing(
  { database, sandbox }: DemoDeps,
  account: { name: string },
): Promise<ListedStatement[]> {
  const { statements } = JSON.parse((await download(sandbox, "/sandbox/statements")).toString("utf8")) as {
    statements: ListedStatement[];
  };
  const held = await listStatements(
    { database, accountIds: null },
    { account: [account.name] },
    { limit: statements.length * 2, after: null },
  );
  const names = new Set(held.rows.map(({ fileName }) => fileName));
  return statements.filter(
    (statement) =>
      !names.has(fileNameOf(statement)) && Date.parse(statementMonth(statement.period).to) <= sandbox.untilMs,
  );
}

function fileNameOf({ provider, period }: ListedStatement): string {
  return `${provider}-${period}.csv`;
}

async function importOne(
  { context, database, sandbox }: DemoDeps,
  account: { id: number; name: string },
  statement: ListedStatement,
): Promise<number> {
  const { provider, period } = statement;
  const bytes = await download(sandbox, statement.csv);
  // A provider that did nothing all month sends a header and no rows.
  if (bytes.indexOf("\n") === bytes.length - 1) return 0;
  const source: StatementSource = {
    name: fileNameOf(statement),
    async *bytes() {
      yield bytes;
    },
  };
  const { from, to } = statementMonth(period);
  try {
    const { statement: kept } = await importStatement({ database, profiles: builtInProfiles }, source, {
      account,
      provider,
      profileName: null,
      replaces: null,
      acceptReason: null,
      actor: "demo",
      generatedAt: to,
      periodFrom: from,
      periodTo: to,
    });
    return kept.rowsAccepted;
  } catch (error) {
    // One file must not spoil the first impression; the next start tries it again.
    context.log.warn({ event: "demo_statement_failed", provider, period, err: error });
    return 0;
  }
}

export function statementMonth(period: string): { from: Instant; to: Instant } {
  const month = monthOf(period, utc);
  assert(month, `the sandbox makes statements of months, not of ${period}`);
  return month;
}

export async function download({ url, apiKey, apiSecret }: DemoSandbox, path: string): Promise<Buffer> {
  const { statusCode, body } = await request(new URL(path, url), {
    headers: { authorization: apiKey, "x-service-secret": apiSecret },
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`the sandbox answered ${statusCode} for ${path}`);
  return bytes;
}
