import { date, text, time } from "../../column.ts";
import type { Report, Scope } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/**
 * Both ends are judged by the same knowledge, and what lies between is read off each transaction: where it stood at the
 * start and where it stands at the end. `unexplained` is computed from the sums and has to be zero.
 */
export const position: Report = {
  ...shared.ofBooks,
  ...shared.rolledForward,
  name: "position",
  title: "Position",
  purpose:
    "What was not settled at the start, what was added and settled, and what is not settled at the end.",
  grain: "One row per account, provider and currency.",
  needsCoverage: true,
  reachesBack: true,
  totalsFirst: ["opening_unsettled", "closing_unsettled", "unexplained"],
  filters: { provider: "x.provider" },
  columns: [
    shared.account,
    shared.provider,
    text("currency", "Currency of all amounts: that of our fiat leg."),
    shared.amount("opening_unsettled", "Completed but not settled by any line at the start of the period."),
    shared.amount("completed", "Plus: completed since."),
    shared.amount("changed", "Plus: changes since then in the amounts of completed transactions."),
    shared.amount("settled", "Less: settled by a line since, net of matches that ended."),
    shared.amount("reversed", "Less: no longer completed."),
    shared.amount("excluded", "Less: excluded by a rule, or closed by a person without a line."),
    shared.amount("written_off", "Less: written off by a person."),
    shared.amount(
      "closing_unsettled",
      "Completed but not settled by any line at the end: the sum of the report unsettled.",
    ),
    shared.amount(
      "unexplained",
      "closing_unsettled less (opening_unsettled + completed + changed - settled - reversed - excluded - written_off): zero.",
    ),
    shared.amount(
      "named_differences",
      "For information: differences between settling lines and our fiat leg, within the tolerance.",
    ),
  ],
  select: (scope) => {
    const opening = scope.from();
    return `${
      opening === null
        ? ""
        : `
    with old as materialized (${moving(scope, opening)}
    )`
    }
    select a.name as account, x.*,
           trim_scale(x.closing_unsettled - (x.opening_unsettled + x.completed + x.changed - x.settled - x.reversed - x.excluded
             - x.written_off)) as unexplained
    from (
      select moved.account_id, moved.provider, moved.currency,
             ${sum("case when not is_end and state = 'unsettled' then amount end")} as opening_unsettled,
             ${sum("case when is_end and not is_both then amount end")} as completed,
             ${sum("case when is_both then signed end")} as changed,
             ${sum("case when state = 'settled' then signed end")} as settled,
             ${sum("case when not is_end and not is_both then amount end")} as reversed,
             ${sum("case when state = 'excluded' then signed end")} as excluded,
             ${sum("case when state = 'written_off' then signed end")} as written_off,
             ${sum("case when is_end and state = 'unsettled' then amount end")} as closing_unsettled,
             ${sum("case when is_end then named_difference else -named_difference end")} as named_differences
      from (
        select side.*,
               case when side.is_end then side.amount else -side.amount end as signed,
               side.transaction_id is not null
                 and count(*) over (partition by side.account_id, side.transaction_id) = 2 as is_both
        from (
          ${opening === null ? standings(scope, scope.asAt(), true, "true", "null") : bothEnds(scope, opening)}
        ) as side
      ) as moved
      where moved.currency is not null
      group by moved.account_id, moved.provider, moved.currency
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.currency",
};

const sum = (of: string) => `trim_scale(coalesce(sum(${of}), 0))`;

function bothEnds(scope: Scope, opening: string): string {
  // As values and not as joins, so that they are asked before all that would be joined for a transaction that is not among them.
  const among = (ids: string) => `((w.account_id, w.transaction_id) in (${ids})) is true`;
  const isOld = `${among("select old.account_id, old.transaction_id from old")}
            and w.status_date >= (select min(old.since) from old)`;
  // Only an odd history says of a transaction that it was completed before the period and again in it. Asked of the table and not
  // of what moves, the period can be read on more than one processor.
  const isOdd = among("select odd.account_id, odd.transaction_id from tieout.odd_histories as odd");
  const one = "w.transaction_id";
  return `${standings(scope, opening, false, isOld, one)}
          union all
          ${standings(scope, scope.asAt(), true, `w.status_date < ${opening} and ${isOld}`, one)}
          union all
          ${standings(scope, scope.asAt(), true, `w.status_date >= ${opening}`, `case when ${isOdd} then ${one} end`)}`;
}

/**
 * Of what was completed before the period, the transactions that may stand otherwise at its end than at its start, or stand
 * unsettled. All others were settled by the start, or were never to be told of, and add nothing: of a long history they
 * are nearly all. So what lies before all statements is not read, nor what was settled in time but for its match.
 * `case … = 1`, because the planner expects few of that: only what it takes to be few does it keep in memory, and what it
 * does not, it would read again for each transaction.
 */
function moving(scope: Scope, opening: string): string {
  const told = `tieout.coverage_at(${scope.accounts()}, ${scope.knownAt()}) as told`;
  const settling = `m.role = 'settles'
              and m.rule <> 'suggested'
              and m.matched_at <= ${scope.knownAt()}
              and (m.ended_at is null or m.ended_at > ${scope.knownAt()})`;
  return `
      select t.account_id, t.transaction_id, t.since
      from (
        select t.account_id, t.transaction_id, t.status_date as since, coalesce(told.first_told, '-infinity') as first_told
        from tieout.completed_at(${scope.accounts()}, ${opening}, ${scope.knownAt()}) as t
        left join ${told} on told.account_id = t.account_id and told.provider = t.provider
        where t.status_date >= any (array[(   -- as an array, because between two dates the planner would expect hardly any
            select coalesce(min(coalesce(told.first_told, '-infinity')), '-infinity')
            from tieout.account_providers as p
            left join ${told} on told.account_id = p.account_id and told.provider = p.provider
            where p.account_id = any (${scope.accounts()})
          )])
          and not exists (
            select
            from tieout.matches as m
            where m.account_id = t.account_id
              and m.transaction_id = t.transaction_id
              and ${settling}
          )
        union all
        select t.account_id, t.transaction_id, t.status_date, '-infinity'
        from (
          select m.account_id, m.transaction_id
          from tieout.matches as m
          where m.account_id = any (${scope.accounts()})
            and ${settling}
            and m.effective_at >= ${opening}
            and not exists (            -- of what is settled in the period nearly all was completed in it
              select
              from tieout.transactions as t
              where t.account_id = m.account_id
                and t.transaction_id = m.transaction_id
                and t.status_date >= ${opening}
            )
          offset 0
        ) as late
        join tieout.transactions as t on t.account_id = late.account_id and t.transaction_id = late.transaction_id
        offset 0
      ) as t
      where case when t.since >= t.first_told then 1 end = 1
      union all
      select odd.account_id, odd.transaction_id, first.at
      from tieout.odd_histories as odd
      join tieout.transactions as t on t.account_id = odd.account_id and t.transaction_id = odd.transaction_id
      cross join lateral (
        select min(s.status_date) as at
        from tieout.transaction_statuses as s
        where s.account_id = odd.account_id and s.transaction_id = odd.transaction_id
      ) as first
      where odd.account_id = any (${scope.accounts()})
        and (t.status_date >= ${opening} or t.last_changed_at > ${scope.knownAt()})
      union all
      select f.account_id, f.transaction_id, t.status_date
      from tieout.findings as f
      join tieout.transactions as t on t.account_id = f.account_id and t.transaction_id = f.transaction_id
      where f.account_id = any (${scope.accounts()})
        and f.subject_kind = 'transaction'
        and t.status_date < ${opening}`;
}

/**
 * Where the completed transactions stand at one end. Each state has its own condition, so that a hole would show. Those that
 * stand at one end only, which are nearly all, need not be told apart: without an id they are added up at once.
 */
function standings(scope: Scope, at: string, isEnd: boolean, only: string, id: string): string {
  return `(
          select ${isEnd} as is_end, w.account_id, w.provider, ${id}::text as transaction_id, w.fiat_currency as currency,
                 sum(w.fiat_amount) as amount,
                 case
                   when w.is_settled then 'settled'
                   when w.class in ('pending', 'discrepant') then 'unsettled'
                   when w.class = 'excluded' and not w.is_excluded and w.is_written_off then 'written_off'
                   when w.class = 'excluded' then 'excluded'
                 end as state,
                 sum(case
                   when not w.is_settled then null
                   when w.in_is_fiat and coalesce(w.codes, '') not like '%in_amount_mismatch%' then held.in_difference
                   when not w.in_is_fiat and coalesce(w.codes, '') not like '%out_amount_mismatch%' then held.out_difference
                 end) as named_difference
          from tieout.transaction_classes(${scope.accounts()}, ${at}, ${scope.knownAt()}) as w
          left join tieout.matches as held on held.id = w.match_id and held.difference_name is not null
          where ${only}
          group by w.account_id, w.provider, 4, w.fiat_currency, 7
        )`;
}

export const unsettled: Report = {
  ...shared.ofBooks,
  name: "unsettled",
  title: "Unsettled transactions",
  purpose: "What providers had not settled by the end of a period, and when it is due.",
  grain: "One row per completed transaction that no line settles and nothing excludes.",
  period: { description: "the time it was completed", column: "x.at" },
  moment: "apart",
  needsCoverage: true,
  reachesBack: true,
  filters: { provider: "x.provider", class: "x.class" },
  columns: [
    shared.account,
    shared.provider,
    shared.transactionId,
    shared.providerTransactionId,
    date("status_date", "The day it was completed, in the report's zone."),
    time("due_at", "When a statement should contain it; empty while less than the minimum payout is owed."),
    shared.bookClass("pending (not due yet) or discrepant."),
    text(
      "pending_code",
      "Why it is pending: awaiting_statement, below_payout_threshold, or in_transit_at_cutoff (its line is dated later).",
    ),
    shared.codes,
    shared.inAmount,
    shared.sourceCurrency,
    shared.outAmount,
    shared.targetCurrency,
  ],
  select: (scope) => `
    select a.name as account, x.*, ${scope.day("x.at")} as status_date
    from (
      select w.account_id, w.provider, w.transaction_id, w.provider_transaction_id, w.status_date as at, w.due_at, w.class,
             w.pending_code, w.codes, w.in_amount, w.source_currency, w.out_amount, w.target_currency
      from tieout.transaction_classes(${scope.accounts()}, ${scope.asAt()}, ${scope.knownAt()}) as w
      where not w.is_settled
        and w.class in ('pending', 'discrepant')
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`,
  orderBy: "r.account, r.provider, r.at, r.transaction_id",
};
