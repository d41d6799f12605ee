import type { Statement } from "../exports/copy-report.ts";

export interface PackScope {
  accountId: number;
  month: string;
  from: string;
  to: string;
  knownAt: string;
}

/** The tables of a pack that are not reports. Each is asked by what was known when the month was signed. */
export const packTables: Record<string, (scope: PackScope) => Statement> = {
  "source-files.csv": ({ accountId, to, knownAt }) => ({
    text: `
      select kind, provider, file_name, sha256, bytes, ${day("period_from")} as period_from, ${day("period_to")} as period_to, rows_read,
             rows_accepted, ${instant("imported_at")} as imported_at, imported_by,
             ${instant("case when withdrawn_at <= $3::timestamptz then withdrawn_at end")} as withdrawn_at
      from (
        select 'statement' as kind, s.provider, s.file_name, encode(s.sha256, 'hex') as sha256, s.byte_count as bytes, s.period_from,
               s.period_to, s.rows_read, s.rows_accepted, s.imported_at, s.imported_by, s.withdrawn_at, s.id
        from tieout.statements as s
        where s.account_id = $1::int
        union all
        select 'bank_file', null, f.file_name, encode(f.sha256, 'hex'), f.byte_count, f.period_from::timestamp at time zone 'UTC',
               f.period_to::timestamp at time zone 'UTC', f.rows_read, f.rows_accepted, f.imported_at, f.imported_by, f.withdrawn_at, f.id
        from tieout.receipt_files as f
        where f.account_id = $1::int
        union all
        select 'fee_schedule', f.provider, f.file_name, encode(f.sha256, 'hex'), null, f.valid_from, null, null, null, f.imported_at,
               f.imported_by, null, f.id
        from tieout.fee_schedules as f
        where f.account_id = $1::int
          and f.file_name is not null
      ) as file
      where imported_at <= $3::timestamptz
        and (period_from < $2::timestamptz or period_from is null)
      order by kind collate "C" desc, provider collate "C", period_from, id`,
    values: [accountId, to, knownAt],
  }),
  /** Of providers, of the account, and what was agreed with providers: every schedule that an order of the month may go by. */
  "settings.csv": ({ accountId, to, knownAt }) => ({
    text: `
      select provider, kind, name, version, value, ${instant("saved_at")} as saved_at, saved_by, reason
      from (
        select *
        from (
          select distinct on (v.provider, v.kind, v.name)
                 v.provider, v.kind, v.name, v.version, v.value::text as value, v.saved_at, v.saved_by, v.reason
          from tieout.provider_settings as v
          where (v.account_id = $1::int or v.account_id is null)
            and v.saved_at <= $2::timestamptz
          order by v.provider, v.kind, v.name, v.account_id nulls last, v.version desc
        ) as of_providers
        union all
        select *
        from (
          select distinct on (v.name)
                 null, 'account', v.name, v.version, v.value::text, v.set_at, v.set_by, v.reason
          from tieout.account_settings as v
          where v.account_id = $1::int
            and v.set_at <= $2::timestamptz
          order by v.name, v.version desc
        ) as of_account
        union all
        select f.provider, 'fee_schedule', to_char(f.valid_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), f.version,
               (
                 select jsonb_agg(jsonb_strip_nulls(to_jsonb(t) - 'id' - 'schedule_id') order by t.id)::text
                 from tieout.fee_terms as t
                 where t.schedule_id = f.id
               ), f.imported_at, f.imported_by, f.reason
        from tieout.fee_schedules as f
        where f.account_id = $1::int
          and f.imported_at <= $2::timestamptz
          and f.valid_from < $3::timestamptz
      ) as latest
      where value is not null
      order by provider collate "C" nulls first, kind collate "C", name collate "C", version`,
    values: [accountId, knownAt, to],
  }),
  "decisions.csv": ({ accountId, month, from, to, knownAt }) => ({
    text: `
      select decision, subject, provider, code, ${instant("booked_at")} as booked_at, decided_by, decided_by_name, reason
      from (
        select d.decision, 'dis_' || d.discrepancy_id as subject, of.provider, of.code, d.booked_at, d.decided_by, d.decided_by_name, d.reason
        from tieout.decisions as d
        join tieout.discrepancies as of on of.id = d.discrepancy_id
        where of.account_id = $1::int
          and d.booked_at >= $2::timestamptz
          and d.booked_at < $3::timestamptz
          and d.known_from <= $4::timestamptz
          and (d.known_to is null or d.known_to > $4::timestamptz)
        union all
        select 'matched_by_hand', 'mat_' || m.id, m.provider, null, m.effective_at, m.made_by, ${nameIn("'match.made'")}, m.reason
        from tieout.matches as m
        where m.account_id = $1::int
          and m.rule = 'person'
          and m.effective_at >= $2::timestamptz
          and m.effective_at < $3::timestamptz
          and m.matched_at <= $4::timestamptz
          and (m.ended_at is null or m.ended_at > $4::timestamptz)
        union all
        select 'match_ended_by_hand', 'mat_' || m.id, m.provider, null, m.ended_at, m.ended_by, ${nameIn("'match.ended'")}, m.ended_reason
        from tieout.matches as m
        where m.account_id = $1::int
          and m.barred
          and m.ended_at >= $2::timestamptz
          and m.ended_at < $3::timestamptz
          and m.ended_at <= $4::timestamptz
        union all
        select 'receipt_matched_by_hand', 'rcm_' || m.id, p.provider, null, m.effective_at, m.made_by, ${nameIn("'receipt_match.made'", "rcm")}, m.reason
        from tieout.receipt_matches as m
        join tieout.payouts as p on p.id = m.payout_id
        where m.account_id = $1::int
          and m.rule = 'person'
          and m.effective_at >= $2::timestamptz
          and m.effective_at < $3::timestamptz
          and m.matched_at <= $4::timestamptz
          and (m.ended_at is null or m.ended_at > $4::timestamptz)
        union all
        select 'receipt_match_ended_by_hand', 'rcm_' || m.id, p.provider, null, m.ended_at, m.ended_by,
               ${nameIn("'receipt_match.ended'", "rcm")}, m.ended_reason
        from tieout.receipt_matches as m
        join tieout.payouts as p on p.id = m.payout_id
        where m.account_id = $1::int
          and m.barred
          and m.ended_at >= $2::timestamptz
          and m.ended_at < $3::timestamptz
          and m.ended_at <= $4::timestamptz
        union all
        select 'carried_forward', 'dis_' || c.discrepancy_id, d.provider, d.code, c.at, c.actor, c.actor_name, c.owner || ': ' || c.reason
        from tieout.carried_discrepancies as c
        join tieout.discrepancies as d on d.id = c.discrepancy_id
        where c.account_id = $1::int
          and c.month = $5::text
          and c.at <= $4::timestamptz
      ) as made
      order by made.booked_at, decision collate "C", subject collate "C"`,
    values: [accountId, from, to, knownAt, month],
  }),
};

/** Of the person who made or ended a match, as it was then: the audit log keeps it. */
function nameIn(action: string, subject = "mat"): string {
  return `(select a.actor_name from tieout.audit_log as a where a.action = ${action} and a.subject = '${subject}_' || m.id order by a.number desc limit 1)`;
}

function instant(expression: string): string {
  return `to_char((${expression}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

function day(expression: string): string {
  return `to_char((${expression}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
