import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout keys …` */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command("keys")
    .description("create, list and revoke API keys")
    .addHelpText(
      ...examples("tieout keys create --name month-end --role accountant --expires 90d", "tieout keys list"),
    );

  keys
    .command("create")
    .description("create a key and print it, once")
    .requiredOption("--name <name>", "who uses it, and for what")
    .option("--role <role>", "viewer, accountant, controller, auditor or admin (default: viewer)")
    .option("--scope <scopes...>", "scopes in addition to the role; without a role, exactly these")
    .option("--account <names...>", "the accounts it may see (default: all)")
    .option(
      "--owner <email>",
      "the person responsible for it; it may do no more than they may, and stops working when they are suspended",
    )
    .option("--expires <duration>", "lifetime, for example 90d (default and maximum: one year)")
    .option("--replaces <id>", "the key it replaces, which expires after the overlap")
    .option("--overlap <duration>", "how long both work (default: 1d)")
    .option("--json", 'print {"key": …} as JSON', false)
    .addHelpText(
      ...examples(
        "tieout keys create --name month-end --role accountant --json",
        "tieout keys create --name prometheus --scope metrics:read",
      ),
    )
    .action(later(async () => (await import("./keys.ts")).createKeyCommand));

  keys
    .command("list")
    .description("list the keys, without their secrets")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout keys list", "tieout keys list --json"))
    .action(later(async () => (await import("./keys.ts")).listKeysCommand));

  keys
    .command("revoke <id>")
    .description("revoke a key, permanently")
    .option("--json", "print the key as JSON", false)
    .addHelpText(...examples("tieout keys revoke key_3fK9ZQ2b", "tieout keys revoke key_3fK9ZQ2b --json"))
    .action(later(async () => (await import("./keys.ts")).revokeKeyCommand));
}
