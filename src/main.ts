#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { createContext, packageVersion } from "./commands/context.ts";
import { wantsStack } from "./config.ts";
import { TieoutError } from "./core/errors.ts";

const exitCodes = { ok: 0, failed: 1, usage: 2, configuration: 3, differences: 4 } as const;

const program = new Command("tieout")
  .description(
    "Copies every transaction of the aggregator, ties it out with the providers' statements, and reports.",
  )
  .version(packageVersion())
  .exitOverride()
  .showSuggestionAfterError()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "tieout: ")) });

program
  .command("up")
  .description("run everything in one process")
  .addHelpText("after", examples("tieout up", "PORT=9000 TIEOUT_DATA_DIR=./data tieout up"))
  .action(() => run({ api: true, workers: true }));

program
  .command("serve")
  .description("run the API alone")
  .addHelpText("after", examples("tieout serve", "HOST=0.0.0.0 PORT=80 tieout serve"))
  .action(() => run({ api: true, workers: false }));

program
  .command("work")
  .description("run the workers and schedules alone; any number of processes")
  .addHelpText("after", examples("tieout work", "REDIS_URL=redis://127.0.0.1:6379 tieout work"))
  .action(() => run({ api: false, workers: true }));

program
  .command("migrate")
  .description("bring the database up to date")
  .option("--json", "print the result as JSON", false)
  .addHelpText(
    "after",
    examples("tieout migrate", "DATABASE_URL_FILE=/run/secrets/database tieout migrate --json"),
  )
  .action(async (options: { json: boolean }) => {
    const { migrate } = await import("./commands/migrate.ts");
    await migrate(createContext(), options);
  });

program
  .command("doctor")
  .description("check the machine, the configuration, the database, the queue and the clock")
  .option("--json", "print the result as JSON", false)
  .addHelpText("after", examples("tieout doctor", "tieout doctor --json"))
  .action(async (options: { json: boolean }) => {
    const { doctor } = await import("./commands/doctor.ts");
    const healthy = await doctor(createContext(), options);
    if (!healthy) process.exitCode = exitCodes.failed;
  });

// A reader that goes away (`| head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Commands are loaded when they are asked for: a typing error should be answered at once. */
async function run(parts: { api: boolean; workers: boolean }): Promise<void> {
  const { runService } = await import("./commands/up-serve-work.ts");
  await runService(createContext(), parts);
}

function report(error: unknown): number {
  // Commander has already written its line.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const message = error instanceof Error ? error.message : String(error);
  const stack = wantsStack() && error instanceof Error ? `\n${error.stack}` : "";
  process.stderr.write(`tieout: ${message}${stack}\n`);
  if (!(error instanceof TieoutError)) return exitCodes.failed;
  if (error.code === "config_invalid") return exitCodes.configuration;
  return error.code === "usage" ? exitCodes.usage : exitCodes.failed;
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
}
