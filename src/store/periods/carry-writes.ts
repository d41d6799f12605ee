import { readClock } from "../clock-time.ts";
import { facts } from "../books/discrepancy-writes.ts";
import type { Transaction } from "../database.ts";
import { bindNamed } from "../named.ts";
import { recordAudit } from "../people/audit-log.ts";
import { openErrors } from "./checklist-sql.ts";
import type { Signer } from "./period-writes.ts";

export interface CarryWanted {
  accountId: number;
  account: string;
  month: string;
  to: string;
  /** The name of a person. */
  owner: string;
  reason: string;
  /** Only these, or all that are open; of one provider or code where one is given. */
  ids: readonly number[] | null;
  provider: string | null;
  code: string | null;
}

/** Until the end of the transaction no month is closed or reopened. */
export async function holdPeriods(tx: Transaction): Promise<void> {
  // Takes the lock that decisions take, and refuses nothing: no month ends after `infinity`.
  await tx.query("select tieout.refuse_closed(null, 'infinity')");
}

/** Whether a month can still be booked into. Until the end of the transaction no month is closed or reopened. */
export async function holdOpen(
  tx: Transaction,
  { accountId, to }: Pick<CarryWanted, "accountId" | "to">,
): Promise<boolean> {
  await holdPeriods(tx);
  const [row] = await tx.query<{ open: boolean }>(
    "select coalesce(tieout.open_from($1::int) < $2::timestamptz, true) as open",
    [accountId, to],
  );
  return row?.open ?? true;
}

/**
 * Carries open errors into the next month, and returns how many: each is assigned to its owner, with an event and an audit
 * entry as if someone had assigned it by hand. A few statements, however many there are.
 */
export async function carryDiscrepancies(
  tx: Transaction,
  wanted: CarryWanted,
  signer: Signer,
): Promise<number> {
  const ids = await listCarriable(tx, wanted);
  if (ids.length === 0) return 0;
  const { accountId, account, month, owner, reason } = wanted;
  const { actor, name, requestId } = signer;
  const assigned = `carried forward from ${month}: ${reason}`;
  await tx.query(
    `insert into tieout.carried_discrepancies (account_id, month, discrepancy_id, owner, reason, actor, actor_name)
     select $1, $2, carried.id, $3, $4, $5, $6
     from unnest($7::bigint[]) as carried (id)
     order by carried.id`,
    [accountId, month, owner, reason, actor, name, ids],
  );
  // Before they change, so that each entry has the owner from before. The trigger `chain_entry` puts the true number and hashes.
  await tx.query(
    `insert into tieout.audit_log (number, at, actor, action, subject, before, after, reason, request_id, previous_hash, hash)
     select 0, now(), $2, 'discrepancy.assigned', 'dis_' || d.id, jsonb_build_object('state', d.state, 'owner', d.owner),
            jsonb_build_object('owner', $3::text), $4, $5, '', ''
     from tieout.discrepancies as d
     where d.id = any ($1::bigint[])
     order by d.id`,
    [ids, actor, owner, assigned, requestId ?? null],
  );
  await tx.query(
    `update tieout.discrepancies
     set owner = $2, version = version + 1, last_changed_at = clock_timestamp()
     where id = any ($1::bigint[])`,
    [ids, owner],
  );
  await tx.query(
    `insert into tieout.discrepancy_events
       (discrepancy_id, at, actor, actor_name, event, state, owner, reason, facts, facts_hash, request_id)
     select d.id, clock_timestamp(), $2, $3, 'assigned', d.state, d.owner, $4, ${facts}, d.facts_hash, $5
     from tieout.discrepancies as d
     where d.id = any ($1::bigint[])
     order by d.id`,
    [ids, actor, name, assigned, requestId ?? null],
  );
  await recordAudit(tx, {
    actor,
    action: "period.discrepancies_carried",
    subject: `${account} ${month}`,
    after: { name, key: signer.key, discrepancies: ids.map((id) => `dis_${id}`), owner },
    reason,
    requestId,
  });
  return ids.length;
}

/** Locked until the end of the transaction, in the order in which everyone locks them. */
async function listCarriable(tx: Transaction, wanted: CarryWanted): Promise<number[]> {
  const { text, values } = bindNamed(
    `with carriable as materialized (
       select d.id
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
     )
     select d.id::int
     from tieout.discrepancies as d
     where d.id in (select id from carriable)
     order by d.id
     for update`,
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
