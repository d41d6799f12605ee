import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

const shownMax = 20;

/**
 * Files whose hash is not the one that the audit log names, lines that no row leads to, and matches that do not fit their
 * line or their payout.
 */
export async function findStrangeReceipts(database: Queryable): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (const check of checks) found.push(...(await database.query<Mismatch>(`${check} limit ${shownMax}`)));
  return found;
}

const checks = [
  `select 'receipts ' || f.id as subject, 'its hash is not the one that the audit log has of its import' as problem
   from tieout.receipt_files as f
   join tieout.audit_log as a on a.action = 'receipts.imported' and a.subject = 'receipts ' || f.id
   where a.after ->> 'sha256' <> encode(f.sha256, 'hex')
   order by f.id`,
  `select 'bank line rcl_' || l.id as subject, 'no row of a file leads to it' as problem
   from tieout.receipt_lines as l
   where not exists (
     select from tieout.receipt_rows as w where w.file_id = l.file_id and w.row_no = l.row_no and w.line_id = l.id
   )
   order by l.id`,
  `select 'match rcm_' || m.id as subject,
          case
            when l.id is null then 'its bank line rcl_' || m.receipt_line_id || ' is not there'
            when p.id is null then 'its payout po_' || m.payout_id || ' is not there'
            when (l.account_id, p.account_id) is distinct from (m.account_id, m.account_id) then 'its line, its payout and it are not of one account'
            when m.currency <> p.currency then 'its currency is not that of its payout'
            else 'the name it was made by is not a name of its line'
          end as problem
   from tieout.receipt_matches as m
   left join tieout.receipt_lines as l on l.id = m.receipt_line_id
   left join tieout.payouts as p on p.id = m.payout_id
   where l.id is null
      or p.id is null
      or (l.account_id, p.account_id) is distinct from (m.account_id, m.account_id)
      or m.currency <> p.currency
      or (m.rule <> 'person' and not l.keys @> array[m.key]
        and m.key not in (coalesce(tieout.short_name(l.reference), ''), coalesce(tieout.short_name(l.end_to_end_id), '')))
   order by m.id`,
  `select 'bank line rcl_' || l.id as subject, 'more of it is matched than it brought' as problem
   from tieout.receipt_matches as m
   join tieout.receipt_lines as l on l.id = m.receipt_line_id
   where m.state = 'active'
     and m.rule <> 'person'
     and lower(m.currency) = lower(l.currency)
   group by l.id
   having abs(sum(m.amount)) > l.amount
   order by l.id`,
];
