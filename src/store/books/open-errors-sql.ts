/**
 * Errors about what happened before a moment that nobody has closed by what is known. Not as they stood at that moment: that an
 * order is missing from a statement is an error only from the day the statement was made, which is after the month it tells
 * of. The rest of a bank line that a person has matched in part is an error from that match on, and still money of the bank's day.
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
