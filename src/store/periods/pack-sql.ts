import type { Statement } from "../exports/copy-report.ts";

export interface PackScope {
  accountId: number;
  month: string;
  from: string;
  to: string;
  knownAt: string;
}

/** The tables of a pack that are no reports. Each is asked by what was known when the month was signed. */
export const packTables: Record<string, (scope: PackScope) => Statement> = {
  "source-files.csv": ({ accountId, to, knownAt }) => ({
    text: `
      select s.provider, s.file_name, encode(s.sha256, 'hex') as sha256, s.byte_count as bytes, ${day("s.period_from")} as period_from,
             ${day("s.period_to")} as period_to, s.rows_read, s.rows_accepted, ${instant("s.imported_at")} as imported_at,
             s.imported_by, ${instant("case when s.withdrawn_at <= $3::timestamptz then s.withdrawn_at end")} as withdrawn_at
      from tieout.statements as s
      where s.account_id = $1::int
        and s.imported_at <= $3::timestamptz
        and (s.period_from < $2::timestamptz or s.period_from is null)
      order by s.provider collate "C", s.period_from, s.id`,
    values: [accountId, to, knownAt],
  }),
  "settings.csv": ({ accountId, knownAt }) => ({
    text: `
      select *
      from (
        select distinct on (v.provider, v.kind, v.name)
               v.provider, v.kind, v.name, v.version, v.value::text as value, ${instant("v.saved_at")} as saved_at, v.saved_by, v.reason
        from tieout.provider_settings as v
        where (v.account_id = $1::int or v.account_id is null)
          and v.saved_at <= $2::timestamptz
        order by v.provider, v.kind, v.name, v.account_id nulls last, v.version desc
      ) as latest
      where value is not null
      order by provider collate "C", kind collate "C", name collate "C"`,
    values: [accountId, knownAt],
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

/** Of whoever made or ended a match, as it was then: the audit log keeps it. */
function nameIn(action: string): string {
  return `(select a.actor_name from tieout.audit_log as a where a.action = ${action} and a.subject = 'mat_' || m.id order by a.number desc limit 1)`;
}

function instant(expression: string): string {
  return `to_char((${expression}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

function day(expression: string): string {
  return `to_char((${expression}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}
