/**
 * Errors that are still open, about what happened before a moment. They are judged by what is known now, not as they stood at that
 * moment: an order is missing only from the day the statement was made, which is after the month it covers; and what is left
 * of a bank line after a partial match is an error from that match on, though the money came in on the bank's day.
 */
export function openErrorsSql({
  accounts,
  knownAt,
  before,
}: Record<"accounts" | "knownAt" | "before", string>): string {
  return `
  select f.*, coalesce(t.status_date, l.effective_at, r.effective_at, f.period_from, f.since) as happened_at,
         coalesce(t.provider_transaction_id, l.provider_transaction_id) as provider_transaction_id
  from tieout.findings_at(${accounts}, ${knownAt}, ${knownAt}) as f
  left join tieout.transactions as t on t.account_id = f.account_id and t.transaction_id = f.transaction_id
  left join tieout.statement_lines as l on l.id = f.line_id
  left join tieout.receipt_lines as r on r.id = f.receipt_line_id
  where f.level = 'error'
    and f.is_open
    and coalesce(t.status_date, l.effective_at, r.effective_at, f.period_from, f.since) < ${before}`;
}
