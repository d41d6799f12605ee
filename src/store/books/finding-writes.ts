import { receiptCodeList } from "./receipt-code-list.ts";
import { analyze, count, execute, type Run } from "./run.ts";

/**
 * Makes `findings` say what the run has found. What is known already stays as it is; what was known otherwise was known
 * until now. Nothing else is written: a second run writes nothing.
 */
export async function writeFindings(run: Run, among: JudgedFindings = ofProvider): Promise<boolean> {
  await execute(run, "create index on run_findings (fingerprint)");
  await analyze(run, "run_findings");
  const ended = await count(
    run,
    `with ended as (
       update tieout.findings as held
       set known_to = :'stamp'::timestamptz
       where held.account_id = :account_id
         and ${among.all}
         and held.known_to is null
         and ${run.scope === "all" ? "true" : among.touched}
         and not exists (select from run_findings as f where ${isSame})
       returning 1
     )
     select count(*)::int as count
     from ended`,
  );
  const found = await count(
    run,
    `with found as (
       insert into tieout.findings (account_id, ${columns.join(", ")}, known_from)
       select :account_id, ${columns.map((column) => `f.${column}`).join(", ")}, :'stamp'::timestamptz
       from run_findings as f
       where not exists (select from tieout.findings as held where held.known_to is null and ${isSame})
       order by f.provider, f.code, f.holds_from, f.fingerprint
       returning 1
     )
     select count(*)::int as count
     from found`,
  );
  return ended + found > 0;
}

const columns = [
  "provider",
  "code",
  "level",
  "subject_kind",
  "fingerprint",
  "facts_hash",
  "transaction_id",
  "line_id",
  "payout_ref",
  "receipt_line_id",
  "period_from",
  "period_to",
  "expected",
  "actual",
  "currency",
  "expected_text",
  "actual_text",
  "value",
  "value_currency",
  "owed",
  "owed_currency",
  "near_period_edge",
  "holds_from",
  "holds_to",
];

const told = [
  "line_id",
  "payout_ref",
  "receipt_line_id",
  "value",
  "value_currency",
  "owed",
  "owed_currency",
  "level",
  "near_period_edge",
];

const isSame = `held.fingerprint = f.fingerprint
         and (held.holds_from, held.holds_to, held.facts_hash) = (f.holds_from, f.holds_to, f.facts_hash)
         and (${told.map((column) => `held.${column}`).join(", ")}) is not distinct from (${told.map((column) => `f.${column}`).join(", ")})`;

/** Which of the findings that are known a run has judged, as conditions on `held`: of a full run, and of what was touched. */
export interface JudgedFindings {
  readonly all: string;
  readonly touched: string;
}

/**
 * What an incremental run has judged. A line goes by its number, which is that of the version last judged: when another
 * version counts now, both are touched. Periods are always judged as a whole.
 */
const lookedAt = `case held.subject_kind
           when 'transaction' then held.transaction_id in (select transaction_id from pg_temp.touched_transactions)
           when 'line' then held.line_id in (select line_id from pg_temp.touched_lines)
           when 'payout' then (held.provider, held.payout_ref) in (select provider, payout_ref from pg_temp.touched_payouts)
           else true
         end`;

/** What has arrived at the bank is judged by a run of its own. */
const ofProvider: JudgedFindings = {
  all: `held.provider = any (:'providers'::text[]) and held.code not in (${receiptCodeList})`,
  touched: lookedAt,
};
