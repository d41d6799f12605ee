import { TieoutError } from "../../core/errors.ts";
import type { Database, Transaction } from "../database.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { periodEvents } from "../schema/periods.ts";
import { periodRefusalOf } from "../sql-errors.ts";

/** Who signs: the id that two signatures are told apart by, and the name that is kept beside it. */
export interface Signer {
  actor: string;
  name: string;
  /** The key that they signed with, if they used one. */
  key?: { id: string; name: string };
  /** Who could have signed in their name: the maker of the link that they signed in with, or that the key goes back to. */
  vouchedBy?: string | null;
  requestId?: string | undefined;
}

export interface PeriodEventToAdd {
  accountId: number;
  account: string;
  month: string;
  zone: string;
  from: string;
  to: string;
  event: "prepared" | "lapsed" | "approved" | "reopen_asked" | "reopened";
  knownAt?: string;
  packSha256?: string;
  checklist?: unknown;
  accepted?: unknown;
  changes?: unknown;
  reason?: string;
}

/** Adds an event and its audit entry. What the rules of signing do not allow, the database refuses, with its reason. */
export async function addPeriodEvent(
  database: Database,
  event: PeriodEventToAdd,
  signer: Signer,
): Promise<void> {
  const { accountId, account, month, zone, from, to, packSha256, knownAt, reason } = event;
  await withPeriodRules(() =>
    database.transaction(async (tx) => {
      await tx.orm.insert(periodEvents).values({
        accountId,
        month,
        zone,
        fromAt: from,
        toAt: to,
        event: event.event,
        actor: signer.actor,
        actorName: signer.name,
        vouchedBy: signer.vouchedBy,
        knownAt,
        packSha256: packSha256 === undefined ? undefined : Buffer.from(packSha256, "hex"),
        checklist: event.checklist,
        accepted: event.accepted,
        changes: event.changes,
        reason,
        requestId: signer.requestId,
        // The trigger `keep_event` puts the true values here.
        previousHash: Buffer.alloc(0),
        hash: Buffer.alloc(0),
      });
      await recordAudit(tx, {
        actor: signer.actor,
        action: `period.${event.event}`,
        subject: `${account} ${month}`,
        after: {
          name: signer.name,
          key: signer.key,
          known_at: knownAt,
          pack_sha256: packSha256,
          accepted: event.accepted,
          changes: event.changes,
        },
        reason,
        requestId: signer.requestId,
      });
    }),
  );
}

/** One at a time: of two requests that come together, the second sees the first. */
export async function lockReopening(tx: Transaction, accountId: number): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.reopening', $1))", [accountId]);
}

/** The person who takes the evidence out of the service is noted. */
export async function auditPack(
  database: Database,
  pack: { account: string; month: string; packSha256: string },
  { actor, requestId }: Author,
): Promise<void> {
  await database.transaction((tx) =>
    recordAudit(tx, {
      actor,
      action: "period.pack_downloaded",
      subject: `${pack.account} ${pack.month}`,
      after: { pack_sha256: pack.packSha256 },
      requestId,
    }),
  );
}

/** The rules of `migrations/0009_periods.sql`, as an error that a person reads. */
async function withPeriodRules<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = periodRefusalOf(error);
    if (refusal !== null) throw new TieoutError("period_refused", refusal, { cause: error });
    throw error;
  }
}
