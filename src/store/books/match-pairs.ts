import type { Transaction } from "../database.ts";
import { liveFrame, withParts } from "./frame.ts";
import { anythingDiffers, legColumns } from "./legs.ts";
import { transactions } from "./sources.ts";

export interface RunSubject {
  accountId: number;
  provider: string;
  /** Everything, or what the temporary tables of the run name. */
  scope: "all" | "touched";
}

/**
 * The pairs that keys make, in the order of the passes. `reconcile_pairs` has one row per line and transaction that some
 * key connects; a line takes part in the first pass that finds it anything. Pass 0 is a person's choice.
 */
export async function pairByKeys(tx: Transaction, subject: RunSubject): Promise<void> {
  const { accountId, provider } = subject;
  await tx.query("drop table if exists pg_temp.reconcile_pairs, pg_temp.reconcile_rest");
  // `create table as` may use several workers, `insert` may not: this is the one join of everything with everything.
  await tx.query(`create temp table reconcile_pairs on commit drop as ${byKey(subject, "provider_id")}`, [
    accountId,
    provider,
  ]);
  await tx.query("create index on reconcile_pairs (line_id)");
  await tx.query("analyze reconcile_pairs (line_id, transaction_id, line_type, pass, differs)");
  await keepPairsOnce(tx);
  await tx.query(`create temp table reconcile_rest on commit drop as ${restOf(subject)}`, [
    accountId,
    provider,
  ]);
  if ((await countRows(tx, "reconcile_rest")) === 0) return;
  await tx.query("create index on reconcile_rest (id); analyze reconcile_rest");
  for (const statement of byReference(subject)) {
    await tx.query(`insert into reconcile_pairs ${statement}`, [accountId, provider]);
  }
  await keepPairsOnce(tx);
  await tx.query("delete from reconcile_rest as l using reconcile_pairs as p where p.line_id = l.id");
}

/** Two workers that met a new transaction in the same moment may both have written its names. */
async function keepPairsOnce(tx: Transaction): Promise<void> {
  await tx.query(
    `delete from reconcile_pairs as p
     using reconcile_pairs as same
     where same.line_id = p.line_id
       and same.transaction_id = p.transaction_id
       and same.ctid < p.ctid`,
  );
}

/** Of a temporary table; most runs find that a later pass has nothing left to look at. */
export async function countRows(tx: Transaction, table: string): Promise<number> {
  const [row] = await tx.query<{ rows: number }>(`select count(*)::int as rows from pg_temp.${table}`);
  return row?.rows ?? 0;
}

/** Pairs that a person made, carried over to the version of the line that counts and the record that is latest now. */
export async function pairByPersons(tx: Transaction, subject: RunSubject): Promise<void> {
  await tx.query(
    `${withParts(transactions(liveFrame("all")))}
     insert into reconcile_pairs
     ${pairColumns({ pass: 0, key: "null::text" })}
     from tieout.matches as m
     join tieout.statement_lines as held on held.id = m.line_id
     join ${linesInForce(subject)} as l
       on l.line_key = held.line_key
      and l.occurrence = held.occurrence
     join t on t.transaction_id = m.transaction_id
     where m.account_id = $1
       and m.provider = $2
       and m.state = 'active'
       and m.rule = 'person'`,
    [subject.accountId, subject.provider],
  );
  await tx.query(
    `delete from reconcile_pairs as p
     using reconcile_pairs as person
     where person.pass = 0
       and p.pass > 0
       and p.line_id = person.line_id`,
  );
  // Nor does a later pass look for another partner of such a line.
  await tx.query(
    "delete from reconcile_rest as l using reconcile_pairs as p where p.pass = 0 and p.line_id = l.id",
  );
}

/** Every line that counts now, whatever its date: matching goes by keys, and the date says from when it holds. */
export function linesInForce({ scope }: Pick<RunSubject, "scope">): string {
  return `(
       select l.*,
              l.status not in ('created', 'awaiting_payment', 'processing', 'canceled', 'expired', 'failed') as moved_money
       from tieout.statement_lines as l${scope === "touched" ? "\n       join pg_temp.touched_lines as touched on touched.line_id = l.id" : ""}
       where l.account_id = $1
         and l.provider = $2
         and l.line_type not in ('payout', 'balance')
         and not exists (
           select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
         )
     )`;
}

/** No rule makes a pair again that a person has parted. Compared by the line itself: its versions have numbers of their own. */
export const notBarred = `not exists (
       select
       from tieout.matches as barred
       join tieout.statement_lines as parted on parted.id = barred.line_id
       where barred.barred
         and barred.account_id = l.account_id
         and barred.transaction_id = t.transaction_id
         and parted.line_key = l.line_key
         and parted.occurrence = l.occurrence
         and parted.provider = l.provider
     )`;

export function pairColumns({ pass, key }: { pass: number; key: string }): string {
  return `
  select ${pass}::smallint as pass, ${key} as key, l.id as line_id, l.account_id, l.provider, l.line_type, l.line_key,
         l.occurrence, l.effective_at, l.moved_money, t.transaction_id, t.record_hash, t.status_date,
         t.in_code, t.in_places, t.in_is_fiat, t.out_code, t.out_places, t.out_is_fiat,${legColumns},
         l.fee_total, l.fee_processing, l.fee_network, l.fee_partner, ${anythingDiffers} as differs`;
}

/** Also in an incremental run: what a touched line names need not be touched itself. */
const allTransactions = liveFrame("all");

/** By a name of either kind, whichever status row brought it. */
function byKey(subject: RunSubject, kind: "provider_id" | "reference"): string {
  const column = kind === "provider_id" ? "provider_transaction_id" : "our_reference";
  const lines = kind === "provider_id" ? linesInForce(subject) : "pg_temp.reconcile_rest";
  return `${withParts(transactions(allTransactions))}
  ${pairColumns({ pass: kind === "provider_id" ? 1 : 2, key: "k.key" })}
  from ${lines} as l
  join tieout.transaction_keys as k
    on k.name_hash = tieout.name_hash(l.account_id, '${kind}', tieout.comparable_id(l.${column}))
   and k.account_id = l.account_id
   and k.kind = '${kind}'
   and k.key = tieout.comparable_id(l.${column})
  join t on t.transaction_id = k.transaction_id
  where l.${column} <> ''
    and ${notBarred}`;
}

/** What no provider id has found, with all that the later passes look at. */
function restOf(subject: RunSubject): string {
  return `
  select l.*, tieout.comparable_id(l.our_reference) as reference_key, tieout.comparable_hash(l.transaction_hash) as hash_key
  from ${linesInForce(subject)} as l
  where not exists (select from reconcile_pairs as p where p.line_id = l.id)`;
}

/** Our own id is a reference too; the key of the table finds it. */
function byReference(subject: RunSubject): string[] {
  return [
    `${withParts(transactions(allTransactions))}
  ${pairColumns({ pass: 2, key: "l.reference_key" })}
  from pg_temp.reconcile_rest as l
  join t on t.transaction_id = l.reference_key
  where ${notBarred}`,
    byKey(subject, "reference"),
  ];
}
