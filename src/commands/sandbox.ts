import { counted } from "../core/counted.ts";
import { sandboxDefaults } from "../sandbox/options.ts";
import { formatInstant } from "../core/instant.ts";
import { type RunningSandbox, startSandbox } from "../sandbox/server.ts";
import type { CommandContext } from "./context.ts";
import { writeOut } from "./write-out.ts";
import { holdSandboxFolder } from "./sandbox-folder.ts";
import { readSandboxFlags, type SandboxFlags, type SandboxPlan } from "./sandbox-options.ts";
import { untilStopped } from "./until-stopped.ts";

/** Runs the aggregator as a local service until someone stops it. */
export async function runSandbox(context: CommandContext, flags: SandboxFlags): Promise<void> {
  const { config, now, say } = context;
  const plan = readSandboxFlags(flags, now);
  const stopped = untilStopped();
  const folder = await holdSandboxFolder({ dataDir: config.dataDir, chosen: flags.dataDir });
  try {
    const sandbox = await startSandbox({
      ...plan,
      now,
      dataDir: folder.path,
      warn: (message) => say(`Warning: ${message}`),
    });
    for (const line of describe(plan, sandbox, folder.path)) say(line);
    if (flags.json) writeOut(`${JSON.stringify(present(plan, sandbox, folder.path))}\n`);
    await stopped;
    say("Stopping …");
    await sandbox.close();
  } finally {
    await folder.release();
  }
  say("Stopped.");
}

function describe(plan: SandboxPlan, sandbox: RunningSandbox, folder: string): string[] {
  const { seed, transactions, fromMs, toMs, live } = plan;
  const history =
    transactions === 0
      ? "empty"
      : `${counted(transactions, "transaction")} from ${formatInstant(fromMs)} to ${formatInstant(toMs)}` +
        `${live ? ", and going on" : ""}, seed ${JSON.stringify(seed)}`;
  const [first, ...others] = plan.accounts;
  return [
    `Current surface: ${sandbox.url}`,
    `Legacy surface: ${sandbox.legacyUrl}`,
    `Start page: ${sandbox.url}/`,
    `Key: ${sandbox.apiKey}`,
    // One that someone chose may be in use elsewhere too; the default is in the documentation.
    `Secret: ${sandbox.apiSecret === sandboxDefaults.apiSecret ? sandbox.apiSecret : "as given"}`,
    ...(others.length === 0 ? [] : [`Other accounts: ${others.map(({ name }) => name).join(", ")}`]),
    ...(plan.accounts.length > 1 || first.webhook === null ? [] : [`Events go to: ${first.webhook.url}`]),
    ...(plan.control ? [`Control: ${sandbox.url}/sandbox/control`] : []),
    `History: ${history}`,
    `Checkouts: kept in ${folder}`,
    "Ready. Stop with Ctrl-C.",
  ];
}

/** For scripts: the names are those of `TIEOUT_ACCOUNTS_FILE`. */
function present(plan: SandboxPlan, sandbox: RunningSandbox, folder: string) {
  return {
    baseUrl: sandbox.url,
    legacyBaseUrl: sandbox.legacyUrl,
    apiKey: sandbox.apiKey,
    port: sandbox.port,
    seed: plan.seed,
    transactions: plan.transactions,
    from: formatInstant(plan.fromMs),
    to: formatInstant(plan.toMs),
    live: plan.live,
    dataDir: folder,
  };
}
