#!/usr/bin/env node
import { extendZodWithOpenApi, z } from "@hono/zod-openapi";
import { Command, CommanderError } from "commander";
import { addCloseCommands } from "./commands/close-commands.ts";
import { createContext, packageVersion } from "./commands/context.ts";
import { addDataCommands } from "./commands/data-commands.ts";
import { examples } from "./commands/examples.ts";
import { addExportFlags } from "./commands/export-flags.ts";
import { addApprovalCommands } from "./commands/approval-commands.ts";
import { addKeyCommands } from "./commands/key-commands.ts";
import { later } from "./commands/later.ts";
import { failureText } from "./commands/failure-text.ts";
import { addPeopleCommands } from "./commands/people-commands.ts";
import { addDiscrepancyCommands } from "./commands/discrepancy-commands.ts";
import { addReceiptCommands } from "./commands/receipt-commands.ts";
import { addFeesCommands } from "./commands/fees-commands.ts";
import { addRatesCommands } from "./commands/rates-commands.ts";
import { addSandboxCommand } from "./commands/sandbox-command.ts";
import { addSettingsCommands } from "./commands/settings-commands.ts";
import { addStatementCommands } from "./commands/statement-commands.ts";
import { addWebhookCommands } from "./commands/webhook-commands.ts";
import { wantsStack } from "./config.ts";
import { TieoutError } from "./core/errors.ts";

// Adds the method by which schemas describe themselves. It has to come before any command is loaded: the bundler keeps no other order.
extendZodWithOpenApi(z);

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 3, differences: 4, interrupted: 130 } as const;

const onFailure = () => {
  process.exitCode = exitCodes.failed;
};
const onDifferences = () => {
  process.exitCode = exitCodes.differences;
};

const program = new Command("tieout")
  .description(
    "Copies every transaction from the aggregator, ties it out with the providers' statements, and reports the result.",
  )
  .version(packageVersion())
  .exitOverride()
  .showSuggestionAfterError()
  .configureOutput({ outputError: (text, write) => write(plainError(text)) });

program
  .command("up")
  .description("run everything in one process")
  .addHelpText(...examples("tieout up", "PORT=9000 TIEOUT_DATA_DIR=./data tieout up"))
  .action(() => run({ api: true, workers: true }));

program
  .command("serve")
  .description("run only the page and the API")
  .addHelpText(...examples("tieout serve", "HOST=0.0.0.0 PORT=80 tieout serve"))
  .action(() => run({ api: true, workers: false }));

program
  .command("work")
  .description("run only the workers and schedules, in any number of processes")
  .addHelpText(...examples("tieout work", "REDIS_URL=redis://127.0.0.1:6379 tieout work"))
  .action(() => run({ api: false, workers: true }));

program
  .command("migrate")
  .description("bring the database up to date")
  .option("--json", "print the result as JSON", false)
  .addHelpText(...examples("tieout migrate", "DATABASE_URL_FILE=/run/secrets/database tieout migrate --json"))
  .action(later(async () => (await import("./commands/migrate.ts")).migrate));

program
  .command("sync")
  .description("read everything up to now, and say what is missing")
  .option("--once", "read once and exit (the only mode; the service reads continuously)", true)
  .option("--from <time>", "read from this time on")
  .option("--to <time>", "report what is missing up to this time")
  .option("--account <name>", "one account only")
  .option("--json", "print the result as JSON", false)
  .addHelpText(
    ...examples("tieout sync --once", "tieout sync --once --from 2026-01-01T00:00:00Z --account eu --json"),
  )
  .action(later(async () => (await import("./commands/sync.ts")).sync, onFailure));

program
  .command("verify")
  .description("recompute every hash and digest; with --deep, read the aggregator again and compare")
  .option("--from <time>", "status rows from this time on")
  .option("--to <time>", "status rows before this time")
  .option("--deep", "read the aggregator again and compare; 90 days unless --from says otherwise", false)
  .option("--audit-head <head>", "number:hash of an earlier audit entry, which must still be in the log")
  .option("--json", "print the result as JSON", false)
  .addHelpText(...examples("tieout verify", "tieout verify --deep --from 2026-06-01 --to 2026-07-01"))
  .action(later(async () => (await import("./commands/verify.ts")).verify, onDifferences));

program
  .command("rebuild")
  .description("rebuild the transactions from their status rows")
  .option("--json", "print the result as JSON", false)
  .addHelpText(...examples("tieout rebuild", "tieout rebuild --json"))
  .action(later(async () => (await import("./commands/rebuild.ts")).rebuild));

program
  .command("reconcile")
  .description("match the providers' statements with the transactions, and say what disagrees")
  .option("--provider <id>", "one provider only")
  .option("--account <name>", "one account only")
  .option("--as-at <time>", "reconcile as at this time, and store nothing")
  .option("--known-at <time>", "use only what was known at this time, and store nothing")
  .option("--full", "check everything again, not only what is new", false)
  .option("--verbose", "the money of every account, also where there are several", false)
  .option("--json", "print the result as JSON", false)
  .addHelpText(
    ...examples(
      "tieout reconcile",
      "tieout reconcile --provider moonpay --as-at 2026-10-01T00:00:00Z --json",
    ),
  )
  .action(later(async () => (await import("./commands/reconcile.ts")).reconcile));

addStatementCommands(program, onDifferences);
addReceiptCommands(program, onDifferences);
addDiscrepancyCommands(program, onDifferences);
addCloseCommands(program, onDifferences);
addDataCommands(program, onDifferences);

addSettingsCommands(program);
addFeesCommands(program);
addRatesCommands(program);

program
  .command("lake")
  .description("keep a folder of Parquet files up to date with the views of the reporting schema")
  .option("--dir <folder>", "the lake's folder; created if missing (default: LAKE_DIR, or FILES_URL)")
  .option("--json", "print the result as JSON", false)
  .addHelpText(...examples("tieout lake --dir /data/lake", "tieout lake --dir ./lake --json"))
  .action(later(async () => (await import("./commands/lake.ts")).lakeCommand));

program
  .command("doctor")
  .description("check the machine, the configuration, the database, the queue and the clock")
  .option("--json", "print the result as JSON", false)
  .addHelpText(...examples("tieout doctor", "tieout doctor --json"))
  .action(later(async () => (await import("./commands/doctor.ts")).doctor, onFailure));

addSandboxCommand(program);

program
  .command("conformance")
  .description("check a server against the interface specification")
  .option("--base-url <address>", "address of the current surface")
  .option("--legacy-base-url <address>", "address of the legacy surface; without it, its checks do not apply")
  .option("--api-key <key>", "key of an account")
  .option("--api-secret <secret>", "its secret, for a server on this machine only")
  .option("--api-secret-file <file>", "file with its secret; or CONFORMANCE_API_SECRET")
  .option("--other-api-key <key>", "key of a second account, to check that neither sees the other")
  .option("--other-api-secret <secret>", "its secret, for a server on this machine only")
  .option("--other-api-secret-file <file>", "file with its secret; or CONFORMANCE_OTHER_API_SECRET")
  .option("--allow-writes", "also run the checks that leave something behind", false)
  .option("--only <names>", "only these groups or checks: transactions,rate.is-an-array")
  .option("--json", "print the report as JSON", false)
  .option("--html", "print the report as a page to attach to a ticket", false)
  .addHelpText(
    ...examples(
      "tieout conformance --base-url http://127.0.0.1:4010 --api-key pk_sandbox --api-secret sk_sandbox",
      "tieout conformance --base-url https://api.example.com --api-key KEY --api-secret-file secret.txt --html > report.html",
    ),
  )
  .action(later(async () => (await import("./commands/conformance.ts")).conformance, onDifferences));

addExportFlags(program.command("export <report>"))
  .description("write a report: transactions, rates, daily-summary …; see docs/reports.md for all reports")
  .addHelpText(
    ...examples(
      "tieout export transactions --from 2026-10-01 --to 2026-11-01 --tz Europe/London --out october.csv",
      "tieout export position --from 2026-10-01 --to 2026-11-01 --preset excel --out .",
    ),
  )
  .action(later(async () => (await import("./commands/export.ts")).exportCommand));

addApprovalCommands(program);
addKeyCommands(program);
addPeopleCommands(program);

addWebhookCommands(program);

// A reader that goes away (`| head`) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Names that other programs have for what is asked here under another one. */
function plainError(text: string): string {
  return text
    .replace(/^error: /, "tieout: ")
    .replace(
      /(unknown command '(?:status|health|check)')\n\(Did you mean .*\?\)/,
      "$1\n(tieout doctor says what works and what does not; tieout sync --once, what is missing)",
    );
}

async function run(parts: { api: boolean; workers: boolean }): Promise<void> {
  const { runService } = await import("./commands/up-serve-work.ts");
  await runService(createContext(), parts);
}

function report(error: unknown): number {
  // Commander has already written its line.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  process.stderr.write(failureText(error, { withStack: wantsStack() }));
  if (!(error instanceof TieoutError)) return exitCodes.failed;
  if (error.code === "config_invalid") return exitCodes.configuration;
  if (error.code === "interrupted") return exitCodes.interrupted;
  return error.code === "usage" ? exitCodes.usage : exitCodes.failed;
}
