import { type Command, InvalidArgumentError } from "commander";
import type { CloseFlags } from "./close.ts";
import { createContext } from "./context.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout close …`. */
export function addCloseCommands(program: Command, onDifferences: () => void): void {
  const close = program
    .command("close")
    .description("close a month: checklist, two signatures, and the evidence in one file")
    .addHelpText(...examples("tieout close status", "tieout close prepare 2026-10"));

  withFlags(close.command("status [month]"))
    .description("show the state of all months, or the checklist of one")
    .addHelpText(...examples("tieout close status", "tieout close status 2026-10 --json"))
    .action(async (month: string | undefined, flags: CloseFlags) => {
      const { showStatus } = await import("./close.ts");
      await showStatus(createContext(), month ?? null, flags);
    });

  withFlags(close.command("prepare <month>"))
    .description("sign a month as it is known now: the first of two signatures")
    .option(
      "--accept <line=reason>",
      "sign even though this line of the checklist is red, for this reason; may be repeated",
      readAccepted,
      [],
    )
    .addHelpText(
      ...examples(
        "tieout close prepare 2026-10",
        'tieout close prepare 2026-10 --accept "discrepancies=asked the provider, ticket 481"',
      ),
    )
    .action(later(async () => (await import("./close.ts")).prepare, onDifferences));

  withFlags(close.command("approve <month>"))
    .description("close the month with the second signature, by someone else")
    .option("--pack-sha256 <hash>", "the hash you reviewed; any other is refused")
    .addHelpText(
      ...examples("tieout close approve 2026-10", "tieout close approve 2026-10 --account eu --json"),
    )
    .action(later(async () => (await import("./close.ts")).approve));

  withFlags(close.command("reopen <month>"))
    .description("ask to reopen a closed month, or agree to it")
    .requiredOption("--reason <text>", "why")
    .addHelpText(
      ...examples(
        'tieout close reopen 2026-10 --reason "a refund of 30 October was missing"',
        "tieout close reopen 2026-10 --reason agreed --account eu",
      ),
    )
    .action(later(async () => (await import("./close.ts")).reopen));

  withFlags(close.command("carry <month>"))
    .description("carry open errors into the next month: assigns them to an owner, with a reason")
    .requiredOption(
      "--owner <person>",
      "who looks after them from now on: a name or e-mail of tieout people list",
    )
    .requiredOption("--reason <text>", "why they are not closed yet")
    .option("--provider <id>", "only those of this provider")
    .option("--code <code>", "only those with this code")
    .addHelpText(
      ...examples(
        'tieout close carry 2026-10 --owner carol@example.com --reason "asked the provider"',
        'tieout close carry 2026-10 --code missing_from_statement --owner "Carol Example" --reason "file is late"',
      ),
    )
    .action(later(async () => (await import("./close.ts")).carry));

  withFlags(close.command("pack <month>"))
    .description("write the evidence of a signed month: one zip, the same bytes every time")
    .option("--out <file>", "where to write it (default: the current folder)")
    .option("--pack-sha256 <hash>", "the pack of an earlier close, by the hash that was signed then")
    .addHelpText(
      ...examples(
        "tieout close pack 2026-10",
        "tieout close pack 2026-10 --out october.zip",
        "tieout close pack 2026-10 --pack-sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      ),
    )
    .action(later(async () => (await import("./close.ts")).pack));

  close
    .command("verify <pack>")
    .description("check a pack: every byte of it, on any machine, without a database")
    .option("--key <file>", "the service's public key, from /signing-key.pem")
    .option("--json", "print the result as JSON", false)
    .addHelpText(
      ...examples(
        "tieout close verify tieout-default-2026-10.zip --key signing-key.pem",
        "tieout close verify october.zip --json",
      ),
    )
    .action(async (file: string, flags: { key?: string; json: boolean }) => {
      const { verifyPackCommand } = await import("./close-verify.ts");
      await verifyPackCommand(file, flags);
    });
}

function withFlags(command: Command): Command {
  return command
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "print the result as JSON", false);
}

function readAccepted(text: string, held: { line: string; reason: string }[]) {
  const at = text.indexOf("=");
  if (at < 1 || text.slice(at + 1).trim() === "")
    throw new InvalidArgumentError("expected a line and a reason: discrepancies=asked the provider");
  return [...held, { line: text.slice(0, at), reason: text.slice(at + 1).trim() }];
}
