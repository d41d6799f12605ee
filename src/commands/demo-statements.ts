import { request } from "undici";
import { parseInstant } from "../core/instant.ts";
import { builtInProfiles } from "../reconcile/profiles/built-in.ts";
import { reconcileAccount } from "../reconcile/reconcile.ts";
import { importStatement } from "../reconcile/statement/import-statement.ts";
import type { StatementSource } from "../reconcile/statement/source.ts";
import { summariseAccount } from "../reconcile/summarise.ts";
import type { Database } from "../store/database.ts";
import { hasStatements } from "../store/reconcile/runs.ts";
import { classTable } from "./class-table.ts";
import type { CommandContext } from "./context.ts";

export interface SandboxAccess {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
}

/**
 * What somebody sees who starts without any configuration: the statements of the sandbox's providers for its complete
 * months, imported once and reconciled, and how much of the money is matched, pending and discrepant.
 *
 * @public
 */
export async function importDemoStatements(
  context: Pick<CommandContext, "say" | "log">,
  database: Database,
  sandbox: SandboxAccess,
  account: { id: number; name: string },
): Promise<void> {
  if (await hasStatements(database, account.id)) return;
  const { statements } = JSON.parse((await download(sandbox, "/sandbox/statements")).toString("utf8")) as {
    statements: ListedStatement[];
  };
  const complete = statements.filter((statement) => statement.complete);
  let lines = 0;
  for (const statement of complete) lines += await importOne(context, database, sandbox, account, statement);
  await reconcileAccount(database, account.id);
  context.say(
    `Statements: ${complete.length} files of the sandbox's providers, ${lines.toLocaleString("en")} lines, reconciled; completed transactions by class:`,
  );
  context.say(classTable(await summariseAccount(database, account.id, null)));
}

interface ListedStatement {
  provider: string;
  /** `2026-10` */
  period: string;
  complete: boolean;
  csv: string;
}

async function importOne(
  { log }: Pick<CommandContext, "log">,
  database: Database,
  sandbox: SandboxAccess,
  account: { id: number; name: string },
  { provider, period, csv }: ListedStatement,
): Promise<number> {
  const bytes = await download(sandbox, csv);
  const source: StatementSource = {
    name: `${provider}-${period}.csv`,
    async *bytes() {
      yield bytes;
    },
  };
  const { from, to } = monthOf(period);
  try {
    const { statement } = await importStatement({ database, profiles: builtInProfiles }, source, {
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
    return statement.rowsAccepted;
  } catch (error) {
    // A month in which a provider did nothing has a header and no rows. One file must not spoil the first impression.
    log.debug({ event: "demo_statement_refused", provider, period, err: error });
    return 0;
  }
}

/** A month of UTC, half-open. */
export function monthOf(period: string): { from: Instant; to: Instant } {
  const [year = 1970, month = 1] = period.split("-").map(Number);
  const at = (months: number) => parseInstant(new Date(Date.UTC(year, months, 1)).toISOString()) as Instant;
  return { from: at(month - 1), to: at(month) };
}

type Instant = NonNullable<ReturnType<typeof parseInstant>>;

async function download({ baseUrl, apiKey, apiSecret }: SandboxAccess, path: string): Promise<Buffer> {
  const { statusCode, body } = await request(new URL(path, baseUrl), {
    headers: { authorization: apiKey, "x-service-secret": apiSecret },
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`the sandbox answered ${statusCode} for ${path}`);
  return bytes;
}
