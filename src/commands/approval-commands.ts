import type { Command } from "commander";
import type { ApprovalFlags } from "./approvals.ts";
import { createContext } from "./context.ts";

/** `tieout approvals …`: what one person proposed and another decides. */
export function addApprovalCommands(program: Command, examples: (...lines: string[]) => string): void {
  const approvals = program
    .command("approvals")
    .description("list what was proposed, approve it or reject it")
    .addHelpText(
      "after",
      examples("tieout approvals list", "tieout approvals approve apr_12 --as alan@example.com"),
    );

  approvals
    .command("list")
    .description("list what waits for a decision")
    .option("--all", "what was decided as well", false)
    .option("--json", "print them as JSON", false)
    .addHelpText("after", examples("tieout approvals list", "tieout approvals list --all --json"))
    .action(async (flags: ApprovalFlags) => {
      const { listApprovalsCommand } = await import("./approvals.ts");
      await listApprovalsCommand(createContext(), flags);
    });

  for (const { verb, description } of [
    { verb: "approve", description: "approve a proposal of another person, and do it" },
    { verb: "reject", description: "reject a proposal, or withdraw one's own" },
  ]) {
    approvals
      .command(`${verb} <approval>`)
      .description(description)
      .requiredOption("--as <email>", "the person who decides; never the one who proposed it")
      .option("--reason <text>", "why")
      .option("--json", "print the approval as JSON", false)
      .addHelpText(
        "after",
        examples(
          `tieout approvals ${verb} apr_12 --as alan@example.com`,
          `tieout approvals ${verb} 12 --as alan@example.com --reason "agreed by mail" --json`,
        ),
      )
      .action(async (id: string, flags: ApprovalFlags) => {
        const { decideApprovalCommand } = await import("./approvals.ts");
        await decideApprovalCommand(createContext(), id, { ...flags, approve: verb === "approve" });
      });
  }
}
