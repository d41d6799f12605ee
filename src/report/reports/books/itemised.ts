import { date, decimal, text } from "../../column.ts";
import { grossOfCharge, hasNoGross } from "../../../store/books/gross.ts";
import type { Report } from "../../report.ts";
import * as shared from "./shared-columns.ts";

/**
 * Each figure of a payout is a sum over these rows: gross and commissions over the charges, the others over the lines of
 * their type. Amounts in another currency than the line's are left out rather than put beside the wrong one.
 */
export const itemised: Report = {
  ...shared.ofBooks,
  name: "itemised",
  title: "Itemised reconciliation",
  purpose: "Every statement line beside its transaction: where each figure comes from.",
  grain: "One row per statement line that counts.",
  period: { description: "the time the line took effect", column: "x.at" },
  moment: "apart",
  filters: {
    provider: "x.provider",
    payout_ref: "x.payout_ref",
    line_type: "x.line_type",
    class: "x.class",
  },
  columns: [
    shared.account,
    shared.provider,
    shared.payoutRef,
    shared.fileName,
    shared.lineNo,
    text(
      "line_type",
      "charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout, balance or commission_total.",
    ),
    {
      ...shared.transactionId,
      description:
        "The transaction it is matched with, or suggested for. For a split line, all of them, separated by spaces; the transaction's columns are then sums, empty if the transactions differ in currency or status.",
    },
    shared.providerTransactionId,
    shared.transactionHash,
    text("status", "The transaction's status by our records."),
    date("status_date", "The day of that status in the report's zone."),
    // A refund or a chargeback stands beside the same order as its charge: added up, the order would count again.
    { ...shared.inAmount, addsUp: false, description: ofOrder("gave") },
    shared.sourceCurrency,
    { ...shared.outAmount, addsUp: false, description: ofOrder("got") },
    shared.targetCurrency,
    text("line_status", "The line's status, in our words."),
    decimal(
      "line_gross",
      "The line's fiat before fees, as the payout counts it; less than zero where money went back. Empty for fees and for orders that moved no money, and when it is in another currency than the line's net; where the provider owes the customers' money, the net itself then.",
      { currency: "line_currency" },
    ),
    decimal("line_fee", "All fees that the line states; empty if their currency is not that of its net.", {
      currency: "line_currency",
      addsUp: false,
    }),
    decimal(
      "line_net",
      "What the line adds to what the provider owes us, with its sign; empty for payouts and balances.",
      { currency: "line_currency" },
    ),
    text("line_currency", "Currency of these three."),
    decimal("line_crypto_amount", "The line's crypto amount, in major units.", {
      currency: "line_asset",
      addsUp: false,
    }),
    text("line_asset", "Its asset."),
    date("line_date", "The day the line took effect, in the report's zone."),
    decimal(
      "in_difference",
      "What the line says the customer gave, less in_amount; empty where they were not compared.",
      { currency: "source_currency" },
    ),
    decimal("out_difference", "The same for what the customer got.", { currency: "target_currency" }),
    text(
      "difference_name",
      "Name of a difference within the tolerance: rounding, fee, quote_drift or other.",
    ),
    text("match_rule", "What made the match: provider_id, our_reference, hash, person, or suggested."),
    text("match_state", "active, or suggested: a candidate that changes nothing until a person confirms it."),
    shared.bookClass("matched, pending, discrepant or excluded: where the line stands."),
    shared.codes,
    decimal(
      "line_balance",
      "For a balance line, what it says was owed at its time; for a commission total, what was earned in its month; in line_currency.",
    ),
    text(
      "pending_code",
      "What a pending or matched line still waits for: awaiting_records (its time has not been read from the aggregator yet), awaiting_payout, or in_transit_at_cutoff (its payout is dated later).",
    ),
    decimal(
      "line_fiat_gross",
      "The line's fiat before fees as it states it, in its own currency and without a sign; for sums, see line_gross.",
      { currency: "line_fiat_currency", addsUp: false },
    ),
    text("line_fiat_currency", "Currency of the order, as the line states it."),
    decimal("line_fee_total", "All fees that the line states, in their own currency.", {
      currency: "line_fee_currency",
      addsUp: false,
    }),
    text("line_fee_currency", "Currency of these fees."),
    decimal(
      "payout_net",
      "For a payout line, the net that it declares: how much it reduces what the provider owes us.",
      { currency: "line_currency" },
    ),
  ],
  select: (scope) => {
    const [accounts, asAt, knownAt] = [scope.accounts(), scope.asAt(), scope.knownAt()];
    return `
    select a.name as account, x.*,
           ${scope.day("x.status_at")} as status_date,
           ${scope.day("x.at")} as line_date
    from (
      select l.account_id, l.provider, l.payout_ref, file.file_name, l.line_no, l.line_type,
             coalesce(l.transaction_id, hint.transaction_id) as transaction_id,
             coalesce(l.provider_transaction_id, ${recorded("provider_transaction_id")}) as provider_transaction_id,
             coalesce(nullif(coalesce(now.transaction_hash, before.transaction_hash), ''), l.transaction_hash) as transaction_hash,
             ${recorded("status")} as status,
             ${recorded("status_date")} as status_at,
             ${recorded("in_amount")} as in_amount,
             ${recorded("source_currency")} as source_currency,
             ${recorded("out_amount")} as out_amount,
             ${recorded("target_currency")} as target_currency,
             l.status as line_status,
             case
               when ${hasNoGross("l", "file")} then null
               when l.line_type = 'charge' and file.is_gross then ${grossOfCharge("money.currency")}
               when l.fiat_currency is distinct from money.currency then null
               when l.line_type in ('refund', 'chargeback') then -abs(l.fiat_gross)
               -- A correction may go either way, and has its own sign; at first it had none.
               when (select tieout.goes_by('corrections_with_sign', ${knownAt})) then l.fiat_gross
               else abs(l.fiat_gross)
             end as line_gross,
             l.fiat_gross as line_fiat_gross,
             l.fiat_currency as line_fiat_currency,
             l.fee_total as line_fee_total,
             l.fee_currency as line_fee_currency,
             case when l.fee_currency = money.currency then l.fee_total end as line_fee,
             case when l.line_type not in ('balance', 'commission_total', 'payout') then l.net_amount end as line_net,
             case when l.line_type in ('balance', 'commission_total') then l.net_amount end as line_balance,
             case when l.line_type = 'payout' then l.net_amount end as payout_net,
             money.currency as line_currency,
             l.crypto_amount as line_crypto_amount,
             l.asset as line_asset,
             case when l.is_split then part.in_difference when ${recorded("status")} is not null then l.in_difference end as in_difference,
             case when l.is_split then part.out_difference when ${recorded("status")} is not null then l.out_difference end as out_difference,
             l.difference_name,
             case when l.is_split then 'person' else coalesce(l.match_rule, hint.rule) end as match_rule,
             case when l.match_id is not null then 'active' when hint.id is not null then 'suggested' end as match_state,
             l.class, l.pending_code, l.codes, l.effective_at as at, l.line_id
      from tieout.line_classes(${accounts}, ${asAt}, ${knownAt}) as l
      join (            -- once a file, and not once a line: a profile is long
        select id, file_name, parser_version, profile_used ->> 'model' = 'gross' as is_gross from tieout.statements offset 0
      ) as file on file.id = l.statement_id
      cross join lateral (select coalesce(l.net_currency, l.fiat_currency)) as money (currency)
      left join tieout.matches as hint
        on hint.line_id = case when l.match_id is null then l.line_id end
       and hint.rule = 'suggested'       -- never active, which must not be said: the planner would expect hardly any
       and hint.matched_at <= ${knownAt}
       and (hint.ended_at is null or hint.ended_at > ${knownAt})
      cross join lateral (
        select case when not l.is_split then coalesce(l.transaction_id, hint.transaction_id) end
      ) as candidate (transaction_id)
      -- Nearly always its record is still the latest one; if not, the one that was is looked up.
      left join tieout.transactions as now
        on now.account_id = l.account_id
       and now.transaction_id = candidate.transaction_id
       and now.status_date < ${asAt}
       and now.last_changed_at <= ${knownAt}
      left join lateral (
        select s.*
        from tieout.record_at(l.account_id, candidate.transaction_id, ${asAt}, ${knownAt}) as s
        where now.transaction_id is null
        offset 0                         -- asked first, so that no month is opened for the others
      ) as before on true
      left join (
        select p.line_id,
               string_agg(s.provider_transaction_id, ' ' order by m.part_no) as provider_transaction_id,
               ${ifAlike("s.status", "min(s.status)")} as status,
               max(s.status_date) as status_date,
               ${ifAlike("s.source_currency", "trim_scale(sum(s.in_amount))")} as in_amount,
               ${ifAlike("s.source_currency", "min(s.source_currency)")} as source_currency,
               ${ifAlike("s.target_currency", "trim_scale(sum(s.out_amount))")} as out_amount,
               ${ifAlike("s.target_currency", "min(s.target_currency)")} as target_currency,
               ${ifAlike("s.source_currency", "trim_scale(sum(m.in_difference))")} as in_difference,
               ${ifAlike("s.target_currency", "trim_scale(sum(m.out_difference))")} as out_difference
        from tieout.parts_at(${accounts}, ${knownAt}) as p
        join tieout.matches as m on m.id = p.match_id
        cross join lateral tieout.record_at(m.account_id, m.transaction_id, ${asAt}, ${knownAt}) as s
        group by p.line_id
      ) as part on part.line_id = l.line_id and l.is_split
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    where ${scope.where}`;
  },
  orderBy: "r.account, r.provider, r.payout_ref, r.file_name, r.line_no, r.line_id",
};

function ofOrder(verb: string): string {
  return `What the customer ${verb}, by our record; each line of one order says it again.`;
}

/** What the record of a line's transaction said: the one that is still the latest, the one that was, or those of a split. */
const recorded = (column: string) => `coalesce(now.${column}, before.${column}, part.${column})`;

/** Of the transactions of a split line: what they have in common, or come to in the one currency that they have. */
function ifAlike(word: string, value: string): string {
  return `case when count(distinct ${word}) = 1 then ${value} end`;
}
