import { discrepancyCodes } from "../../core/discrepancy-codes.ts";
import { dueParts } from "./due.ts";
import { lineParts } from "./findings-of-lines.ts";
import { findingColumns, pairParts } from "./findings-of-pairs.ts";
import { periodParts, undeclaredPayouts } from "./findings-of-periods.ts";
import { positionParts } from "./findings-of-positions.ts";
import { transactionParts } from "./findings-of-transactions.ts";
import type { Frame, Part } from "./frame.ts";
import { filePayouts, payoutFindings, payoutParts } from "./payout-parts.ts";
import { coverage, rules } from "./rules.ts";
import { history, lines, matches, subjects, transactions } from "./sources.ts";
import { periodEnd, periodStart } from "./zones.ts";

/** Raised when what a fingerprint is made of changes. */
export const fingerprintVersion = 1;

/** Everything that disagrees, as one statement's parts; the last, `finding`, has one row per disagreement. */
export function findingParts(frame: Frame): Part[] {
  return [
    ...bookParts(frame),
    history(frame),
    ...pairParts(frame),
    ...lineParts(frame),
    ...transactionParts(frame),
    ...(frame.mode === "live" ? [computedPayouts] : payoutParts(frame)),
    payoutFindings,
    ...(frame.mode === "past"
      ? [undeclaredPayouts(frame), ...periodParts(frame), ...positionParts(frame)]
      : []),
    ...identified([
      "pair_findings",
      "line_findings",
      "transaction_findings",
      "payout_findings",
      ...(frame.mode === "past" ? ["period_findings", "position_findings"] : []),
    ]),
  ];
}

/** Live, the run has just computed them. */
const computedPayouts: Part = {
  name: "payout",
  materialized: true,
  sql: `
  select *
  from pg_temp.reconcile_payouts
  where line_count > 0
     or net_declared is not null`,
};

/** The same of periods alone: a run asks them of everything, whatever it has touched. */
export function periodFindingParts(frame: Frame): Part[] {
  return [
    ...bookParts(frame),
    filePayouts(frame),
    undeclaredPayouts(frame),
    ...periodParts(frame),
    ...identified(["period_findings"]),
  ];
}

/** And of stated balances; `among` narrows them to the spans that a run has touched. */
export function positionFindingParts(frame: Frame, among: string | null): Part[] {
  return [
    ...subjects(frame),
    ...rules(frame),
    lines(frame),
    ...positionParts(frame, among),
    ...identified(["position_findings"]),
  ];
}

/** Both sides of the books, and what is set about them. */
export function bookParts(frame: Frame): Part[] {
  return [
    ...subjects(frame),
    ...rules(frame),
    ...coverage(frame),
    ...transactions(frame),
    lines(frame),
    matches(frame),
    ...dueParts(frame),
  ];
}

/** Sums carry the zeros of their parts; nobody wants to read those. */
const written = findingColumns.replaceAll(/\b(expected|actual|value)\b/g, "trim_scale($1) as $1");

/**
 * Gives each finding its level, its subject, its fingerprint and the hash of its facts. The fingerprint holds no amounts:
 * a later run finds the same discrepancy, with other figures perhaps.
 */
function identified(families: readonly string[]): Part[] {
  const meanings = Object.entries(discrepancyCodes)
    .map(([code, { level, subject }]) => `('${code}', '${level}', '${subject}')`)
    .join(", ");
  return [
    {
      name: "found",
      sql: families
        .map((family) => `\n  select ${written} from ${family} as family (${findingColumns})`)
        .join("\n  union all"),
    },
    {
      name: "finding",
      materialized: true,
      sql: `
  select distinct on (f.fingerprint) f.*,
         sha256(convert_to(concat_ws(e'\\x1f', coalesce(trim_scale(f.expected)::text, ''), coalesce(trim_scale(f.actual)::text, ''),
           coalesce(f.currency, ''), coalesce(f.expected_text, ''), coalesce(f.actual_text, '')), 'UTF8')) as facts_hash
  from (
    select f.*, meaning.level, kind.subject_kind,
           sha256(convert_to(concat_ws(e'\\x1f', '${fingerprintVersion}', f.account_id::text, f.code, kind.subject_kind,
             case kind.subject_kind
               when 'transaction' then f.transaction_id
               when 'line' then concat_ws(e'\\x1f', f.provider, line.line_key, line.occurrence::text)
               when 'payout' then concat_ws(e'\\x1f', f.provider, f.payout_ref, f.currency)
               else concat_ws(e'\\x1f', f.provider, extract(epoch from f.period_from)::text,
                              extract(epoch from f.period_to)::text, coalesce(f.currency, ''))
             end), 'UTF8')) as fingerprint,
           coalesce(near.edge, false) as near_period_edge
    from found as f
    join (values ${meanings}) as meaning (code, level, subject) on meaning.code = f.code
    cross join lateral (
      select case when meaning.subject = 'transaction' and f.transaction_id is null then 'line' else meaning.subject end
    ) as kind (subject_kind)
    left join tieout.statement_lines as line on line.id = f.line_id and kind.subject_kind = 'line'
    left join lateral (
      select f.dated - interval '24 hours' < ${periodStart("f.dated")}
          or f.dated + interval '24 hours' >= ${periodEnd("f.dated")}
          as edge
      from calendar as c
      where c.account_id = f.account_id
        and c.provider = f.provider
        and meaning.subject in ('transaction', 'line')
    ) as near on true
  ) as f
  order by f.fingerprint, f.expected_text, f.actual_text, f.expected, f.actual, f.line_id`,
    },
  ];
}
