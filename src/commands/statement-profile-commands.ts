import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { ProfileFlags } from "./statement-profiles.ts";
import { examples } from "./examples.ts";

/** `tieout statement profiles …`. The work itself is loaded when it is asked for. */
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
    .action(async (flags: ProfileFlags) => {
      const { listProfilesCommand } = await import("./statement-profiles.ts");
      await listProfilesCommand(createContext(), flags);
    });

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
    .action(async (name: string, flags: ProfileFlags) => {
      const { showProfileCommand } = await import("./statement-profiles.ts");
      await showProfileCommand(createContext(), name, flags);
    });

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
    .action(async (name: string, flags: ProfileFlags & { reason: string }) => {
      const { retireProfileCommand } = await import("./statement-profiles.ts");
      await retireProfileCommand(createContext(), name, flags);
    });
}
