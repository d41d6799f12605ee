import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { ListRatesFlags } from "./rates.ts";
import { examples } from "./examples.ts";

/** `tieout rates …`. The work itself is loaded when it is asked for. */
export function addRatesCommands(program: Command): void {
  const rates = program
    .command("rates")
    .description("import and list exchange rates, for figures in the functional currency")
    .addHelpText(...examples("tieout rates import eurofxref-hist.csv", "tieout rates list --quote USD"));

  rates
    .command("import <file>")
    .description("add rates from the ECB's reference rates, or a table of date,base,quote,rate,source")
    .option("--accept <reason>", "import rates that are far from those known already, and say why")
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples("tieout rates import eurofxref-hist.csv", "tieout rates import own-rates.csv --json"),
    )
    .action(async (file: string, flags: { json: boolean; accept?: string }) => {
      const { importRatesCommand } = await import("./rates.ts");
      await importRatesCommand(createContext(), file, flags);
    });

  rates
    .command("list")
    .description("list the rates in force, newest day first")
    .option("--base <currency>", "only with this base currency")
    .option("--quote <currency>", "only with this quote currency")
    .option("--limit <count>", "how many to list at most", "100")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout rates list", "tieout rates list --base EUR --quote USD --json"))
    .action(async (flags: ListRatesFlags) => {
      const { listRatesCommand } = await import("./rates.ts");
      await listRatesCommand(createContext(), flags);
    });
}
