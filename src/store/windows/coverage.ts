import type { Queryable } from "../database.ts";

export interface Gap {
  from: string;
  to: string;
}

export interface Coverage {
  /** Share of the time from the start to the newest planned window that has been read, from 0 to 1. */
  share: number;
  gaps: Gap[];
  gapCount: number;
}

const gapsShownMax = 20;

/** What we can prove to have read, now or by a time, and what lies between. */
export async function readCoverage(
  database: Queryable,
  accountId: number,
  period?: { from?: string; to?: string; knownAt?: string | null },
): Promise<Coverage> {
  const [row] = await database.query<{
    share: number;
    gaps: { from: string; to: string }[];
    gap_count: number;
  }>(
    `with wanted as (
       select case when $4::timestamptz is null then a.covered
                   else (select known.covered from tieout.read_at(array[a.id], $4::timestamptz) as known) end as covered,
              tstzmultirange(tstzrange(
                coalesce($2::timestamptz, a.sync_start),
                greatest(coalesce($2::timestamptz, a.sync_start),
                         coalesce($3::timestamptz,
                           (select max(range_to) from tieout.sync_windows as w
                            where w.account_id = a.id and w.kind in ('live', 'backfill'))))
              )) as period
       from tieout.accounts as a
       where a.id = $1
     ), missing as (
       select gap
       from wanted, unnest(period - covered) as gap
     ), lengths as (
       select (select coalesce(sum(extract(epoch from upper(gap) - lower(gap))), 0) from missing) as open,
              (select coalesce(sum(extract(epoch from upper(part) - lower(part))), 0)
               from wanted, unnest(period) as part) as whole
     )
     select (case when whole = 0 then 0 else 1 - open / whole end)::double precision as share,
            (select count(*)::int from missing) as gap_count,
            coalesce((select json_agg(json_build_object('from', lower(gap), 'to', upper(gap)))
                      from (select gap from missing order by gap limit ${gapsShownMax}) as shown), '[]') as gaps
     from lengths`,
    [accountId, period?.from ?? null, period?.to ?? null, period?.knownAt ?? null],
  );
  return { share: row?.share ?? 0, gaps: row?.gaps ?? [], gapCount: row?.gap_count ?? 0 };
}
