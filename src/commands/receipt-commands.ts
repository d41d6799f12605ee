import { type Command, Option } from "commander";
import { receiptFormats } from "../core/receipt-line.ts";
import { createContext } from "./context.ts";
import type { MatchFlags, TakeReceiptFlags } from "./receipt.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout receipt …`. */
export function addReceiptCommands(program: Command, onDifferences: () => void): void {
  const receipt = program
    .command("receipt")
    .description("preview, import, list, withdraw and match the files of banks and wallets")
    .addHelpText(
      ...examples("tieout receipt preview bank-2026-11.xml", "tieout receipt import bank-2026-11.xml"),
    );

  const take = (preview: boolean) => async (file: string, flags: TakeReceiptFlags) => {
    const { takeReceipts } = await import("./receipt.ts");
    if (!(await takeReceipts(createContext(), file, flags, { preview }))) onDifferences();
  };
  addTakeFlags(receipt.command("preview <file>"))
    .description("show what an import would do, and write nothing")
    .addHelpText(
      ...examples(
        "tieout receipt preview november.sta",
        "tieout receipt preview bank.csv --profile own.json",
      ),
    )
    .action(take(true));
  addTakeFlags(receipt.command("import <file>"))
    .description("import a file: all of it, or nothing")
    .addHelpText(
      ...examples(
        "tieout receipt import november.xml",
        "tieout receipt import bank.csv --bank-account DE89 --currency EUR",
      ),
    )
    .action(take(false));

  receipt
    .command("list")
    .description("list files, or with --lines their lines, newest first")
    .option("--account <name>", "one account only")
    .option("--lines", "lines instead of files", false)
    .option("--unmatched", "only unmatched incoming lines", false)
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout receipt list", "tieout receipt list --lines --unmatched --json"))
    .action(later(async () => (await import("./receipt.ts")).listReceipts));

  receipt
    .command("show <id>")
    .description("show a file with its balances, or a line with what it settles and might settle")
    .option("--json", "print it as JSON", false)
    .addHelpText(...examples("tieout receipt show rcf_12", "tieout receipt show rcl_4711 --json"))
    .action(later(async () => (await import("./receipt.ts")).showReceipt));

  receipt
    .command("withdraw <id>")
    .description("withdraw a whole file; nothing is deleted")
    .requiredOption("--reason <text>", "why")
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        'tieout receipt withdraw rcf_12 --reason "wrong account"',
        'tieout receipt withdraw rcf_12 --reason "wrong account" --json',
      ),
    )
    .action(later(async () => (await import("./receipt.ts")).withdrawReceiptsCommand));

  addMatching(receipt);
}

function addMatching(receipt: Command): void {
  receipt
    .command("match <line> <payout>")
    .description("match a bank line with a payout")
    .requiredOption("--reason <text>", "why")
    .option("--amount <amount>", "how much of it (default: what is left)")
    .option("--bank-fee <amount>", "what the bank kept of the payout")
    .option("--booked-at <day>", "from which day it counts, in an open month (default: today)")
    .option("--json", "print the match as JSON", false)
    .addHelpText(
      ...examples(
        'tieout receipt match rcl_4711 po_12 --reason "confirmed by e-mail"',
        'tieout receipt match rcl_4711 po_12 --reason "confirmed by e-mail" --booked-at 2026-10-31',
        'tieout receipt match rcl_4711 po_12 --amount 200 --bank-fee 4.17 --reason "confirmed by e-mail"',
      ),
    )
    .action(async (line: string, payout: string, flags: MatchFlags) => {
      const { matchReceiptCommand } = await import("./receipt.ts");
      await matchReceiptCommand(createContext(), { line, payout }, flags);
    });

  receipt
    .command("unmatch <match>")
    .description("unmatch a bank line from a payout; no rule will match the two again")
    .requiredOption("--reason <text>", "why")
    .option("--json", "print the match as JSON", false)
    .addHelpText(
      ...examples(
        'tieout receipt unmatch rcm_9 --reason "another payout"',
        'tieout receipt unmatch rcm_9 --reason "another payout" --json',
      ),
    )
    .action(later(async () => (await import("./receipt.ts")).unmatchReceiptCommand));
}

/** What preview and import both take. */
function addTakeFlags(command: Command): Command {
  return command
    .option("--account <name>", "the account; required if there are several")
    .addOption(
      new Option("--format <format>", "the format (default: detected from the file)").choices([
        ...receiptFormats,
      ]),
    )
    .option(
      "--profile <name|file>",
      "for a CSV file: the name of a built-in profile, or a .json file of your own",
    )
    .option("--encoding <name>", "encoding of a file that does not state it and is not UTF-8")
    .option("--bank-account <number>", "bank account, for a CSV file without a column for it; or your wallet")
    .option("--currency <code>", "currency, for a CSV file without a column for it")
    .option(
      "--accept <reason>",
      "import a file that is cut off, or whose balances do not add up, for this reason",
    )
    .option("--json", "print the result as JSON", false);
}
