import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DAY } from "../core/duration.ts";
import { type RunningSandbox, startSandbox } from "../sandbox/server.ts";
import { parseDialect } from "../sandbox/transactions/dialect.ts";
import type { CommandContext } from "./context.ts";

const demoTransactions = 20_000;
const demoDays = 90;

/**
 * The aggregator that is read when none is configured: some 20,000 transactions over 90 days, and new ones arriving.
 * Its history is fixed when it first starts; otherwise every restart would be another past.
 */
export async function startDemoSandbox(
  context: CommandContext,
): Promise<RunningSandbox & { from: string; untilMs: number }> {
  const dataDir = join(context.config.dataDir, "demo");
  await mkdir(dataDir, { recursive: true });
  const { fromMs, toMs } = await readHistory(join(dataDir, "history.json"), context.now());
  const sandbox = await startSandbox({
    now: context.now,
    port: 0,
    transactions: demoTransactions,
    fromMs,
    toMs,
    live: true,
    // With ids that tell the network, as the servers do that people come from: a demonstration can then also show coins
    // that went over the wrong one.
    dialect: parseDialect("currency=id,asset-ids=bare"),
    dataDir,
    warn: (message) => context.log.warn({ event: "sandbox", reason: message }),
  });
  return { ...sandbox, close: () => sandbox.close(), from: new Date(fromMs).toISOString(), untilMs: toMs };
}

async function readHistory(file: string, nowMs: number): Promise<{ fromMs: number; toMs: number }> {
  const held = await readFile(file, "utf8").catch(() => null);
  if (held !== null) return JSON.parse(held) as { fromMs: number; toMs: number };
  const history = { fromMs: nowMs - demoDays * DAY, toMs: nowMs };
  await writeFile(file, JSON.stringify(history));
  return history;
}
