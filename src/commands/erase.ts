import { join } from "node:path";
import { TieoutError } from "../core/errors.ts";
import { erase, previewErasure } from "../reconcile/erasure/erase.ts";
import { expireExports } from "../report/expire-exports.ts";
import type { Database } from "../store/database.ts";
import type { ErasureSubject } from "../store/erasure/find-affected.ts";
import type { CommandContext } from "./context.ts";
import { openErasureKey } from "./erasure-key.ts";
import { chooseAccount, withStore } from "./statement-store.ts";
import { workerName } from "./sync-deps.ts";

export interface EraseFlags {
  wallet?: string;
  transaction?: string;
  account?: string;
  reason?: string;
  by?: string;
  approvedBy?: string;
  dryRun: boolean;
  json: boolean;
}

/** Everything about a wallet or a transaction that could name a person is replaced, for good. */
export async function eraseCommand(context: CommandContext, flags: EraseFlags): Promise<void> {
  const named = readSubject(flags);
  const people = flags.dryRun ? null : readPeople(flags);
  const key = await openErasureKey(context.config);
  await withStore(context, async (database) => {
    const { id: accountId } = await chooseAccount(database, flags.account);
    const subject: ErasureSubject = { accountId, ...named };
    const deps = { database, key };
    const result = people
      ? await erase(deps, { ...subject, ...people })
      : await previewErasure(deps, subject);
    if (result.erasureId !== null) await removeExports(context, database);
    process.stdout.write(flags.json ? `${JSON.stringify(result)}\n` : asLines(result));
  });
}

/** The erasure has marked them as expired; their files go now, and not with the next round of the workers. */
async function removeExports({ config, log }: CommandContext, database: Database): Promise<void> {
  await expireExports({ database, log, folder: join(config.dataDir, "exports"), worker: workerName() });
}

function readSubject({ wallet, transaction }: EraseFlags): Pick<ErasureSubject, "kind" | "value"> {
  if (wallet !== undefined && transaction === undefined) return { kind: "wallet", value: wallet.trim() };
  if (transaction !== undefined && wallet === undefined) return { kind: "transaction", value: transaction };
  throw new TieoutError("usage", "say what to erase: --wallet ADDRESS or --transaction ID");
}

function readPeople({ reason, by, approvedBy }: EraseFlags) {
  if (reason === undefined || by === undefined || approvedBy === undefined)
    throw new TieoutError(
      "usage",
      "an erasure needs --reason, --by and --approved-by; --dry-run shows what it would change",
    );
  return { reason, proposedBy: by, approvedBy };
}

function asLines({ erasureId, counts }: Awaited<ReturnType<typeof erase>>): string {
  const lines = Object.entries(counts).map(([what, rows]) => `  ${what.replaceAll("_", " ")}: ${rows}`);
  const head = erasureId === null ? "Would be erased:" : `Erased (erasure ${erasureId}):`;
  return `${[head, ...lines].join("\n")}\n`;
}
