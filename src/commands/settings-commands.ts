import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout settings …`. */
export function addSettingsCommands(program: Command): void {
  const settings = program
    .command("settings")
    .description("show and change an account's settings: chart of accounts, functional currency, calendar")
    .addHelpText(
      ...examples(
        "tieout settings show",
        'tieout settings set functional_currency EUR --reason "our books are in euro"',
      ),
    );

  settings
    .command("show [name]", { isDefault: true })
    .description("print one setting as JSON, or all of them")
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "also print who set it, when and why", false)
    .addHelpText(
      ...examples(
        "tieout settings show chart_of_accounts > chart.json",
        "tieout settings show calendar --json",
      ),
    )
    .action(later(async () => (await import("./settings.ts")).showSettingsCommand));

  settings
    .command("set <name> <value>")
    .description("save a new version: a text, JSON, @file, or the word default to go back to the default")
    .requiredOption("--reason <text>", "why")
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "print the setting as JSON", false)
    .addHelpText(
      ...examples(
        'tieout settings set chart_of_accounts @chart.json --reason "our own numbers"',
        `tieout settings set calendar '{"zone":"Europe/London","first_month":"2026-09"}' --reason "we close in London"`,
      ),
    )
    .action(later(async () => (await import("./settings.ts")).setSettingCommand));
}
