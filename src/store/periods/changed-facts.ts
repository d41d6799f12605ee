import type { ChangedFact } from "../../core/changes-text.ts";
import type { Queryable } from "../database.ts";
import { bindNamed } from "../named.ts";
import { listChanges } from "./period-reads.ts";

const namesMax = 5;

/** What has become known since a period was signed and lies before its end, and the first few of each kind by name. */
export async function listChangedFacts(
  database: Queryable,
  since: { accountId: number; to: string; knownAt: string },
): Promise<ChangedFact[]> {
  const changed: ChangedFact[] = [];
  for (const { fact, changes } of await listChanges(database, since)) {
    changed.push({ fact, changes, first: await listNames(database, fact, since) });
  }
  return changed;
}

async function listNames(
  database: Queryable,
  fact: string,
  { accountId, to, knownAt }: { accountId: number; to: string; knownAt: string },
): Promise<string[]> {
  const statement = changedNames[fact];
  if (statement === undefined) return [];
  const { text, values } = bindNamed(
    `select named.name
     from (${statement}) as named (name, place)
     where named.name is not null
     group by named.name
     order by min(named.place), named.name
     limit ${namesMax}`,
    { account_id: accountId, to, known_at: knownAt },
  );
  const rows = await database.query<{ name: string }>(text, values);
  return rows.map(({ name }) => name);
}

const since = (...times: string[]) =>
  `(${times.map((time) => `${time} > :'known_at'::timestamptz`).join(" or ")})`;
const before = (time: string) => `${time} < :'to'::timestamptz`;
const ours = (row: string) => `${row}.account_id = :account_id`;

/**
 * By the kinds of `tieout.changes_since`, which counts them and decides: each with what a person would look it up by, and
 * what to order by. Where nothing has a name of its own, its provider and day do.
 */
export const changedNames: Record<string, string> = {
  records: `
    select s.transaction_id, s.first_seen_at::text
    from tieout.transaction_statuses as s
    where ${ours("s")} and ${before("s.status_date")} and ${since("s.first_seen_at")}`,
  vanished_records: `
    select f.transaction_id, f.found_at::text
    from tieout.sync_findings as f
    join tieout.transactions as t on t.account_id = f.account_id and t.transaction_id = f.transaction_id
    where ${ours("f")} and f.finding in ('vanished', 'returned') and ${since("f.found_at")} and ${before("t.status_date")}`,
  quarantined_records: `
    select q.reason, q.first_seen_at::text
    from tieout.quarantined_records as q
    join tieout.sync_windows as w on w.id = q.window_id
    where ${ours("q")} and ${since("q.first_seen_at")} and ${before("w.range_from")}`,
  statements: `
    select 'stm_' || s.id || ' ' || s.provider, lpad(s.id::text, 20)
    from tieout.statements as s
    where ${ours("s")} and ${since("s.imported_at", "s.withdrawn_at")}`,
  matches: `
    select 'mat_' || m.id, lpad(m.id::text, 20)
    from tieout.matches as m
    where ${ours("m")} and m.rule <> 'suggested' and ${before("m.effective_at")} and ${since("m.matched_at", "m.ended_at")}`,
  findings: `
    select coalesce('dis_' || d.id, f.transaction_id, f.payout_ref, f.provider) || ' ' || f.code, lpad(d.id::text, 20)
    from tieout.findings as f
    left join tieout.discrepancies as d on d.fingerprint = f.fingerprint
    where ${ours("f")} and ${before("f.holds_from")} and ${since("f.known_from", "f.known_to")}`,
  decisions: `
    select 'dis_' || d.discrepancy_id, lpad(d.discrepancy_id::text, 20)
    from tieout.decisions as d
    join tieout.discrepancies as of on of.id = d.discrepancy_id
    where ${ours("of")} and ${before("d.booked_at")} and ${since("d.known_from", "d.known_to")}`,
  payouts: `
    select 'po_' || p.id, lpad(p.id::text, 20)
    from tieout.payouts as p
    where ${ours("p")} and ${since("p.last_changed_at")} and ${before("least(p.payout_date, p.last_line_at)")}`,
  due_dates: `
    select d.provider || ' ' || to_char(d.period_from at time zone 'UTC', 'YYYY-MM-DD'), d.period_from::text
    from tieout.due_dates as d
    where ${ours("d")} and ${before("d.period_from")} and ${since("d.known_from", "d.known_to")}`,
  settings: `
    select concat_ws(' ', v.provider, v.kind), v.saved_at::text
    from tieout.provider_settings as v
    where (${ours("v")} or v.account_id is null)
      and ${since("v.saved_at")}
      and (v.kind not in ('profile', 'exclusion') or v.kind = 'exclusion' and ${before("v.saved_at")})`,
  account_settings: `
    select s.name, s.set_at::text
    from tieout.account_settings as s
    where ${ours("s")} and s.name <> 'calendar' and ${since("s.set_at")}`,
  fee_schedules: `
    select 'fee_' || f.id || ' ' || f.provider, lpad(f.id::text, 20)
    from tieout.fee_schedules as f
    where ${ours("f")} and ${since("f.imported_at")} and ${before("f.valid_from")}`,
  rates: `
    select r.base || '/' || r.quote || ' ' || r.day, r.day::text
    from tieout.rates as r
    where ${since("r.imported_at")}
      and r.day <= ((:'to'::timestamptz - interval '1 microsecond') at time zone 'UTC')::date`,
  receipt_lines: `
    select 'rcl_' || l.id, lpad(l.id::text, 20)
    from tieout.receipt_files as f
    join tieout.receipt_lines as l on l.file_id = f.id
    where ${ours("f")} and ${since("f.imported_at")} and ${before("l.effective_at")}`,
  receipt_retirements: `
    select 'rcl_' || l.id, lpad(l.id::text, 20)
    from tieout.receipt_retirements as r
    join tieout.receipt_lines as l on l.id = r.line_id
    where ${ours("l")} and ${before("l.effective_at")} and ${since("r.retired_at", "r.restored_at")}`,
  receipt_matches: `
    select 'rcm_' || m.id, lpad(m.id::text, 20)
    from tieout.receipt_matches as m
    where ${ours("m")} and ${before("m.effective_at")} and ${since("m.matched_at", "m.ended_at")}`,
  earlier_periods: `
    select e.month, e.month
    from tieout.period_events as e
    where ${ours("e")} and e.event = 'reopened' and ${before("e.to_at")} and ${since("e.at")}`,
};
