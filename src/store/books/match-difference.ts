import type { Transaction } from "../database.ts";

export interface ChangedPair {
  change: "gained" | "lost";
  transaction_id: string;
  line_id: string;
  rule: string;
  file_name: string;
  line_no: number;
}

/** Pairs that are matched now and were not at `since`, and the other way round. One that only changed its name is neither. */
export async function matchesChangedSince(
  tx: Transaction,
  subject: { accountId: number; provider: string; since: string },
): Promise<ChangedPair[]> {
  return tx.query<ChangedPair>(
    `with after as (
       select transaction_id, line_id, rule
       from tieout.matches
       where account_id = $1
         and provider = $2
         and state = 'active'
         and matched_at >= $3::timestamptz
     ), before as (
       select transaction_id, line_id, rule
       from tieout.matches
       where account_id = $1
         and provider = $2
         and ended_at >= $3::timestamptz
         and matched_at < $3::timestamptz
         and rule <> 'suggested'
     ), changed as (
       select 'gained' as change, after.*
       from after
       where not exists (select from before where (before.transaction_id, before.line_id) = (after.transaction_id, after.line_id))
       union all
       select 'lost', before.*
       from before
       where not exists (select from after where (after.transaction_id, after.line_id) = (before.transaction_id, before.line_id))
     )
     select c.change, c.transaction_id, c.line_id::text, c.rule, s.file_name, place.line_no
     from changed as c
     join tieout.statement_lines as l on l.id = c.line_id
     join tieout.line_files as place on place.line_id = l.id
     join tieout.statements as s on s.id = place.statement_id
     order by c.change, c.transaction_id, c.line_id`,
    [subject.accountId, subject.provider, subject.since],
  );
}

export interface ChangedDiscrepancy {
  event: "raised" | "changed" | "reopened" | "agreed";
  code: string;
  level: "error" | "warning";
  transaction_id: string | null;
  line_id: string | null;
  file_name: string | null;
  line_no: number | null;
  value: string | null;
  value_currency: string | null;
}

/** What has happened to discrepancies since, the gravest first; each once, by the last that happened to it. */
export async function discrepanciesChangedSince(
  tx: Transaction,
  subject: { accountId: number; provider: string; since: string },
): Promise<ChangedDiscrepancy[]> {
  return tx.query<ChangedDiscrepancy>(
    `with last as (
       select distinct on (e.discrepancy_id) e.discrepancy_id, e.event
       from tieout.discrepancy_events as e
       where e.at >= $3::timestamptz
         and e.actor = 'tieout'
       order by e.discrepancy_id, e.id desc
     )
     select last.event, d.code, d.level, d.transaction_id, d.line_id::text, s.file_name, place.line_no,
            trim_scale(d.value)::text as value, d.value_currency
     from last
     join tieout.discrepancies as d on d.id = last.discrepancy_id
     left join tieout.line_files as place on place.line_id = d.line_id
     left join tieout.statements as s on s.id = place.statement_id
     where d.account_id = $1
       and d.provider = $2
     order by d.level, d.value desc nulls last, d.code, d.transaction_id, d.id`,
    [subject.accountId, subject.provider, subject.since],
  );
}
