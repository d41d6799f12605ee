import { proposeErasure } from "../api/erasures/propose-erasure.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { type ErasureResult, previewErasure } from "../reconcile/erasure/erase.ts";
import type { ErasureSubject } from "../store/erasure/find-affected.ts";
import { deciderNamed } from "./approvals.ts";
import type { CommandContext } from "./context.ts";
import { openErasureKey } from "./erasure-key.ts";
import { refuseEmptyFolder } from "./open-store.ts";
import { writeOut } from "./write-out.ts";
import { chooseAccount } from "./choose-account.ts";
import { withStore } from "./with-store.ts";

interface EraseFlags {
  wallet?: string;
  transaction?: string;
  account?: string;
  reason?: string;
  as?: string;
  dryRun: boolean;
  json: boolean;
}

/** Proposes that everything about a wallet or a transaction that could name a person is replaced, for good. */
export async function eraseCommand(context: CommandContext, flags: EraseFlags): Promise<void> {
  const named = readSubject(flags);
  const wanted = flags.dryRun ? null : readProposal(flags);
  // Before the key is drawn.
  refuseEmptyFolder(context);
  const key = await openErasureKey(context.config);
  await withStore(context, async ({ database }) => {
    const { id: accountId } = await chooseAccount(database, flags.account);
    const subject: ErasureSubject = { accountId, ...named };
    const show = (approval: string | null, { counts, closedMonths }: ErasureResult) => {
      const result = { approval, counts, closed_months: closedMonths };
      writeOut(flags.json ? `${JSON.stringify(result)}\n` : asLines(counts));
      if (closedMonths.length > 0)
        context.say(
          `The packs of ${closedMonths.join(", ")} contain the data, and cannot be made or downloaded after the erasure: download them first.`,
        );
    };
    if (wanted === null) {
      show(null, await previewErasure({ database, key }, subject));
      return;
    }
    const proposer = await deciderNamed(database, wanted.as);
    refuseOther(proposer, accountId);
    const { approvalId, ...result } = await proposeErasure(
      { database, key },
      subject,
      { reason: wanted.reason, proposedBy: proposer.personId ?? 0 },
      { actor: proposer.actor, vouchedBy: proposer.vouchedBy, requestId: "command line" },
    );
    const approval = `apr_${approvalId}`;
    show(approval, result);
    context.say(
      `Proposed as ${approval}; nothing is erased yet. Another person approves it on the page, or with tieout approvals approve ${approval} --as EMAIL.`,
    );
  });
}

function refuseOther(
  { name, scopes, accountIds }: Awaited<ReturnType<typeof deciderNamed>>,
  accountId: number,
): void {
  if (!scopes.has("reconcile:write") || (accountIds !== null && !accountIds.includes(accountId)))
    throw new TieoutError("not_allowed", `${name} may not change anything in the books of this account`);
}

function readSubject({ wallet, transaction }: EraseFlags): Pick<ErasureSubject, "kind" | "value"> {
  if (wallet !== undefined && transaction === undefined)
    return { kind: "wallet", value: filled("--wallet", wallet).trim() };
  if (transaction !== undefined && wallet === undefined)
    return { kind: "transaction", value: filled("--transaction", transaction) };
  throw usageError("say what to erase: --wallet ADDRESS or --transaction ID");
}

function filled(option: string, text: string): string {
  if (text.trim() === "") throw usageError(`${option}: is empty; say which one`);
  return text;
}

function readProposal({ reason = "", as, wallet }: EraseFlags): { reason: string; as: string } {
  const missing = [
    ...(reason.trim() === "" ? ["--reason"] : []),
    ...(as === undefined ? ["--as, the person who proposes it"] : []),
  ];
  if (as === undefined || missing.length > 0)
    throw usageError(`an erasure needs ${missing.join(" and ")}; --dry-run shows what it would change`);
  if (wallet !== undefined && reason.toLowerCase().includes(wallet.trim().toLowerCase()))
    throw usageError("--reason: leave the wallet out of it; the reason is kept for ever");
  return { reason, as };
}

function asLines(counts: Record<string, number>): string {
  const lines = Object.entries(counts).map(([what, rows]) => `  ${what.replaceAll("_", " ")}: ${rows}`);
  return `${["Would be erased:", ...lines].join("\n")}\n`;
}
