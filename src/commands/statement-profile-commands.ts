import type { Command } from "commander";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout statement profiles …`. */
export function addProfileCommands(statement: Command): void {
  const profiles = statement
    .command("profiles")
    .description("list, show and retire the profiles that statements are read with")
    .addHelpText(
      ...examples("tieout statement profiles list", "tieout statement profiles show moonpay > own.json"),
    );

  profiles
    .command("list", { isDefault: true })
    .description("list the profiles of an account: its own, and the built-in ones")
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout statement profiles", "tieout statement profiles list --json"))
    .action(later(async () => (await import("./statement-profiles.ts")).listProfilesCommand));

  profiles
    .command("show <name>")
    .description("print a profile as JSON, ready to be changed and used with --profile")
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "print also who saved it", false)
    .addHelpText(
      ...examples(
        "tieout statement profiles show banxa > own.json",
        "tieout statement profiles show kappa --json",
      ),
    )
    .action(later(async () => (await import("./statement-profiles.ts")).showProfileCommand));

  profiles
    .command("retire <name>")
    .description("stop using a profile of your own; what was read with it stays")
    .requiredOption("--reason <text>", "why")
    .option("--account <name>", "the account; required if there are several")
    .option("--json", "print the profile as JSON", false)
    .addHelpText(
      ...examples(
        'tieout statement profiles retire kappa --reason "they send another layout now"',
        'tieout statement profiles retire odd-file --reason "one file only" --json',
      ),
    )
    .action(later(async () => (await import("./statement-profiles.ts")).retireProfileCommand));
}
