import { fingerprintVersion } from "./findings.ts";
import { receiptCodeList } from "./receipt-code-list.ts";
import { analyze, countEach, type Counts, execute, type Run } from "./run.ts";

export type DiscrepancyCounts = Record<"raised" | "changed" | "reopened" | "agreed", Counts>;

/** And what was raised or opened again, by provider and code. */
export interface WrittenDiscrepancies extends DiscrepancyCounts {
  codes: readonly CodeCount[];
}

interface CodeCount {
  provider: string;
  code: string;
  count: number;
}

/**
 * Makes the discrepancies, which people work on, say what holds now by `findings`, and notes what happened to each. One
 * that is found again is left alone; with other facts it changes, and what a person had closed is open again; one that
 * does not hold any longer has agreed. What a person closed stays closed while its facts stay.
 */
export async function writeDiscrepancies(
  run: Omit<Run, "scope">,
  among: DiscrepancyScope = ofProvider,
): Promise<WrittenDiscrepancies> {
  await run.tx.query("drop table if exists pg_temp.run_holding");
  await execute(run, holding(among));
  await execute(run, "create index on run_holding (fingerprint)");
  await analyze(run, "run_holding (fingerprint)");
  await execute(run, holdSql(among));
  const agreed = await countEach(run, agreedSql(among));
  const moved = await execute<CodeCount & { changed: number }>(run, movedSql);
  const raised = await execute<CodeCount>(run, raisedSql);
  return {
    raised: byProvider(raised),
    changed: byProvider(moved.map(({ changed, ...row }) => ({ ...row, count: changed }))),
    reopened: byProvider(moved),
    agreed,
    codes: [...raised, ...moved.filter(({ count }) => count > 0)],
  };
}

function byProvider(rows: readonly CodeCount[]): Counts {
  const counts = new Map<string, number>();
  for (const { provider, count } of rows) counts.set(provider, (counts.get(provider) ?? 0) + count);
  return counts;
}

/**
 * Where nothing was judged anew, only time moves anything: the providers of which something that is known has begun to hold
 * since, or ceased to.
 */
export async function listTurned(
  run: Omit<Run, "scope">,
  since: string,
  among: DiscrepancyScope = ofProvider,
): Promise<string[]> {
  const turned = (time: string) => `f.${time} >= :'since'::timestamptz and f.${time} < :'stamp'::timestamptz`;
  const found = await execute<{ provider: string }>(
    run,
    `select distinct f.provider
     from tieout.findings as f
     where f.account_id = :account_id
       and ${among("f")}
       and f.known_to is null
       and (${turned("holds_from")} or ${turned("holds_to")})`,
    { since },
  );
  return found.map(({ provider }) => provider);
}

/** Which findings and discrepancies a run answers for, as a condition on either. */
export type DiscrepancyScope = (row: "f" | "d") => string;

/** What has arrived at the bank is judged by a run of its own, over all providers. */
const ofProvider: DiscrepancyScope = (row) =>
  `${row}.provider = any (:'providers'::text[]) and ${row}.code not in (${receiptCodeList})`;
export const ofReceipts: DiscrepancyScope = (row) => `${row}.code in (${receiptCodeList})`;

const holding = (among: DiscrepancyScope) => `
  create temp table run_holding on commit drop as
  select f.*, p.id as payout_id
  from tieout.findings as f
  left join tieout.payouts as p
    on p.account_id = f.account_id
   and p.provider = f.provider
   and p.payout_ref = f.payout_ref
   and p.currency = f.currency
  where f.account_id = :account_id
    and ${among("f")}
    and f.known_to is null
    and f.holds_from < :'stamp'::timestamptz
    and f.holds_to >= :'stamp'::timestamptz`;

const event = (from: string, name: string, reason: string) => `
       insert into tieout.discrepancy_events (discrepancy_id, at, actor, actor_name, event, state, owner, reason, facts, facts_hash)
       select d.id, d.last_changed_at, 'tieout', 'tieout', ${name}, d.state, d.owner, ${reason}, ${facts}, d.facts_hash
       from ${from} as d
       order by d.id`;

const texts = ["currency", "expected_text", "actual_text", "value_currency", "transaction_id"];
const amounts = ["expected", "actual", "value"];
const numbers = ["line_id", "payout_id", "receipt_line_id"];

const fact = (name: string, json: string) => `coalesce(', "${name}": ' || ${json}, '')`;

/**
 * Enough to make the discrepancy again, without what is empty. Written as text: `jsonb_build_object` finds out anew for
 * every row of what type each value is, which took four times as long, and a quarter of the time of raising one.
 */
export const facts = `('{"since": ' || to_json(d.since)::text || ${[
  ...amounts.map((name) => fact(name, `'"' || d.${name}::text || '"'`)),
  ...texts.map((name) => fact(name, `to_json(d.${name})::text`)),
  ...numbers.map((name) => fact(name, `d.${name}::text`)),
].join(" || ")} || '}')::jsonb`;

/** When a run changed a discrepancy; always later than what a person did about it during the run. */
const changedAt =
  "case when d.last_changed_at < :'stamp'::timestamptz then :'stamp'::timestamptz else clock_timestamp() end";

const isAgreed = (among: DiscrepancyScope) => `d.account_id = :account_id
         and ${among("d")}
         and d.state in ('open', 'investigating')
         and not exists (select from run_holding as f where f.fingerprint = d.fingerprint)`;
const isMoving = `d.fingerprint = f.fingerprint
         and (d.facts_hash <> f.facts_hash or (d.state = 'resolved' and d.reason = 'agreed'))`;

/**
 * Locks what will be changed, in the order in which people's changes lock it, so that the two cannot deadlock. It is a step of its
 * own because an update that had to wait for a decision would still see the discrepancy as it was before, and leave the decision
 * in force.
 */
const holdSql = (among: DiscrepancyScope) => `
     select count(*)
     from (
       select
       from tieout.discrepancies as held
       where held.id in (
         select d.id from tieout.discrepancies as d where ${isAgreed(among)}
         union all
         select d.id from tieout.discrepancies as d join run_holding as f on ${isMoving}
       )
       order by held.id
       for update
     ) as held`;

const agreedSql = (among: DiscrepancyScope) => `
     with written as (
       update tieout.discrepancies as d
       set state = 'resolved', reason = 'agreed', resolved_by = 'tieout', resolved_at = :'stamp'::timestamptz,
           last_changed_at = ${changedAt}, version = version + 1
       where ${isAgreed(among)}
       returning d.*
     ), noted as (${event("written", "'agreed'", "'agreed'")}
     )`;

const factColumns = `line_id = f.line_id, receipt_line_id = f.receipt_line_id, transaction_id = f.transaction_id, payout_id = coalesce(f.payout_id, d.payout_id),
           expected = f.expected, actual = f.actual, delta = f.actual - f.expected, currency = f.currency,
           expected_text = f.expected_text, actual_text = f.actual_text, value = f.value, value_currency = f.value_currency,
           owed = f.owed, owed_currency = f.owed_currency, level = f.level, since = f.holds_from, near_period_edge = f.near_period_edge, facts_hash = f.facts_hash`;

/** Changed facts, or found again after it had agreed; a line's new version alone is not an event. */
const movedSql = `
     with moved as (
       update tieout.discrepancies as d
       set ${factColumns},
           state = case when d.state in ('resolved', 'written_off') then 'open' else d.state end,
           reason = null, resolved_by = null, resolved_at = null,
           last_changed_at = ${changedAt}, version = d.version + 1
       from run_holding as f
       where ${isMoving}
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
     ), taken_back as (
       update tieout.decisions as decided
       set known_to = told.last_changed_at
       from told
       where told.was_closed
         and decided.discrepancy_id = told.id
         and decided.known_to is null
     ), carried as (
       update tieout.discrepancies as d
       set line_id = f.line_id, receipt_line_id = f.receipt_line_id, payout_id = coalesce(f.payout_id, d.payout_id), value = f.value,
           value_currency = f.value_currency, owed = f.owed, owed_currency = f.owed_currency, since = f.holds_from,
           near_period_edge = f.near_period_edge
       from run_holding as f
       where d.fingerprint = f.fingerprint
         and (d.line_id, d.receipt_line_id, d.payout_id, d.value, d.value_currency, d.owed, d.owed_currency, d.since, d.near_period_edge)
           is distinct from (f.line_id, f.receipt_line_id, coalesce(f.payout_id, d.payout_id), f.value, f.value_currency, f.owed, f.owed_currency,
             f.holds_from, f.near_period_edge)
         and d.facts_hash = f.facts_hash
         and (d.state, d.reason) is distinct from ('resolved', 'agreed')
       returning 1
     )
     select provider, code, count(*) filter (where not was_closed)::int as changed,
            count(*) filter (where was_closed)::int as count       -- opened again
     from told
     group by provider, code`;

const raisedSql = `
     with written as (
       insert into tieout.discrepancies as d (fingerprint, fingerprint_version, facts_hash, account_id, provider, code, level,
         subject_kind, transaction_id, line_id, payout_id, receipt_line_id, period_from, period_to, expected, actual, delta, currency,
         expected_text, actual_text, value, value_currency, owed, owed_currency, since, near_period_edge, first_seen_at,
         last_changed_at)
       select f.fingerprint, ${fingerprintVersion}, f.facts_hash, f.account_id, f.provider, f.code, f.level, f.subject_kind,
              f.transaction_id, f.line_id, f.payout_id, f.receipt_line_id, f.period_from, f.period_to, f.expected, f.actual, f.actual - f.expected,
              f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.owed, f.owed_currency, f.holds_from,
              f.near_period_edge, :'stamp'::timestamptz, :'stamp'::timestamptz
       from run_holding as f
       where not exists (select from tieout.discrepancies as d where d.fingerprint = f.fingerprint)
       order by f.provider, f.code, f.holds_from, f.fingerprint
       returning d.*
     ), noted as (${event("written", "'raised'", "null")}
     )
     select provider, code, count(*)::int as count
     from written
     group by provider, code`;
