import { discrepancyCodes } from "../../core/discrepancy-codes.ts";
import { findInFees } from "./findings-of-fees.ts";
import { findInLines } from "./findings-of-lines.ts";
import { findInPairs } from "./findings-of-pairs.ts";
import { findInPayouts } from "./findings-of-payouts.ts";
import { findInPeriods } from "./findings-of-periods.ts";
import { findInSplits } from "./findings-of-splits.ts";
import { findInTransactions } from "./findings-of-transactions.ts";
import { execute, type Run } from "./run.ts";

/** Raised when what a fingerprint is made of changes. */
export const fingerprintVersion = 2;

/**
 * Everything that disagrees, as `run_findings`: each rule says what, and from when to when it holds by the facts; none
 * asks what time it is.
 */
export async function findDisagreements(run: Run): Promise<void> {
  await run.tx.query(`create temp table run_found (${foundColumns}) on commit drop`);
  await findInPairs(run);
  await findInSplits(run);
  await findInLines(run);
  await findInTransactions(run);
  await findInPayouts(run);
  await findInPeriods(run);
  await findInFees(run);
  await execute(run, identified);
  await execute(run, onlyOneAtATime);
}

/**
 * What a code does not need stays empty. `level` is given only where it differs from what the code usually means.
 */
export const foundColumns = `provider text not null, code text not null, level text, transaction_id text, line_id bigint, payout_ref text,
  receipt_line_id bigint, period_from timestamptz, period_to timestamptz, expected numeric, actual numeric, currency text, expected_text text, actual_text text, value numeric,
  value_currency text, owed numeric, owed_currency text, dated timestamptz, holds_from timestamptz not null,
  holds_to timestamptz not null default 'infinity'`;

const meanings = Object.entries(discrepancyCodes)
  .map(([code, { level, subject }]) => `('${code}', '${level}', '${subject}')`)
  .join(", ");

/** Of a finding's code and subject: no amounts, so that a later run finds the same one. */
export function fingerprintOf(subject: string): string {
  return `sha256(convert_to(concat_ws(e'\\x1f', '${fingerprintVersion}', :account_id::text, f.code, f.subject_kind,
           ${subject}), 'UTF8'))`;
}

export const factsHash = `sha256(convert_to(concat_ws(e'\\x1f', coalesce(f.expected::text, ''), coalesce(f.actual::text, ''),
           coalesce(f.currency, ''), coalesce(f.expected_text, ''), coalesce(f.actual_text, '')), 'UTF8'))`;

/**
 * Gives each finding its level, its subject, its fingerprint and the hash of its facts. The fingerprint holds no amounts:
 * a later run finds the same discrepancy, with other figures perhaps. Sums carry the zeros of their parts; nobody wants
 * to read those.
 */
const identified = `
  create temp table run_findings on commit drop as
  select f.provider, f.code, f.level, f.subject_kind, f.transaction_id, f.line_id, f.payout_ref,
         null::bigint as receipt_line_id, f.period_from, f.period_to, f.expected,
         f.actual, f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.owed, f.owed_currency,
         f.near_period_edge, f.holds_from, f.holds_to,
         ${fingerprintOf(`case f.subject_kind
             when 'transaction' then f.transaction_id
             when 'line' then concat_ws(e'\\x1f', f.provider, f.line_key, f.occurrence::text)
             when 'payout' then concat_ws(e'\\x1f', f.provider, f.payout_ref, f.currency)
             else concat_ws(e'\\x1f', f.provider, extract(epoch from f.period_from)::text,
                            extract(epoch from f.period_to)::text, coalesce(f.currency, ''))
           end`)} as fingerprint,
         ${factsHash} as facts_hash
  from (
    select f.provider, f.code, coalesce(f.level, meaning.level) as level,
           case when meaning.subject = 'transaction' and f.transaction_id is null then 'line' else meaning.subject end as subject_kind,
           f.transaction_id, f.line_id, coalesce(f.payout_ref, line.payout_ref) as payout_ref, f.period_from, f.period_to,
           trim_scale(f.expected) as expected, trim_scale(f.actual) as actual, f.currency, f.expected_text, f.actual_text,
           trim_scale(f.value) as value, f.value_currency, trim_scale(f.owed) as owed, f.owed_currency, f.holds_from, f.holds_to,
           line.line_key, line.occurrence,
           coalesce(near.is_edge, false) as near_period_edge
    from run_found as f
    join (values ${meanings}) as meaning (code, level, subject) on meaning.code = f.code
    left join tieout.statement_lines as line on line.id = f.line_id
    left join lateral (
      select bool_or(f.dated - interval '24 hours' < d.period_from or f.dated + interval '24 hours' >= d.period_to) as is_edge
      from run_periods as d
      where d.provider = f.provider
        and d.period_from <= f.dated
        and d.period_to > f.dated
        and meaning.subject in ('transaction', 'line')
    ) as near on true
    where f.holds_from < f.holds_to
  ) as f`;

/** Two findings of one code about one subject: the first by its words counts while both would hold. */
const onlyOneAtATime = `
  delete from run_findings as f
  using (
    select ctid, fingerprint, holds_from, holds_to, row_number() over (
             partition by fingerprint order by expected_text, actual_text, expected, actual, line_id, holds_from
           ) as place
    from run_findings
  ) as mine, (
    select fingerprint, holds_from, holds_to, row_number() over (
             partition by fingerprint order by expected_text, actual_text, expected, actual, line_id, holds_from
           ) as place
    from run_findings
  ) as other
  where f.ctid = mine.ctid
    and other.fingerprint = mine.fingerprint
    and other.place < mine.place
    and other.holds_from < mine.holds_to
    and mine.holds_from < other.holds_to`;
