import type { Column, Report } from "../../report.ts";

const text = (name: string, value: string, description: string): Column => ({
  name,
  type: "text",
  value,
  description,
});
const amount = (name: string, value: string, description: string): Column => ({
  name,
  type: "amount",
  value,
  description,
});

const american = "to_char(r.date, 'MM/DD/YYYY')";
/** What stands behind a line, in one text, for programs that have no columns for it. */
const behind = `concat_ws(' ', r.description, r.currency, r.transaction_id, r.payout_ref, r.line, r.receipt_line, r.discrepancy)`;

/**
 * As each program's import wants it: Xero's template for manual journals, QuickBooks Online's for journal entries, and the
 * fields of NetSuite's journal import.
 */
export const journalLayouts: NonNullable<Report["layouts"]> = {
  xero: {
    oneCurrency: "currency",
    columns: [
      text("*Narration", "concat_ws(' ', r.entry, r.description)", "The same for all lines of an entry."),
      text("*Date", "to_char(r.date, 'DD/MM/YYYY')", "The day it is booked."),
      text("Description", behind, "The event, its currency and the ids behind it."),
      text("*AccountCode", "r.account_code", "The account by its code."),
      text("*TaxRate", "r.tax_rate", "The tax rate of the account in the chart."),
      amount("*Amount", "coalesce(r.debit, -r.credit)", "Debits positive, credits negative."),
      text("TrackingName1", "'Provider'", "The tracking category."),
      text("TrackingOption1", "r.provider", "The provider."),
      text("TrackingName2", "'Currency'", "The tracking category."),
      text("TrackingOption2", "r.currency", "The currency of the amount."),
    ],
  },
  quickbooks: {
    columns: [
      text("*JournalNo", "r.entry", "The same for all lines of an entry."),
      text("*JournalDate", american, "The day it is booked."),
      text("*AccountName", "r.account_name", "The account by its name, parents first."),
      amount("*Debits", "r.debit", "What is debited."),
      amount("*Credits", "r.credit", "What is credited."),
      text("Description", behind, "The event, its currency and the ids behind it."),
      text("Name", "r.provider", "The provider."),
      text("Currency", "r.currency", "Currency of the amounts."),
    ],
  },
  netsuite: {
    columns: [
      text("External ID", "r.entry", "The same for all lines of an entry."),
      text("Date", american, "The day it is booked."),
      text("Currency", "r.currency", "Currency of the amounts."),
      text("Memo", "r.description", "The event."),
      text("Account", "r.account_code", "The account by its number."),
      amount("Debit", "r.debit", "What is debited."),
      amount("Credit", "r.credit", "What is credited."),
      text("Line Memo", behind, "The event, its currency and the ids behind it."),
    ],
  },
  hledger: { extension: "journal", columns: [], linesSql: hledgerLines() },
};

/**
 * Plain-text accounting, strict: every account and commodity is declared, with as many decimals as the amounts have, so
 * that nothing is rounded on the way. No value may hold a line end or a control character.
 */
function hledgerLines(): string {
  const commodity = (currency: string) =>
    `case when ${currency} ~ '^[A-Za-z]+$' then ${currency} else '"' || coalesce(${currency}, '?') || '"' end`;
  const tag = (name: string) =>
    `case when r.${name} <> '' then '${name}:' || regexp_replace(r.${name}, '[[:cntrl:],;]+', ' ', 'g') end`;
  const place =
    "r.at, r.account, r.entry, r.place, r.currency, r.line_id, r.receipt_line_id, r.event, r.debit, r.credit";
  return `select '; Journal by tieout: one transaction per entry; tags hold the ids behind each line.' as line
    union all
    select 'decimal-mark .'
    union all
    (
      select 'commodity 1000.' || repeat('0', max(scale(coalesce(r.debit, r.credit)))) || ' ' || ${commodity("r.currency")}
      from r
      group by r.currency
      order by r.currency
    )
    union all
    (select distinct 'account ' || r.account_name as line from r order by line)
    union all
    (
      select piece.line
      from (
        select r.*,
               lag(r.account || ' ' || r.entry) over (order by ${place}) is distinct from r.account || ' ' || r.entry as is_first
        from r
        order by ${place}
      ) as r
      cross join lateral unnest(case when r.is_first then array[
          r.date || ' * (' || r.entry || ') ' || regexp_replace(r.description, '[[:cntrl:];|]+', ' ', 'g')
        ] else '{}'::text[] end || array[
          concat('    ', r.account_name, '  ', coalesce(r.debit, -r.credit), ' ', ${commodity("r.currency")}, '  ; ',
            concat_ws(', ', ${["line", "transaction_id", "payout_ref", "receipt_line", "discrepancy"].map(tag).join(", ")}))
        ]) as piece (line)
    )`;
}
