import type { Command } from "commander";
import { createContext } from "./context.ts";
import type { PersonFlags } from "./people.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout people …`: who may come in, and as what. */
export function addPeopleCommands(program: Command): void {
  const people = program
    .command("people")
    .description("invite people, give them roles, and suspend them")
    .addHelpText(
      ...examples(
        'tieout people invite --name "Grace Hopper" --email grace@example.com --role accountant',
        "tieout people list",
      ),
    );

  people
    .command("invite")
    .description("add a person, and print the link that lets them in")
    .requiredOption("--name <name>", "name to show on screens and in reports")
    .requiredOption("--email <address>", "e-mail address, unique to this person")
    .requiredOption("--role <roles...>", "viewer, accountant, controller, auditor, admin")
    .option("--account <names...>", "the accounts they may see (default: all)")
    .option("--json", "print the person and the link as JSON", false)
    .addHelpText(
      ...examples(
        'tieout people invite --name "Grace Hopper" --email grace@example.com --role accountant',
        'tieout people invite --name "Alan Turing" --email alan@example.com --role controller --account eu --json',
      ),
    )
    .action(later(async () => (await import("./people.ts")).invitePersonCommand));

  people
    .command("list")
    .description("list people with their roles and states")
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout people list", "tieout people list --json"))
    .action(later(async () => (await import("./people.ts")).listPeopleCommand));

  people
    .command("roles <person>")
    .description("change a person's roles or accounts")
    .requiredOption("--role <roles...>", "all the roles they have from now on")
    .option("--account <names...>", "the accounts they may see (default: unchanged)")
    .option("--json", "print the person as JSON", false)
    .addHelpText(
      ...examples(
        "tieout people roles grace@example.com --role accountant controller",
        "tieout people roles per_2 --role auditor --json",
      ),
    )
    .action(later(async () => (await import("./people.ts")).setRolesCommand));

  for (const { name, suspended, description } of [
    { name: "suspend", suspended: true, description: "suspend a person and their keys" },
    { name: "resume", suspended: false, description: "lift a person's suspension" },
  ]) {
    people
      .command(`${name} <person>`)
      .description(description)
      .option("--reason <text>", "for the audit log")
      .option("--json", "print the person as JSON", false)
      .addHelpText(
        ...examples(
          `tieout people ${name} grace@example.com`,
          `tieout people ${name} per_2 --reason "on leave"`,
        ),
      )
      .action(async (who: string, flags: PersonFlags) => {
        const { suspendPersonCommand } = await import("./people.ts");
        await suspendPersonCommand(createContext(), who, { ...flags, suspended });
      });
  }

  people
    .command("link [person]")
    .description("print a link that signs a person in, once; without a name, the first person")
    .option("--json", "print the link as JSON", false)
    .addHelpText(...examples("tieout people link", "tieout people link grace@example.com"))
    .action(later(async () => (await import("./people.ts")).linkPersonCommand));
}
