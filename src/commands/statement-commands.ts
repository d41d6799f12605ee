import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { TakeStatementFlags } from "./statement-flags.ts";
import { addProfileCommands } from "./statement-profile-commands.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout statement …`. */
export function addStatementCommands(program: Command, onDifferences: () => void): void {
  const statement = program
    .command("statement")
    .description("preview, import, list and withdraw the providers' statements")
    .addHelpText(
      ...examples(
        "tieout statement preview moonpay-2026-10.csv",
        "tieout statement import moonpay-2026-10.csv",
      ),
    );

  const take = (preview: boolean) => async (file: string, flags: TakeStatementFlags) => {
    const { takeStatement } = await import("./statement.ts");
    if (!(await takeStatement(createContext(), file, flags, { preview }))) onDifferences();
  };

  addTakeFlags(statement.command("preview <file>"))
    .description("show what an import would do, and write nothing")
    .addHelpText(
      ...examples(
        "tieout statement preview october.csv",
        "tieout statement preview october.csv --profile own.json --rejects rejects.csv",
      ),
    )
    .action(take(true));

  addTakeFlags(statement.command("import <file>"))
    .description("import a file: all of it, or nothing")
    .addHelpText(
      ...examples(
        "tieout statement import october.csv",
        "tieout statement import fixed.csv --replaces stm_12",
      ),
    )
    .action(take(false));

  statement
    .command("list")
    .description("list statements, newest first")
    .option("--account <name>", "one account only")
    .option("--provider <id>", "one provider only")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout statement list", "tieout statement list --provider moonpay --json"))
    .action(later(async () => (await import("./statement.ts")).listStatementsCommand));

  statement
    .command("withdraw <id>")
    .description("withdraw a whole statement; nothing is deleted")
    .requiredOption("--reason <text>", "why")
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        'tieout statement withdraw stm_12 --reason "wrong month"',
        'tieout statement withdraw 12 --reason "wrong month" --json',
      ),
    )
    .action(later(async () => (await import("./statement.ts")).withdrawStatementCommand));

  addProfileCommands(statement);
}

/** What preview and import both take: a preview shows what the import with the same words does. */
function addTakeFlags(command: Command): Command {
  return command
    .option("--provider <id>", "the provider (default: detected from the header)")
    .option("--account <name>", "the account; required if there are several")
    .option(
      "--profile <name|file>",
      "the profile, if the header alone does not decide: the name of a known one, or a .json file of your own, which an import saves for the next file",
    )
    .option("--generated-at <time>", "when the provider generated the file")
    .option("--period-from <time>", "start of what the file covers, inclusive")
    .option("--period-to <time>", "end of what the file covers, exclusive")
    .option("--replaces <id>", "the statement that this file corrects, which is withdrawn at once")
    .option("--accept <reason>", "import a file that is cut off, or whose totals differ, for this reason")
    .option("--rejects <file>", "write every rejected row to a CSV file, with the reason and its text")
    .option("--json", "print the result as JSON", false);
}
