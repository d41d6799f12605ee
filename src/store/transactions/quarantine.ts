import type { Queryable } from "../database.ts";

/**
 * Moves `last_seen_at` of records that were met again: at most once a day, because reading a page again must change no
 * row, and a day is all that anyone asks of it. Outside the page's own statement, since nothing depends on it.
 */
export async function noteQuarantinedAgain(
  database: Queryable,
  accountId: number,
  rejections: readonly { rawHash: string }[],
): Promise<void> {
  if (rejections.length === 0) return;
  await database.query(
    `update tieout.quarantined_records as q
     set last_seen_at = clock_timestamp()
     from unnest($2::text[]) as met (raw_hash)
     where q.account_id = $1
       and q.raw_hash = decode(met.raw_hash, 'hex')
       and q.last_seen_at < clock_timestamp() - interval '1 day'`,
    [accountId, rejections.map(({ rawHash }) => rawHash)],
  );
}
