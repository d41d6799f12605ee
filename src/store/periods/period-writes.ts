import { TieoutError } from "../../core/errors.ts";
import { readClock } from "../clock-time.ts";
import type { Database, Transaction } from "../database.ts";
import { recordAudit } from "../people/audit-log.ts";
import { bindNamed } from "../named.ts";
import { carriedDiscrepancies, periodEvents } from "../schema/periods.ts";
import { periodRefusalOf } from "../sql-errors.ts";
import { openErrors } from "./checklist-sql.ts";

/** Who signs: the id that two signatures are told apart by, and the name that is kept beside it. */
export interface Signer {
  actor: string;
  name: string;
  /** Who made the link that they signed in with: whoever did could have used it as well. */
  vouchedBy?: string | null;
  requestId?: string;
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
          known_at: knownAt,
          pack_sha256: packSha256,
          accepted: event.accepted,
          changes: event.changes,
        },
        ...(reason === undefined ? {} : { reason }),
        ...(signer.requestId === undefined ? {} : { requestId: signer.requestId }),
      });
    }),
  );
}

/** Whoever takes the evidence out of the service is noted. */
export async function auditPack(
  database: Database,
  pack: { account: string; month: string; packSha256: string },
  { actor, requestId }: Pick<Signer, "actor" | "requestId">,
): Promise<void> {
  await database.transaction((tx) =>
    recordAudit(tx, {
      actor,
      action: "period.pack_downloaded",
      subject: `${pack.account} ${pack.month}`,
      after: { pack_sha256: pack.packSha256 },
      ...(requestId === undefined ? {} : { requestId }),
    }),
  );
}

export interface CarryWanted {
  accountId: number;
  account: string;
  month: string;
  to: string;
  owner: string;
  reason: string;
  /** Only these, or all that are open; of one provider or code where one is given. */
  ids: readonly number[] | null;
  provider: string | null;
  code: string | null;
}

/** Carries open errors into the next month, and returns how many. */
export async function carryDiscrepancies(
  database: Database,
  wanted: CarryWanted,
  signer: Signer,
): Promise<number> {
  return withPeriodRules(() =>
    database.transaction(async (tx) => {
      const ids = await listCarriable(tx, wanted);
      if (ids.length === 0) return 0;
      const { accountId, month, owner, reason } = wanted;
      const by = { actor: signer.actor, actorName: signer.name };
      await tx.orm
        .insert(carriedDiscrepancies)
        .values(ids.map((discrepancyId) => ({ accountId, month, discrepancyId, owner, reason, ...by })));
      await recordAudit(tx, {
        actor: signer.actor,
        action: "period.discrepancies_carried",
        subject: `${wanted.account} ${month}`,
        after: { name: signer.name, discrepancies: ids.map((id) => `dis_${id}`), owner },
        reason,
        ...(signer.requestId === undefined ? {} : { requestId: signer.requestId }),
      });
      return ids.length;
    }),
  );
}

/** A statement has a limited number of values; whoever has more open errors than this does not close the month. */
const carriedMax = 5_000;

async function listCarriable(tx: Transaction, wanted: CarryWanted): Promise<number[]> {
  const { text, values } = bindNamed(
    `select d.id::int
     from (${openErrors}) as f
     join tieout.discrepancies as d on d.fingerprint = f.fingerprint
     where (:'ids'::text is null or d.id = any ((:'ids'::text)::bigint[]))
       and (:'provider'::text is null or f.provider = :'provider'::text)
       and (:'code'::text is null or f.code = :'code'::text)
       and (:'ids'::text is not null or not exists (
         select
         from tieout.carried_discrepancies as c
         where c.account_id = :account_id
           and c.month = :'month'
           and c.discrepancy_id = d.id
       ))
     order by d.id
     limit ${carriedMax}`,
    {
      account_id: wanted.accountId,
      month: wanted.month,
      to: wanted.to,
      known_at: await readClock(tx),
      ids: wanted.ids === null ? null : `{${wanted.ids.join(",")}}`,
      provider: wanted.provider,
      code: wanted.code,
    },
  );
  const rows = await tx.query<{ id: number }>(text, values);
  return rows.map(({ id }) => id);
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
