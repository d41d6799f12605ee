import { TieoutError } from "../../core/errors.ts";
import type { ErasureKey } from "../../core/erasure.ts";
import type { Database, Transaction } from "../../store/database.ts";
import { keepErasureRequest, readErasureRequest } from "../../store/erasure/erasure-requests.ts";
import type { ErasureSubject } from "../../store/erasure/find-affected.ts";
import { erase, refuseUnfit } from "./erase.ts";

/** What a proposal shows of an erasure: enough to recognise it, but only the ends of a wallet. */
export interface ErasureDetails extends Record<string, unknown> {
  what: ErasureSubject["kind"];
  named: string;
  /** Under the erasure key: what is erased has to give the same. */
  digest: string;
  counts: Record<string, number>;
  /** Months whose packs can no longer be made as they were signed. */
  closed_months: string[];
}

export function describeErasure(
  key: ErasureKey,
  subject: ErasureSubject,
  counts: Record<string, number>,
  closedMonths: string[] = [],
): { subject: string; details: ErasureDetails } {
  refuseUnfit(subject);
  const { accountId, kind, value } = subject;
  const digest = key.digest(accountId, kind, value);
  const named = nameOf(subject);
  const details = { what: kind, named, digest, counts, closed_months: closedMonths };
  return { subject: `${kind} ${digest.slice(0, 16)}`, details };
}

/** As people see it. An id names an order, which stays; a wallet is masked, because it will be erased. */
export function nameOf({ kind, value }: Pick<ErasureSubject, "kind" | "value">): string {
  return kind === "transaction" ? value : `${value.slice(0, 4)}…${value.slice(-4)}`;
}

/** The value itself, for the one who carries it out. */
export async function keepSubject(
  tx: Transaction,
  key: ErasureKey,
  { approvalId, value }: { approvalId: number; value: string },
): Promise<void> {
  await keepErasureRequest(tx, { approvalId, sealed: key.seal(value) });
}

interface ApprovedErasure {
  id: number;
  accountId: number | null;
  details: Record<string, unknown>;
}

/** Carries out what two people agreed on, in the database transaction of their agreement. */
export function createEraser(openKey: () => Promise<ErasureKey>) {
  return async (
    database: Database,
    { id, accountId, details }: ApprovedErasure,
    { requestId }: { requestId: string },
  ): Promise<void> => {
    const sealed = await readErasureRequest(database, id);
    const kind = details["what"];
    if (sealed === null || accountId === null || (kind !== "wallet" && kind !== "transaction"))
      throw new TieoutError("approval_conflict", "what it is about is no longer known: propose it again");
    const key = await openKey();
    const value = unseal(key, sealed);
    await erase({ database, key }, { accountId, kind, value, approvalId: id, requestId });
  };
}

function unseal(key: ErasureKey, sealed: Buffer): string {
  try {
    return key.unseal(sealed);
  } catch {
    throw new TieoutError(
      "config_invalid",
      "it was proposed under another erasure key: set ERASURE_KEY_FILE to that key, or reject it and propose it again",
    );
  }
}
