import { quote } from "../../core/quote.ts";
import type { Transaction } from "../database.ts";
import { findActiveName } from "../people/people.ts";

interface Owned {
  id: number;
  accountId: number;
}

/**
 * Who is meant by an owner that someone names, and which of these they cannot own. An unknown name is refused: otherwise the
 * discrepancy would be in no person's list and yet not unassigned. Whoever had it before may get it back, and whoever asks may take it.
 */
export async function findOwner(
  tx: Transaction,
  items: readonly Owned[],
  { given, actor }: { given: string; actor: string },
): Promise<{ owner: string; barred: Set<number> }> {
  const names = new Map<number, string | null>();
  for (const accountId of new Set(items.map((item) => item.accountId)))
    names.set(accountId, await findActiveName(tx, { given, accountId }));
  const owner = [...names.values()].find((name) => name !== null) ?? given;
  const others = items.filter(({ accountId }) => names.get(accountId) !== owner).map(({ id }) => id);
  if (others.length === 0) return { owner, barred: new Set() };
  const barred = await tx.query<{ id: number }>(
    `select id::float8 as id
     from unnest($1::bigint[]) as given (id)
     where $2 <> tieout.actor_name($3)
       and not exists (
         select from tieout.discrepancy_events as e where e.discrepancy_id = given.id and e.owner = $2
       )`,
    [others, owner, actor],
  );
  return { owner, barred: new Set(barred.map(({ id }) => id)) };
}

export function notAnOwner(given: string): string {
  return `${quote(given)} is not an active person who sees this account: give the name or e-mail of one`;
}
