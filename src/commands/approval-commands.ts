import type { Command } from "commander";
import type { ApprovalFlags } from "./approvals.ts";
import { createContext } from "./context.ts";
import { examples } from "./examples.ts";
import { later } from "./later.ts";

/** `tieout approvals …`: what one person proposed and another decides. */
export function addApprovalCommands(program: Command): void {
  const approvals = program
    .command("approvals")
    .description("list proposals, and approve or reject them")
    .addHelpText(
      ...examples("tieout approvals list", "tieout approvals approve apr_12 --as alan@example.com"),
    );

  approvals
    .command("list")
    .description("list proposals that need a decision")
    .option("--all", "include those already decided", false)
    .option("--json", "print them as JSON", false)
    .addHelpText(...examples("tieout approvals list", "tieout approvals list --all --json"))
    .action(later(async () => (await import("./approvals.ts")).listApprovalsCommand));

  for (const { verb, description, as } of [
    {
      verb: "approve",
      description: "approve someone else's proposal and carry it out",
      as: "the person who approves; never the one who proposed it",
    },
    {
      verb: "reject",
      description: "reject a proposal, or withdraw your own",
      as: "the person who rejects or withdraws it",
    },
  ]) {
    approvals
      .command(`${verb} <approval>`)
      .description(description)
      .requiredOption("--as <email>", as)
      .option("--reason <text>", "why")
      .option("--json", "print the approval as JSON", false)
      .addHelpText(
        ...examples(
          `tieout approvals ${verb} apr_12 --as alan@example.com`,
          `tieout approvals ${verb} 12 --as alan@example.com --reason "agreed by e-mail" --json`,
        ),
      )
      .action(async (id: string, flags: ApprovalFlags) => {
        const { decideApprovalCommand } = await import("./approvals.ts");
        await decideApprovalCommand(createContext(), id, { ...flags, approve: verb === "approve" });
      });
  }
}
