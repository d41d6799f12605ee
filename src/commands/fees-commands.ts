import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { FeesFlags, ImportFeesFlags } from "./fees.ts";
import { examples } from "./examples.ts";

/** `tieout fees …`. The work itself is loaded when it is asked for. */
export function addFeesCommands(program: Command): void {
  const fees = program
    .command("fees")
    .description("import, list and show fee schedules: the fees and our share agreed with providers")
    .addHelpText(
      ...examples(
        'tieout fees import moonpay.csv --provider moonpay --from 2026-10-01 --reason "contract of September"',
        "tieout fees list",
      ),
    );

  fees
    .command("import <file>")
    .description("add a version of a fee schedule, from CSV or JSON: all of it, or nothing")
    .option("--provider <id>", "the provider; required unless the file names it")
    .option(
      "--from <time>",
      "it applies to orders from this day or time on; required unless the file states it",
    )
    .requiredOption("--reason <text>", "why")
    .option("--account <name>", "the account; required if there are several")
    .option("--preview", "check the file and write nothing", false)
    .option("--json", "print the schedule as JSON", false)
    .addHelpText(
      ...examples(
        'tieout fees import moonpay.csv --provider moonpay --from 2026-10-01 --reason "new prices"',
        'tieout fees import moonpay.json --reason "new prices" --preview',
      ),
    )
    .action(async (file: string, flags: ImportFeesFlags) => {
      const { importFeesCommand } = await import("./fees.ts");
      await importFeesCommand(createContext(), file, flags);
    });

  fees
    .command("list")
    .description("list the versions, newest first for each provider")
    .option("--provider <id>", "one provider only")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout fees list", "tieout fees list --provider moonpay --json"))
    .action(async (flags: FeesFlags & { provider?: string }) => {
      const { listFeesCommand } = await import("./fees.ts");
      await listFeesCommand(createContext(), flags);
    });

  fees
    .command("show <id>")
    .description("print one version, with its terms")
    .option("--json", "print it as JSON", false)
    .addHelpText(...examples("tieout fees show fee_12", "tieout fees show fee_12 --json > terms.json"))
    .action(async (id: string, flags: FeesFlags) => {
      const { showFeesCommand } = await import("./fees.ts");
      await showFeesCommand(createContext(), id, flags);
    });
}
