import type { Transaction } from "../database.ts";
import { liveFrame, withParts } from "./frame.ts";
import { allowedOn, legAgrees } from "./legs.ts";
import { countRows, notBarred, pairColumns, type RunSubject } from "./match-pairs.ts";
import { rules } from "./rules.ts";
import { subjects, transactions } from "./sources.ts";

/**
 * Pass 3. A hash alone identifies nothing: providers pay in batches. It counts together with the asset, the address where
 * both sides have one, and the crypto amount; and only where it is unique on both sides.
 */
export async function pairByHash(tx: Transaction, subject: RunSubject & { knownAt: string }): Promise<void> {
  const values = [subject.accountId, subject.provider, subject.knownAt];
  if ((await countRows(tx, "reconcile_rest")) === 0) return;
  await tx.query("drop table if exists pg_temp.reconcile_hash_pairs");
  await tx.query(
    `create temp table reconcile_hash_pairs on commit drop as ${hashPairs("pg_temp.reconcile_rest", unsettled)}`,
    values,
  );
  // Several lines for one transaction, or several transactions for one line: none of them is chosen.
  await tx.query(
    `insert into reconcile_ambiguous
     select p.line_id, min(p.pass), array_agg(p.transaction_id order by p.transaction_id)
     from reconcile_hash_pairs as p
     group by p.line_id
     having count(*) > 1
         or bool_or(exists (
           select
           from reconcile_hash_pairs as other
           where other.transaction_id = p.transaction_id
             and other.line_id <> p.line_id
         ))`,
  );
  await tx.query(
    `insert into reconcile_pairs
     select p.*
     from reconcile_hash_pairs as p
     where not exists (select from reconcile_ambiguous as a where a.line_id = p.line_id)`,
  );
  await tx.query("delete from reconcile_rest as l using reconcile_hash_pairs as p where p.line_id = l.id");
}

const unsettled = `
    and l.line_type = 'charge'
    and ${notBarred}
    and not exists (
      select
      from reconcile_pairs as settled
      where settled.transaction_id = t.transaction_id
        and settled.line_type = 'charge'
    )`;

/** Lines of `from`, which has `hash_key`, with the transactions of the same chain transfer. */
export function hashPairs(from: string, further: string): string {
  const frame = { ...liveFrame("all"), knownAt: "$3::timestamptz" };
  const difference = "p.crypto_difference";
  const parts = [...subjects(frame), ...rules(frame), ...transactions(frame)];
  return `${withParts(parts)}
  select p.pass, p.key, p.line_id, p.account_id, p.provider, p.line_type, p.line_key, p.occurrence, p.effective_at,
         p.moved_money, p.transaction_id, p.record_hash, p.status_date, p.in_code, p.in_places, p.in_is_fiat, p.out_code,
         p.out_places, p.out_is_fiat, p.in_expected, p.in_actual, p.in_line_code, p.in_network_differs,
         p.in_difference, p.out_expected, p.out_actual, p.out_line_code, p.out_network_differs, p.out_difference,
         p.fee_total, p.fee_processing, p.fee_network, p.fee_partner, p.differs
  from (
    select p.*, case when p.in_is_fiat then p.out_difference else p.in_difference end as crypto_difference
    from (
      ${pairColumns({ pass: 3, key: "l.hash_key" })},
         tieout.comparable_address(l.wallet_address) <> tieout.comparable_address(t.wallet_address) as address_differs
      from ${from} as l
      join lateral (
        select t.*
        from (select distinct transaction_id from tieout.named(l.account_id, 'hash', l.hash_key)) as named
        join t on t.transaction_id = named.transaction_id
      ) as t on true
      where l.hash_key is not null${further}
    ) as p
    where p.address_differs is not true
  ) as p${allowedOn("in", difference)}${allowedOn("out", difference)}
  where ${difference} is not null
    and case when p.in_is_fiat then ${legAgrees("out", difference)} else ${legAgrees("in", difference)} end`;
}
