import { boolean, date, decimal } from "../../column.ts";
import { defaultChart, defaultTaxRate } from "../../../core/chart-of-accounts.ts";
import type { Column, Report, Scope } from "../../report.ts";
import { exchangeDifferences, exchangeRule } from "./exchange-differences.ts";
import { journalLayouts } from "./journal-layouts.ts";
import { restated } from "./late-rates.ts";
import * as shared from "./shared-columns.ts";

const text = (name: string, description: string): Column => ({ name, type: "text", description });

/**
 * Double entry from the same movements as the receivable. What has become known of earlier periods since they were closed
 * is booked on the first day of this one, as the difference to what was booked then.
 */
export const journal: Report = {
  ...shared.ofBooks,
  ...shared.rolledForward,
  period: {
    description: "when the event took effect; without a start everything is booked, and as_at is its end",
    column: null,
  },
  name: "journal",
  title: "Journal",
  purpose: "What to book: double entry, balanced per entry and currency, with the ids behind every line.",
  grain: "One row per line of an entry.",
  showsPriorPeriod: true,
  joinsInBulk: true,
  filters: {
    provider: "x.provider",
    currency: "upper(x.currency)",
    event: "x.event",
    payout_ref: "x.payout_ref",
  },
  columns: [
    shared.account,
    date("date", "The day it is booked, in the report's zone."),
    text("entry", "Our id of the entry: rows with the same one belong together and balance."),
    text(
      "event",
      "share_earned, sale, provider_fee, refund, chargeback, chargeback_reversal, adjustment, reserve, payout_declared, conversion, payout_rounding or write_off; of what came in, payout_received, bank_fee, payout_difference, receipt_unassigned, receipt_assigned, receipt_exchanged, assigned_exchanged, payout_exchanged, difference_written_off, payout_written_off or receipt_written_off; in the functional currency only, exchange_difference.",
    ),
    shared.provider,
    text("account_code", "The code of the company's account; see the setting chart_of_accounts."),
    text("account_name", "The name of that account."),
    text("currency", "Currency of debit and credit."),
    shared.amount("debit", "The amount debited; empty for a credit."),
    shared.amount("credit", "The amount credited; empty for a debit."),
    text("description", "The event in words."),
    shared.transactionId,
    shared.providerTransactionId,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    text("line", "Our id of the statement line behind it."),
    text("discrepancy", "Our id of the discrepancy that was written off."),
    boolean(
      "prior_period",
      "Whether it belongs to an earlier period but became known after that was closed.",
    ),
    decimal(
      "functional_debit",
      "debit at the rate of its day, not rounded, so that entries balance here too; of an exchange difference, what is debited.",
      { currency: "functional_currency" },
    ),
    decimal("functional_credit", "The same for credit.", { currency: "functional_currency" }),
    ...shared.inFunctional,
    text("receipt_line", "Our id of the bank line behind it."),
  ],
  layouts: journalLayouts,
  select: (scope) => {
    const [accounts, knownAt] = [scope.accounts(), scope.knownAt()];
    return `
    with charts as materialized (
      select setting.account_id, booked.key as chart_account, booked.value ->> 'code' as code, booked.value ->> 'name' as name,
             coalesce(booked.value ->> 'tax_rate', '${defaultTaxRate}') as tax_rate
      from (
        select one.account_id, ${scope.bind(JSON.stringify(defaultChart), "jsonb")}
               || coalesce(tieout.account_setting(one.account_id, 'chart_of_accounts', ${knownAt}), '{}') as chart
        from unnest(${accounts}) as one (account_id)
      ) as setting
      cross join lateral jsonb_each(setting.chart) as booked
    ), booked as materialized (
      select a.name as account, a.word as account_word, p.account_id, p.provider, p.currency, p.at, p.event, p.entry, p.chart_account,
             p.place, p.amount, p.line_id, p.payout_ref, p.decision_id, p.receipt_line_id, p.prior_period, ${scope.day("p.at")} as date
      from (${postings(scope)}
      ) as p
      join (${accountWords}) as a on a.id = p.account_id
    ), functional as materialized (
      select one.account_id, tieout.account_setting(one.account_id, 'functional_currency', ${knownAt}) #>> '{}' as currency
      from unnest(${accounts}) as one (account_id)
    ), revalued as materialized (${revalued(scope)}
    ), restated as materialized (${restated(scope, accountWords)}
    ), worths as materialized (      -- once for each currency and day
      select one.account_id, one.currency, one.date, functional.currency as functional_currency, worth.*
      from (
        select account_id, currency, date from booked
        union
        select account_id, currency, date from revalued
        union
        select account_id, currency, rated_on from restated
        union
        select b.account_id, f.currency, b.date from booked as b join functional as f using (account_id) where b.chart_account = 'currency_exchange'
      ) as one
      join functional on functional.account_id = one.account_id and functional.currency is not null
      left join lateral tieout.exchange_rate(one.currency, functional.currency, one.date, ${knownAt}) as worth on true
    ), everything as (
      select *, null::numeric as difference, null::date as rated_on from booked
      union all
      select *, null from revalued
      union all
      select * from restated
${scope.isValued ? `      union all${exchanged(scope)}` : ""}
    )
    select x.account, x.account_id, x.provider, x.currency, x.at, x.event, x.entry, x.place, x.line_id, x.receipt_line_id, x.payout_ref, x.prior_period,
           x.date, worth.functional_currency, worth.rate, worth.rate_date, worth.source as rate_source,
           case when worth.functional_currency is not null then worth.rate is null end as rate_missing,
           case when x.amount > 0 then trim_scale(x.amount * worth.rate) when x.difference > 0 then x.difference end as functional_debit,
           case when x.amount < 0 then trim_scale(-x.amount * worth.rate) when x.difference < 0 then -x.difference end as functional_credit,
           ${filledIn("c.code")} as account_code,
           ${filledIn("c.name")} as account_name,
           c.tax_rate,
           case when x.amount > 0 then trim_scale(x.amount) end as debit,
           case when x.amount < 0 then trim_scale(-x.amount) end as credit,
           concat_ws(' ', nullif(x.provider, ''), replace(x.event, '_', ' ')) || case when x.prior_period then ', of an earlier period' else '' end
             || case when x.rated_on is not null then ', at a rate given since' else '' end as description,
           coalesce(m.transaction_id, split.transaction_ids) as transaction_id, l.provider_transaction_id, coalesce(received.file_name, file.file_name) as file_name,
           coalesce(received.line_no, place.line_no) as line_no,
           'rcl_' || x.receipt_line_id as receipt_line,
           'lin_' || x.line_id as line,
           'dis_' || d.discrepancy_id as discrepancy
    from everything as x
    left join worths as worth
      on worth.account_id = x.account_id
     and worth.currency = x.currency
     and worth.date = coalesce(x.rated_on, x.date)
    left join (             -- once a provider, and not once a row
      select account_id, provider, ${plain("provider")} as provider_word from tieout.account_providers offset 0
    ) as known
      on known.account_id = x.account_id
     and known.provider = x.provider
    join charts as c on c.account_id = x.account_id and c.chart_account = x.chart_account
    left join tieout.statement_lines as l on l.id = x.line_id
    left join tieout.line_files_at(${knownAt}) as place on place.line_id = x.line_id
    left join tieout.statements as file on file.id = place.statement_id
    left join tieout.matches as m
      on m.line_id = x.line_id
     and m.part_amount is null
     and m.rule <> 'suggested'
     and m.matched_at <= ${knownAt}
     and (m.ended_at is null or m.ended_at > ${knownAt})
    left join tieout.splits_at(${accounts}, ${knownAt}) as split on split.line_id = x.line_id
    left join tieout.decisions as d on d.id = x.decision_id
    left join (
      select b.id, f.file_name, w.line_no
      from tieout.receipt_lines as b
      join tieout.receipt_files as f on f.id = b.file_id
      join tieout.receipt_rows as w on w.file_id = b.file_id and w.row_no = b.row_no
    ) as received on received.id = x.receipt_line_id
    where ${scope.where}`;
  },
  orderBy:
    "r.at, r.account, r.entry, r.place, r.currency, r.line_id, r.receipt_line_id, r.event, r.debit, r.credit",
};

/** Balances in other currencies, at the rate of the last day: entries in the functional currency alone. */
function revalued(scope: Scope): string {
  const end = `(${scope.asAt()} - interval '1 microsecond')`;
  const start = scope.from() ?? end;
  return `
      select a.name as account, a.word as account_word, d.account_id, d.provider, d.currency, booked.at, 'exchange_difference' as event,
             concat_ws('/', booked.prefix || booked.date, d.chart_account, nullif(d.provider, ''), d.currency) as entry,
             side.chart_account, side.place, null::numeric as amount, null::bigint as line_id, null::text as payout_ref,
             null::bigint as decision_id, null::bigint as receipt_line_id, booked.prior_period, booked.date,
             side.sign * booked.difference as difference
      from (${exchangeDifferences(scope)}
      ) as d
      join (${accountWords}) as a on a.id = d.account_id
      cross join lateral (
        values (d.difference, ${end}, ${scope.day(end)}, false, 'X'), (d.of_earlier, ${start}, ${scope.day(start)}, true, 'XP')
      ) as booked (difference, at, date, prior_period, prefix)
      cross join lateral (values (d.chart_account, 1, 1), ('exchange_differences', -1, 2)) as side (chart_account, sign, place)
      where booked.difference <> 0`;
}

/** What was gained or lost against the rate of the day when money changed its currency: nothing stays where it was exchanged. */
function exchanged(scope: Scope): string {
  return `
      select e.account, e.account_word, e.account_id, e.provider, e.currency, e.at, 'exchange_difference', e.entry, side.chart_account,
             side.place, null, e.line_id, e.payout_ref, null, e.receipt_line_id, e.prior_period, e.date, side.sign * e.difference, null
      from (
        select b.account, b.account_word, b.account_id, b.provider, w.functional_currency as currency, b.at, b.entry, b.payout_ref,
               b.prior_period, b.date, max(b.line_id) as line_id, max(b.receipt_line_id) as receipt_line_id,
               case when bool_and(w.rate is not null) then -trim_scale(sum(b.amount * w.rate)) end as difference
        from booked as b
        join worths as w on w.account_id = b.account_id and w.currency = b.currency and w.date = b.date
        where b.chart_account = 'currency_exchange'
          and tieout.goes_by(${exchangeRule}, ${scope.knownAt()})
        group by b.account, b.account_word, b.account_id, b.provider, w.functional_currency, b.at, b.entry, b.payout_ref, b.prior_period,
                 b.date
      ) as e
      cross join lateral (values ('currency_exchange', 1, 5), ('exchange_differences', -1, 6)) as side (chart_account, sign, place)
      where e.difference <> 0`;
}

/** Names of providers are other people's words: what is not a letter, digit, dot or dash would end an account's name early. */
const plain = (word: string) => `regexp_replace(${word}, '[^[:alnum:]._-]+', '-', 'g')`;

const accountWords = `select id, name, ${plain("name")} as word from tieout.accounts offset 0`;

function filledIn(template: string): string {
  // Unassigned money has no provider: its separator is left out too, or the account's name would end in a colon.
  const named = `case when x.provider = '' then regexp_replace(${template}, '^\\{provider\\}[^[:alnum:]{]+|[^[:alnum:]}]*\\{provider\\}', '', 'g')
                 else ${template} end`;
  return `case when ${template} like '%{%'
             then replace(replace(replace(${named}, '{provider}', coalesce(known.provider_word, ${plain("x.provider")})),
                                  '{currency}', coalesce(x.currency, '')),
                          '{account}', x.account_word)
             else ${template} end`;
}

function postings(scope: Scope): string {
  const from = scope.from();
  const [accounts, knownAt, priors] = [scope.accounts(), scope.knownAt(), scope.priors()];
  const columns =
    "account_id, provider, currency, at, event, entry, chart_account, place, amount, line_id, payout_ref, decision_id, receipt_line_id";
  const ofPeriod = `
        select ${columns}, false as prior_period
        from tieout.journal_postings(${accounts}, ${knownAt})
        where at < ${scope.asAt()}${from === null ? "" : ` and at >= ${from}`}`;
  if (from === null || priors.length === 0) return ofPeriod;
  const learnt = priors.flatMap((prior) =>
    [
      { amount: "amount", known: knownAt },
      { amount: "-amount", known: prior.knownAt },
    ].map(
      ({ amount, known }) => `
          select account_id, provider, currency, event, entry, chart_account, place, ${amount} as amount, line_id, payout_ref,
                 decision_id, receipt_line_id
          from tieout.journal_postings(${prior.accounts}, ${known})
          where at < ${from}`,
    ),
  );
  return `${ofPeriod}
        union all
        select account_id, provider, currency, ${from}, event, entry || '/' || ${scope.day(from)}, chart_account, min(place),
               sum(amount), max(line_id), max(payout_ref), max(decision_id), max(receipt_line_id), true
        from (${learnt.join("\n          union all")}
        ) as learnt
        group by account_id, provider, currency, event, entry, chart_account
        having sum(amount) <> 0`;
}
