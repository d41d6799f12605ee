import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { SettingFlags } from "./settings.ts";
import { examples } from "./examples.ts";

/** `tieout settings …`. The work itself is loaded when it is asked for. */
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
    .action(async (name: string | undefined, flags: SettingFlags) => {
      const { showSettingsCommand } = await import("./settings.ts");
      await showSettingsCommand(createContext(), name, flags);
    });

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
    .action(async (name: string, value: string, flags: SettingFlags & { reason: string }) => {
      const { setSettingCommand } = await import("./settings.ts");
      await setSettingCommand(createContext(), name, value, flags);
    });
}
