import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

const shownMax = 20;

/** Findings that say something else than the hash of their facts, and matches of records that were never kept. */
export async function findWrongFacts(database: Queryable): Promise<Mismatch[]> {
  return database.query<Mismatch>(
    `(select 'finding ' || f.id || ' (' || f.code || ')' as subject, 'its facts do not give its hash' as problem
      from tieout.findings as f
      where f.facts_hash <> sha256(convert_to(concat_ws(e'\\x1f', coalesce(f.expected::text, ''), coalesce(f.actual::text, ''),
              coalesce(f.currency, ''), coalesce(f.expected_text, ''), coalesce(f.actual_text, '')), 'UTF8'))
      order by f.id
      limit ${shownMax})
     union all
     (select 'match ' || m.id, case when s.record_hash is null then 'its record was never kept' else 'its line is not one of its provider' end
      from tieout.matches as m
      left join lateral (
        select s.record_hash
        from tieout.transaction_statuses as s
        where s.account_id = m.account_id and s.transaction_id = m.transaction_id and s.record_hash = m.record_hash
        limit 1
      ) as s on true
      left join tieout.statement_lines as l on l.id = m.line_id and l.account_id = m.account_id and l.provider = m.provider
      where s.record_hash is null or l.id is null
      order by m.id
      limit ${shownMax})`,
  );
}

/** What a run over everything has corrected since a time: none of it followed from records, lines and settings. */
export async function listCorrected(
  tx: Queryable,
  subject: { accountId: number; providers: readonly string[]; since: string },
): Promise<Mismatch[]> {
  const { accountId, providers, since } = subject;
  return tx.query<Mismatch>(
    `(select 'match ' || m.id as subject,
             case when m.ended_at >= $3::timestamptz then 'it does not follow from its line and its transaction'
                  else 'line ' || m.line_id || ' and transaction ' || m.transaction_id || ' belong together, and no match said so' end as problem
      from tieout.matches as m
      where m.account_id = $1 and m.provider = any ($2::text[]) and (m.matched_at >= $3::timestamptz or m.ended_at >= $3::timestamptz)
      order by m.id
      limit ${shownMax})
     union all
     (select 'finding ' || f.id || ' (' || f.code || coalesce(' of ' || f.transaction_id, '') || ')',
             case when f.known_to >= $3::timestamptz then 'it does not follow from what it is about'
                  else 'it follows from what it is about, and was not there' end
      from tieout.findings as f
      where f.account_id = $1 and f.provider = any ($2::text[]) and (f.known_from >= $3::timestamptz or f.known_to >= $3::timestamptz)
      order by f.id
      limit ${shownMax})
     union all
     (select 'payout ' || p.payout_ref || ' of ' || p.provider, 'its figures are not the sums of its lines'
      from tieout.payouts as p
      where p.account_id = $1 and p.provider = any ($2::text[]) and p.last_changed_at >= $3::timestamptz
      order by p.id
      limit ${shownMax})`,
    [accountId, providers, since],
  );
}

/** The database's clock. Tables of a run that was made in this transaction are dropped, to make room for the next. */
export async function betweenRuns(tx: Queryable): Promise<string> {
  await tx.query("discard temp");
  const [row] = await tx.query<{ now: string }>("select clock_timestamp()::text as now");
  return row?.now ?? "";
}
