import { and, asc, eq, getTableColumns } from "drizzle-orm";
import type { Role } from "../../core/roles.ts";
import { clockNow } from "../clock-time.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { writeOffLimits } from "../schema/approvals.ts";
import { actorName } from "./actor-name.ts";
import { type Author, recordAudit } from "./audit-log.ts";

export type WriteOffLimit = typeof writeOffLimits.$inferSelect & { setByName: string };

export async function listLimits(database: Queryable): Promise<WriteOffLimit[]> {
  const setByName = actorName(writeOffLimits.setBy);
  return database.orm
    .select({ ...getTableColumns(writeOffLimits), setByName })
    .from(writeOffLimits)
    .orderBy(asc(writeOffLimits.role), asc(writeOffLimits.currency));
}

export async function setLimit(
  database: Database,
  limit: { role: Role; currency: string; amount: string },
  author: Author,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { role, currency, amount } = limit;
    const [held] = await tx.orm
      .select({ amount: writeOffLimits.amount })
      .from(writeOffLimits)
      .where(and(eq(writeOffLimits.role, role), eq(writeOffLimits.currency, currency)))
      .for("update");
    const value = { amount, setBy: author.actor, setAt: clockNow };
    await tx.orm
      .insert(writeOffLimits)
      .values({ role, currency, ...value })
      .onConflictDoUpdate({ target: [writeOffLimits.role, writeOffLimits.currency], set: value });
    await recordAudit(tx, {
      ...author,
      action: "write_off_limit.set",
      subject: `${role} ${currency}`,
      ...(held ? { before: { amount: held.amount } } : {}),
      after: { amount },
    });
  });
}

export interface AboveLimit {
  id: number;
  accountId: number;
  amount: string;
  currency: string;
  /** Hex: an approval holds for the facts that were seen. */
  factsHash: string;
}

/** Of some discrepancies: those that someone cannot write off alone. */
export async function findAboveLimit(
  tx: Transaction,
  actor: string,
  ids: readonly number[],
): Promise<AboveLimit[]> {
  return tx.query<AboveLimit>(
    `select d.id::int, d.account_id as "accountId", trim_scale(g.amount)::text as amount, g.in_currency as currency,
            encode(d.facts_hash, 'hex') as "factsHash"
     from tieout.discrepancies as d
     cross join lateral tieout.given_up(d.delta, d.currency, d.owed, d.owed_currency, d.value, d.value_currency) as g
     where d.id = any($2::bigint[])
       and g.amount > 0
       and g.amount > tieout.write_off_limit($1, coalesce(g.in_currency, '*'))
     order by d.id`,
    [actor, ids],
  );
}

/** What writing off a discrepancy gives up, and by which facts; locked until the end of the transaction. `null`: it is closed. */
export async function holdGivenUp(
  tx: Transaction,
  id: number,
): Promise<{ amount: string | null; currency: string | null; factsHash: string } | null> {
  const [held] = await tx.query<{ amount: string | null; currency: string | null; factsHash: string }>(
    `select trim_scale(g.amount)::text as amount, g.in_currency as currency, encode(d.facts_hash, 'hex') as "factsHash"
     from tieout.discrepancies as d
     cross join lateral tieout.given_up(d.delta, d.currency, d.owed, d.owed_currency, d.value, d.value_currency) as g
     where d.id = $1
       and d.state in ('open', 'investigating')
     for update of d`,
    [id],
  );
  return held ?? null;
}
