import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout rates …`. */
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
    .action(later(async () => (await import("./rates.ts")).importRatesCommand));

  rates
    .command("list")
    .description("list the rates in force, newest day first")
    .option("--base <currency>", "only with this base currency")
    .option("--quote <currency>", "only with this quote currency")
    .option("--limit <count>", "how many to list at most", "100")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout rates list", "tieout rates list --base EUR --quote USD --json"))
    .action(later(async () => (await import("./rates.ts")).listRatesCommand));
}
