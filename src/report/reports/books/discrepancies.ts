import { classParts } from "../../../store/books/classes.ts";
import { type Frame, withParts } from "../../../store/books/frame.ts";
import type { Column, Report } from "../../report.ts";
import * as shared from "./shared-columns.ts";

const code: Column = {
  name: "code",
  type: "text",
  description: "What disagrees: a closed list, see docs/reconciliation.md.",
};

/** The two sides of an address that differs are addresses; of any other code they are not. */
const mayBeAddress = { wallets: "masked", walletsWhere: "r.code = 'address_mismatch'" } as const;

export const discrepancies: Report = {
  ...shared.ofBooks,
  name: "discrepancies",
  title: "Discrepancies",
  purpose:
    "What disagrees, what is at stake, and what was done about it: all that a provider needs to answer.",
  grain: "One row per discrepancy, open or closed.",
  period: { description: "the time since when it disagrees (since)", column: "x.since" },
  moment: "apart",
  filters: { provider: "x.provider", code: "x.code", level: "x.level", state: "x.state" },
  columns: [
    {
      name: "discrepancy_id",
      type: "integer",
      description: "Our number for it; empty when no run has noted it yet.",
    },
    code,
    {
      name: "level",
      type: "text",
      description: "error changes the class of what it names, warning does not.",
    },
    shared.account,
    shared.provider,
    shared.transactionId,
    shared.providerTransactionId,
    shared.transactionHash,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    { name: "expected", type: "amount", description: "Our side, where it is an amount." },
    { name: "actual", type: "amount", description: "Their side, where it is an amount." },
    { name: "delta", type: "amount", currency: "currency", description: "actual less expected." },
    { name: "currency", type: "text", description: "Currency of these three." },
    {
      name: "expected_text",
      type: "text",
      ...mayBeAddress,
      description: "Our side, where it is no amount; addresses are masked without wallets:read.",
    },
    {
      name: "actual_text",
      type: "text",
      ...mayBeAddress,
      description: "Their side, where it is no amount; addresses are masked without wallets:read.",
    },
    {
      name: "value",
      type: "amount",
      currency: "value_currency",
      description: "What is at stake, never negative: the size of delta, or the fiat leg.",
    },
    { name: "value_currency", type: "text", description: "Currency of value." },
    {
      name: "since",
      type: "time",
      description: "When the difference began by the facts, never the day of import.",
    },
    { name: "first_seen_at", type: "time", description: "When a run first noted it." },
    {
      name: "age_days",
      type: "integer",
      description: "Whole UTC days from since to the moment of the report, or to the day it was closed.",
    },
    {
      name: "bucket",
      type: "text",
      description: "The same as a range: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+.",
    },
    {
      name: "near_period_edge",
      type: "boolean",
      description: "Within 24 hours of an edge of the settlement period: perhaps a question of date only.",
    },
    { name: "state", type: "text", description: "open, investigating, resolved or written_off." },
    { name: "owner", type: "text", description: "Who looks after it." },
    {
      name: "reason",
      type: "text",
      description: "Why it was closed; agreed when the facts came to agree.",
    },
    { name: "resolved_by", type: "text", description: "Who closed it; tieout when the facts agreed." },
    { name: "resolved_at", type: "time", description: "When it was closed." },
  ],
  select: (scope) => {
    const frame = scope.books();
    return `
    select a.name as account, x.*, tieout.age_bucket(x.age_days) as bucket
    from (
      ${withParts([...classParts(frame), ended(frame)])}
      select d.*,
             trim_scale(d.actual - d.expected) as delta,
             coalesce(t.provider_transaction_id, l.provider_transaction_id) as provider_transaction_id,
             coalesce(nullif(t.transaction_hash, ''), l.transaction_hash) as transaction_hash,
             file.file_name,
             l.line_no,
             tieout.age_days(d.since, coalesce(d.resolved_at, ${frame.asAt})) as age_days
      from (
        select discrepancy_id, fingerprint, code, level, account_id, provider, transaction_id, line_id, payout_ref, expected, actual,
               currency, expected_text, actual_text, value, value_currency, since, near_period_edge, first_seen_at, state, owner,
               reason, resolved_by, resolved_at
        from standing
        union all
        select *
        from ended
      ) as d
      left join t on t.account_id = d.account_id and t.transaction_id = d.transaction_id
      left join tieout.statement_lines as l on l.id = d.line_id
      left join tieout.statements as file on file.id = l.statement_id
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.since, r.code, r.fingerprint",
};

/**
 * What was closed by then and is not found any more: the facts have come to agree, or a person had closed it before they
 * did. Its last event tells what it was about; the row itself may have changed since.
 */
function ended({ provider, asAt }: Frame) {
  return {
    name: "ended",
    sql: `
  select d.id as discrepancy_id, d.fingerprint, d.code, d.level, d.account_id, d.provider, last.facts ->> 'transaction_id',
         (last.facts ->> 'line_id')::bigint, p.payout_ref, (last.facts ->> 'expected')::numeric, (last.facts ->> 'actual')::numeric,
         last.facts ->> 'currency', last.facts ->> 'expected_text', last.facts ->> 'actual_text', (last.facts ->> 'value')::numeric,
         last.facts ->> 'value_currency', (last.facts ->> 'since')::timestamptz, null::boolean, life.first_seen_at, life.state,
         life.owner, life.reason, life.resolved_by, life.resolved_at
  from life
  join tieout.discrepancies as d on d.id = life.discrepancy_id
  join tieout.discrepancy_events as last on last.id = life.event_id
  left join tieout.payouts as p on p.id = (last.facts ->> 'payout_id')::bigint
  where life.state in ('resolved', 'written_off')${provider === null ? "" : `\n    and d.provider = ${provider}`}
    and (last.facts ->> 'since')::timestamptz < ${asAt}
    and not exists (select from finding where finding.fingerprint = life.fingerprint)`,
  };
}

export const ageing: Report = {
  ...shared.ofBooks,
  name: "ageing",
  title: "Ageing of discrepancies",
  purpose: "How much is open, and for how long: where to begin.",
  grain: "One row per account, provider, currency, code and range of age; open discrepancies only.",
  period: null,
  moment: "apart",
  filters: { provider: "x.provider", code: "x.code", level: "x.level" },
  columns: [
    shared.account,
    shared.provider,
    { name: "currency", type: "text", description: "Currency of value." },
    code,
    {
      name: "bucket",
      type: "text",
      description: "Whole UTC days since it disagrees: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+.",
    },
    { name: "count", type: "integer", description: "How many." },
    { name: "value", type: "amount", currency: "currency", description: "What is at stake in all of them." },
  ],
  select: (scope) => {
    const frame = scope.books();
    return `
    select a.name as account, x.provider, x.value_currency as currency, x.code, tieout.age_bucket(x.age_days) as bucket,
           min(x.age_days) as youngest, count(*) as count, trim_scale(sum(x.value)) as value
    from (
      ${withParts(classParts(frame))}
      select account_id, provider, code, level, value, value_currency, tieout.age_days(since, ${frame.asAt}) as age_days
      from standing
      where is_open
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}
    group by a.name, x.provider, x.value_currency, x.code, tieout.age_bucket(x.age_days)`;
  },
  orderBy: "r.account, r.provider, r.currency, r.code, r.youngest",
};
