import { boolean, decimal, integer, text, time } from "../../column.ts";
import type { Report, Scope } from "../../report.ts";
import * as shared from "./shared-columns.ts";

const code = text("code", "What disagrees: a closed list, see docs/reconciliation.md.");

/** The two sides of an address that differs are addresses; of any other code they are not. */
const mayBeAddress = { wallets: "masked", walletsWhere: "r.code = 'address_mismatch'" } as const;

export const discrepancies: Report = {
  ...shared.ofBooks,
  name: "discrepancies",
  title: "Discrepancies",
  purpose:
    "What disagrees, what is at stake, and what was done about it: everything a provider needs in order to answer.",
  grain: "One row per discrepancy, open or closed.",
  period: { description: "the time since which it disagrees (since)", column: "x.since" },
  moment: "apart",
  filters: { provider: "x.provider", code: "x.code", level: "x.level", state: "x.state" },
  columns: [
    integer("discrepancy_id", "Our number for it; empty until a run has recorded it."),
    code,
    text("level", "error changes the class of what it names, warning does not."),
    shared.account,
    shared.provider,
    shared.transactionId,
    shared.providerTransactionId,
    shared.transactionHash,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    decimal("expected", "Our side, if it is an amount."),
    decimal("actual", "Their side, if it is an amount."),
    decimal("delta", "actual less expected.", { currency: "currency" }),
    text("currency", "Currency of these three."),
    text(
      "expected_text",
      "Our side, if it is not an amount; addresses are masked without wallets:read.",
      mayBeAddress,
    ),
    text(
      "actual_text",
      "Their side, if it is not an amount; addresses are masked without wallets:read.",
      mayBeAddress,
    ),
    decimal("value", "What is at stake, never negative: the size of delta, or else the fiat leg.", {
      currency: "value_currency",
    }),
    text("value_currency", "Currency of value."),
    time("since", "When the difference arose, by the facts; never the day of import."),
    time("first_seen_at", "When a run first recorded it."),
    integer(
      "age_days",
      "Whole UTC days from since to the moment of the report, or to the day it was closed.",
    ),
    text("bucket", "The same as a range: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+."),
    boolean(
      "near_period_edge",
      "Within 24 hours of the start or end of the settlement period: perhaps only a matter of dates.",
    ),
    text("state", "open, investigating, resolved or written_off."),
    text("owner", "Who is responsible for it."),
    text("reason", "Why it was closed; agreed when the facts came to agree."),
    text("resolved_by", "Who closed it; tieout when the facts agreed."),
    time("resolved_at", "When it was closed; for a decision, the day on which it is booked."),
    decimal(
      "owed",
      "Our part of value: our share as the line states it, or else the share set in the calendar.",
      { currency: "owed_currency" },
    ),
    text("owed_currency", "Currency of owed."),
    text("resolved_by_name", "Who closed it, under the name they had then."),
  ],
  select: (scope) => {
    const [asAt, knownAt] = [scope.asAt(), scope.knownAt()];
    return `
    select a.name as account, x.*, tieout.age_bucket(x.age_days) as bucket
    from (
      select f.account_id, f.provider, f.code, f.level, f.fingerprint, f.transaction_id, f.payout_ref, f.expected, f.actual,
             trim_scale(f.actual - f.expected) as delta, f.currency, f.expected_text, f.actual_text, f.value, f.value_currency,
             f.owed, f.owed_currency, f.since, f.near_period_edge,
             coalesce(t.provider_transaction_id, l.provider_transaction_id) as provider_transaction_id,
             coalesce(nullif(t.transaction_hash, ''), l.transaction_hash) as transaction_hash,
             file.file_name, place.line_no,
             d.id as discrepancy_id, d.first_seen_at, life.owner,
             coalesce(f.closed_as, case when life.state = 'investigating' then life.state else 'open' end) as state,
             f.reason, f.resolved_by, f.resolved_by_name, f.resolved_at,
             tieout.age_days(f.since, coalesce(f.resolved_at, ${asAt})) as age_days
      from (
        ${holding(scope, asAt, knownAt)}
        union all
        ${ended(scope, asAt, knownAt)}
      ) as f
      left join tieout.discrepancies as d on d.fingerprint = f.fingerprint and d.first_seen_at <= ${knownAt}
      left join lateral (
        select e.owner, e.state
        from tieout.discrepancy_events as e
        where e.discrepancy_id = d.id
          and e.at <= ${knownAt}
        order by e.id desc
        limit 1
      ) as life on true
      left join lateral tieout.record_at(f.account_id, f.transaction_id, ${asAt}, ${knownAt}) as t on f.transaction_id is not null
      left join tieout.statement_lines as l on l.id = f.line_id
      left join tieout.line_files_at(${knownAt}) as place on place.line_id = f.line_id
      left join tieout.statements as file on file.id = place.statement_id
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.since, r.code, r.fingerprint",
};

const findingColumns = `f.account_id, f.provider, f.code, f.level, f.fingerprint, f.transaction_id, f.line_id, f.payout_ref, f.expected,
               f.actual, f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.owed, f.owed_currency`;

function holding(scope: Scope, asAt: string, knownAt: string): string {
  return `select ${findingColumns}, f.since, f.near_period_edge, f.decision as closed_as, f.reason, f.decided_by as resolved_by,
               f.decided_by_name as resolved_by_name, f.booked_at as resolved_at
        from tieout.findings_at(${scope.accounts()}, ${asAt}, ${knownAt}) as f`;
}

/**
 * What held once and does not any longer: the facts have come to agree. One that was only ever going to hold, and was
 * cleared up before, never was a discrepancy.
 */
function ended(scope: Scope, asAt: string, knownAt: string): string {
  return `(select distinct on (f.fingerprint) ${findingColumns}, f.holds_from, f.near_period_edge, 'resolved', 'agreed', 'tieout', 'tieout',
               least(known.until, f.holds_to)
        from tieout.findings as f
        cross join lateral (select case when f.known_to <= ${knownAt} then f.known_to end) as known (until)
        where f.account_id = any (${scope.accounts()})
          and f.known_from <= ${knownAt}
          and f.holds_from < least(${asAt}, known.until)
          and not exists (
            select
            from tieout.findings as now
            where now.fingerprint = f.fingerprint
              and now.known_from <= ${knownAt}
              and (now.known_to is null or now.known_to > ${knownAt})
              and now.holds_from < ${asAt}
              and now.holds_to >= ${asAt}
          )
        order by f.fingerprint, f.known_from desc, f.holds_from desc)`;
}

export const ageing: Report = {
  ...shared.ofBooks,
  name: "ageing",
  title: "Ageing of discrepancies",
  purpose: "How much is open, and for how long, so that you know where to start.",
  grain: "One row per account, provider, currency, code and range of age; open discrepancies only.",
  period: null,
  moment: "apart",
  filters: { provider: "x.provider", code: "x.code", level: "x.level" },
  columns: [
    shared.account,
    shared.provider,
    text("currency", "Currency of value."),
    code,
    text("bucket", "Whole UTC days for which it has disagreed: 0-1, 2-3, 4-7, 8-30, 31-60, 61-90, 91+."),
    integer("count", "How many."),
    decimal("value", "The customers' orders at stake in all of them.", { currency: "currency" }),
    text("level", "error or warning; only errors put money at risk."),
    decimal("owed", "Our part of it.", { currency: "owed_currency" }),
    text("owed_currency", "Currency of owed."),
  ],
  select: (scope) => {
    const asAt = scope.asAt();
    return `
    select a.name as account, x.provider, x.value_currency as currency, x.code, x.level, tieout.age_bucket(x.age_days) as bucket,
           min(x.age_days) as youngest, count(*) as count, trim_scale(sum(x.value)) as value, trim_scale(sum(x.owed)) as owed,
           x.owed_currency
    from (
      select f.account_id, f.provider, f.code, f.level, f.value, f.value_currency, f.owed, f.owed_currency,
             tieout.age_days(f.since, ${asAt}) as age_days
      from tieout.findings_at(${scope.accounts()}, ${asAt}, ${scope.knownAt()}) as f
      where f.is_open
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}
    group by a.name, x.provider, x.value_currency, x.owed_currency, x.code, x.level, tieout.age_bucket(x.age_days)`;
  },
  orderBy: "r.account, r.provider, r.currency, r.code, r.youngest, r.owed_currency",
};
