import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout fees …`. */
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
    .action(later(async () => (await import("./fees.ts")).importFeesCommand));

  fees
    .command("list")
    .description("list the versions, newest first for each provider")
    .option("--provider <id>", "one provider only")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout fees list", "tieout fees list --provider moonpay --json"))
    .action(later(async () => (await import("./fees.ts")).listFeesCommand));

  fees
    .command("show <id>")
    .description("print one version, with its terms")
    .option("--json", "print it as JSON", false)
    .addHelpText(...examples("tieout fees show fee_12", "tieout fees show fee_12 --json > terms.json"))
    .action(later(async () => (await import("./fees.ts")).showFeesCommand));
}
