import type { Transaction } from "../database.ts";
import { findingParts, fingerprintVersion, periodFindingParts, positionFindingParts } from "./findings.ts";
import { liveFrame, withParts } from "./frame.ts";

export interface DiscrepancyCounts {
  raised: number;
  changed: number;
  reopened: number;
  agreed: number;
}

interface Run {
  accountId: number;
  provider: string;
  scope: "all" | "touched";
  asAt: string;
  knownAt: string;
  stamp: string;
}

/**
 * Makes the discrepancies say what disagrees now, and notes what happened to each. One that is found again is left alone;
 * with other facts it changes, and what a person had closed is open again; one that is not found any more has agreed.
 * What a person closed stays closed while its facts stay.
 */
export async function writeDiscrepancies(tx: Transaction, run: Run): Promise<DiscrepancyCounts> {
  const frame = liveFrame(run.scope);
  return write(tx, run, {
    parts: withParts(findingParts(frame)),
    among: run.scope === "all" ? "d.subject_kind <> 'period'" : touchedSubjects,
  });
}

/** Statements and payouts that are overdue; these are always looked at as a whole. */
export async function writePeriodDiscrepancies(tx: Transaction, run: Run): Promise<DiscrepancyCounts> {
  return write(tx, run, {
    parts: withParts(periodFindingParts(liveFrame("all"))),
    among: "d.subject_kind = 'period' and d.code <> 'position_unexplained'",
  });
}

/**
 * Stated balances against what the lines between them add up to. A run looks only at the spans in which it has touched
 * something, because each is a sum over all of its lines. After `writePayouts`: what was paid out is read from there.
 */
export async function writePositionDiscrepancies(tx: Transaction, run: Run): Promise<DiscrepancyCounts> {
  const parts = (among: string | null) => withParts(positionFindingParts(liveFrame("all"), among));
  if (run.scope === "all") {
    return write(tx, run, { parts: parts(null), among: "d.code = 'position_unexplained'" });
  }
  await tx.query("drop table if exists pg_temp.touched_times");
  await tx.query(`create temp table touched_times on commit drop as ${touchedTimes}`, [
    run.accountId,
    run.provider,
  ]);
  return write(tx, run, {
    parts: parts(touchedBetween("o.effective_at", "b.effective_at")),
    among: `d.code = 'position_unexplained' and ${touchedBetween("d.period_from", "d.period_to")}`,
  });
}

/** Also of lines that do not count any more, and of every declaration of a payout: another one may count now. */
const touchedTimes = `
  select l.effective_at as at
  from tieout.statement_lines as l
  join pg_temp.touched_lines on touched_lines.line_id = l.id
  union
  select l.effective_at
  from tieout.statement_lines as l
  join pg_temp.touched_payouts as touched on touched.payout_ref = coalesce(l.payout_ref, l.provider_transaction_id)
  where l.line_type = 'payout'
    and l.account_id = $1
    and l.provider = $2`;

const touchedBetween = (from: string, to: string) =>
  `exists (select from pg_temp.touched_times as touched where touched.at between ${from} and ${to})`;

/** A line goes by its number, which is that of the version last judged: when another version counts now, both are touched. */
const touchedSubjects = `(
       (d.subject_kind = 'transaction' and d.transaction_id in (select transaction_id from pg_temp.touched_transactions))
       or (d.subject_kind = 'line' and d.line_id in (select line_id from pg_temp.touched_lines))
       or (d.subject_kind = 'payout' and d.payout_id in (
         select p.id
         from tieout.payouts as p
         join pg_temp.touched_payouts as touched on touched.payout_ref = p.payout_ref
         where p.account_id = $1
           and p.provider = $2
       ))
     )`;

async function write(
  tx: Transaction,
  run: Run,
  { parts, among }: { parts: string; among: string },
): Promise<DiscrepancyCounts> {
  await tx.query("drop table if exists pg_temp.reconcile_findings");
  await tx.query(`create temp table reconcile_findings on commit drop as ${parts} select * from finding`, [
    run.accountId,
    run.provider,
    run.asAt,
    run.knownAt,
  ]);
  await tx.query("analyze reconcile_findings");
  const stamped = [run.accountId, run.provider, run.stamp];
  const agreed = await countOf(tx, agreedSql(among), stamped);
  const [moved] = await tx.query<{ changed: number; reopened: number }>(movedSql, stamped);
  const raised = await countOf(tx, raisedSql, stamped);
  return { raised, changed: moved?.changed ?? 0, reopened: moved?.reopened ?? 0, agreed };
}

async function countOf(tx: Transaction, statement: string, values: unknown[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(statement, values);
  return row?.count ?? 0;
}

const event = (from: string, name: string, reason: string) => `
       insert into tieout.discrepancy_events (discrepancy_id, at, actor, event, state, owner, reason, facts, facts_hash)
       select d.id, $3::timestamptz, 'tieout', ${name}, d.state, d.owner, ${reason}, ${facts}, d.facts_hash
       from ${from} as d
       order by d.id`;

/** Enough to make the discrepancy again. */
export const facts = `jsonb_strip_nulls(jsonb_build_object('expected', d.expected::text, 'actual', d.actual::text, 'currency', d.currency,
         'expected_text', d.expected_text, 'actual_text', d.actual_text, 'value', d.value::text,
         'value_currency', d.value_currency, 'since', d.since, 'line_id', d.line_id, 'transaction_id', d.transaction_id,
         'payout_id', d.payout_id))`;

function agreedSql(among: string): string {
  return `
     with agreed as (
       update tieout.discrepancies as d
       set state = 'resolved', reason = 'agreed', resolved_by = 'tieout', resolved_at = $3::timestamptz,
           last_changed_at = $3::timestamptz, version = version + 1
       where d.account_id = $1
         and d.provider = $2
         and d.state in ('open', 'investigating')
         and ${among}
         and not exists (select from reconcile_findings as f where f.fingerprint = d.fingerprint)
       returning d.*
     ), noted as (${event("agreed", "'agreed'", "'agreed'")}
     )
     select count(*)::int as count
     from agreed`;
}

const factColumns = `line_id = f.line_id, transaction_id = f.transaction_id, payout_id = coalesce(p.id, d.payout_id),
           expected = f.expected, actual = f.actual, delta = f.actual - f.expected, currency = f.currency,
           expected_text = f.expected_text, actual_text = f.actual_text, value = f.value, value_currency = f.value_currency,
           since = f.since, near_period_edge = f.near_period_edge, facts_hash = f.facts_hash`;

/** Changed facts, or found again after it had agreed; a line's new version alone is no event. */
const movedSql = `
     with moved as (
       update tieout.discrepancies as d
       set ${factColumns},
           state = case when d.state in ('resolved', 'written_off') then 'open' else d.state end,
           reason = null, resolved_by = null, resolved_at = null,
           last_changed_at = $3::timestamptz, version = d.version + 1
       from reconcile_findings as f
       left join tieout.payouts as p
         on p.account_id = f.account_id
        and p.provider = f.provider
        and p.payout_ref = f.payout_ref
        and p.currency = f.currency
       where d.fingerprint = f.fingerprint
         and d.account_id = $1
         and d.provider = $2
         and (d.facts_hash <> f.facts_hash or (d.state = 'resolved' and d.reason = 'agreed'))
       returning d.*, f.fingerprint as found
     ), told as (
       select m.*, exists (
         select
         from tieout.discrepancies as before          -- as it was when this statement began
         where before.id = m.id
           and before.state in ('resolved', 'written_off')
       ) as was_closed
       from moved as m
     ), noted as (${event("told", "case when d.was_closed then 'reopened' else 'changed' end", "null")}
     ), carried as (
       update tieout.discrepancies as d
       set line_id = f.line_id
       from reconcile_findings as f
       where d.fingerprint = f.fingerprint
         and d.line_id is distinct from f.line_id
         and d.facts_hash = f.facts_hash
         and (d.state, d.reason) is distinct from ('resolved', 'agreed')
       returning 1
     )
     select count(*) filter (where not was_closed)::int as changed, count(*) filter (where was_closed)::int as reopened
     from told`;

const raisedSql = `
     with raised as (
       insert into tieout.discrepancies as d (fingerprint, fingerprint_version, facts_hash, account_id, provider, code, level,
         subject_kind, transaction_id, line_id, payout_id, period_from, period_to, expected, actual, delta, currency,
         expected_text, actual_text, value, value_currency, since, near_period_edge, first_seen_at, last_changed_at)
       select f.fingerprint, ${fingerprintVersion}, f.facts_hash, f.account_id, f.provider, f.code, f.level, f.subject_kind,
              f.transaction_id, f.line_id, p.id, f.period_from, f.period_to, f.expected, f.actual, f.actual - f.expected,
              f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.since, f.near_period_edge,
              $3::timestamptz, $3::timestamptz
       from reconcile_findings as f
       left join tieout.payouts as p
         on p.account_id = f.account_id
        and p.provider = f.provider
        and p.payout_ref = f.payout_ref
        and p.currency = f.currency
       where f.account_id = $1
         and f.provider = $2
         and not exists (select from tieout.discrepancies as d where d.fingerprint = f.fingerprint)
       order by f.code, f.since, f.fingerprint
       returning d.*
     ), noted as (${event("raised", "'raised'", "null")}
     )
     select count(*)::int as count
     from raised`;
