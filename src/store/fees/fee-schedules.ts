import { and, asc, desc, eq, inArray, max } from "drizzle-orm";
import type { Queryable, Transaction } from "../database.ts";
import { actorName } from "../people/actor-name.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { accounts } from "../schema/accounts.ts";
import { feeSchedules, feeTerms } from "../schema/fee-schedules.ts";

export type FeeTerm = Omit<typeof feeTerms.$inferSelect, "id" | "scheduleId">;

export interface FeeSchedule {
  readonly id: number;
  readonly account: string;
  readonly provider: string;
  readonly version: number;
  readonly validFrom: string;
  readonly fileName: string | null;
  readonly importedAt: string;
  readonly importedBy: string;
  readonly importedByName: string;
  readonly reason: string;
}

const columns = {
  id: feeSchedules.id,
  account: accounts.name,
  provider: feeSchedules.provider,
  version: feeSchedules.version,
  validFrom: feeSchedules.validFrom,
  fileName: feeSchedules.fileName,
  importedAt: feeSchedules.importedAt,
  importedBy: feeSchedules.importedBy,
  importedByName: actorName(feeSchedules.importedBy),
  reason: feeSchedules.reason,
};

/** Every version, of each provider the newest first. `accountIds` is `null` for all accounts. */
export async function listFeeSchedules(
  database: Queryable,
  { accountIds, provider }: { accountIds: readonly number[] | null; provider?: string | undefined },
): Promise<FeeSchedule[]> {
  return database.orm
    .select(columns)
    .from(feeSchedules)
    .innerJoin(accounts, eq(accounts.id, feeSchedules.accountId))
    .where(
      and(
        accountIds === null ? undefined : inArray(feeSchedules.accountId, [...accountIds]),
        provider === undefined ? undefined : eq(feeSchedules.provider, provider),
      ),
    )
    .orderBy(asc(accounts.name), asc(feeSchedules.provider), desc(feeSchedules.version));
}

export interface WholeFeeSchedule extends FeeSchedule {
  terms: FeeTerm[];
  /** Payment methods of its terms that neither the catalogue nor any of the newest orders has: these terms apply to no order. */
  unknownPaymentMethods: string[];
}

/** For people: what to do about terms that apply to no order. */
export function unknownMethods({ unknownPaymentMethods: methods }: WholeFeeSchedule): string {
  return (
    `The aggregator does not know the payment method ${methods.join(", ")}: these terms apply to no order. ` +
    "Write the methods as the aggregator does, such as creditcard."
  );
}

export async function readFeeSchedule(
  database: Queryable,
  { accountIds, id }: { accountIds: readonly number[] | null; id: number },
): Promise<WholeFeeSchedule | null> {
  const [found] = await database.orm
    .select(columns)
    .from(feeSchedules)
    .innerJoin(accounts, eq(accounts.id, feeSchedules.accountId))
    .where(
      and(
        eq(feeSchedules.id, id),
        accountIds === null ? undefined : inArray(feeSchedules.accountId, [...accountIds]),
      ),
    );
  if (!found) return null;
  const rows = await database.orm
    .select()
    .from(feeTerms)
    .where(eq(feeTerms.scheduleId, id))
    .orderBy(asc(feeTerms.id));
  const terms = rows.map(({ id: _id, scheduleId: _schedule, ...term }) => term);
  return { ...found, terms, unknownPaymentMethods: await unknownPaymentMethods(database, id) };
}

async function unknownPaymentMethods(database: Queryable, id: number): Promise<string[]> {
  const rows = await database.query<{ method: string }>(
    `select distinct f.payment_method as method
     from tieout.fee_terms as f
     join tieout.fee_schedules as s on s.id = f.schedule_id
     where s.id = $1
       and f.payment_method is not null
       -- Before the catalogue was read, nothing is known.
       and exists (select from tieout.payment_types as p where p.account_id = s.account_id)
       and not exists (
         select from tieout.payment_types as p where p.account_id = s.account_id and p.id = f.payment_method
       )
       -- Orders may name what the catalogue no longer has. Only the newest are asked: there may be millions.
       and f.payment_method not in (
         select coalesce(t.payment_method, '')
         from (
           select t.payment_method
           from tieout.transactions as t
           where t.account_id = s.account_id
           order by t.status_date desc
           limit 10000
         ) as t
       )
     order by 1`,
    [id],
  );
  return rows.map(({ method }) => method);
}

export interface FeeScheduleToSave extends Author {
  readonly account: { id: number; name: string };
  readonly provider: string;
  readonly validFrom: string;
  readonly terms: readonly FeeTerm[];
  readonly fileName: string | null;
  readonly sha256: Buffer;
  readonly reason: string;
}

const termsAtOnce = 1_000;

/** Adds a version, and says so in the audit log. The next run of the account goes by it. */
export async function saveFeeSchedule(
  tx: Transaction,
  { account, terms, actor, requestId, ...given }: FeeScheduleToSave,
): Promise<{ id: number; version: number }> {
  const { provider, validFrom, fileName, sha256, reason } = given;
  // One saver at a time, until the end of the database transaction: versions count up.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.fee_schedules', $1))", [account.id]);
  const [held] = await tx.orm
    .select({ version: max(feeSchedules.version) })
    .from(feeSchedules)
    .where(and(eq(feeSchedules.accountId, account.id), eq(feeSchedules.provider, provider)));
  const version = (held?.version ?? 0) + 1;
  const [added] = await tx.orm
    .insert(feeSchedules)
    .values({
      accountId: account.id,
      provider,
      version,
      validFrom,
      fileName,
      sha256,
      importedBy: actor,
      reason,
    })
    .returning({ id: feeSchedules.id });
  const scheduleId = added?.id ?? 0;
  for (let from = 0; from < terms.length; from += termsAtOnce)
    await tx.orm
      .insert(feeTerms)
      .values(terms.slice(from, from + termsAtOnce).map((term) => ({ ...term, scheduleId })));
  await recordAudit(tx, {
    actor,
    action: "fee_schedule.saved",
    subject: `${account.name} ${provider}`,
    after: {
      version,
      valid_from: validFrom,
      terms: terms.length,
      file: fileName,
      sha256: sha256.toString("hex"),
    },
    reason,
    requestId,
  });
  return { id: scheduleId, version };
}
