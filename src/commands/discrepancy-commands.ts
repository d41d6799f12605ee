import type { Command } from "commander";
import { createContext } from "./context.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout discrepancies …`: the round trip of a spreadsheet. */
export function addDiscrepancyCommands(program: Command, onDifferences: () => void): void {
  const discrepancies = program
    .command("discrepancies")
    .description("export open discrepancies to a workbook, and import decisions, owners and notes from it")
    .addHelpText(
      ...examples("tieout discrepancies export --out open.xlsx", "tieout discrepancies import open.xlsx"),
    );

  discrepancies
    .command("export")
    .description("write the open discrepancies to a workbook to fill in")
    .requiredOption("--out <file>", "the workbook to write")
    .option("--provider <id>", "one provider only")
    .option("--account <name>", "one account only")
    .addHelpText(
      ...examples(
        "tieout discrepancies export --out open.xlsx",
        "tieout discrepancies export --provider moonpay --out moonpay.xlsx",
      ),
    )
    .action(later(async () => (await import("./discrepancies.ts")).exportDiscrepancies));

  const bookedAt = [
    "--booked-at <day>",
    "from which day the decisions count, in an open month (default: today)",
  ] as const;
  const take = (preview: boolean) => async (file: string, flags: { json: boolean; bookedAt?: string }) => {
    const { takeDiscrepancies } = await import("./discrepancies.ts");
    if (!(await takeDiscrepancies(createContext(), file, { ...flags, preview }))) onDifferences();
  };

  discrepancies
    .command("preview <file>")
    .description("show what a filled-in workbook would change, and change nothing")
    .option(...bookedAt)
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples("tieout discrepancies preview open.xlsx", "tieout discrepancies preview open.xlsx --json"),
    )
    .action(take(true));

  discrepancies
    .command("import <file>")
    .description("import a filled-in workbook; rows that someone else has changed are rejected")
    .option(...bookedAt)
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        "tieout discrepancies import open.xlsx",
        "tieout discrepancies import open.xlsx --booked-at 2026-10-31",
        "tieout discrepancies import open.xlsx --json",
      ),
    )
    .action(take(false));
}
