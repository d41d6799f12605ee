import type { Queryable } from "../database.ts";

export interface UntiedPayout {
  readonly ref: string;
  readonly currency: string | null;
  /** What its lines come to. */
  readonly computed: string;
  readonly declared: string;
}

/** Payouts of which this very database transaction has found that their lines do not add up to what was declared. */
export async function listUntiedPayouts(
  database: Queryable,
  { accountId, provider, limit }: { accountId: number; provider: string; limit: number },
): Promise<UntiedPayout[]> {
  return database.query<UntiedPayout & Record<string, unknown>>(
    `select p.payout_ref as ref, d.currency, trim_scale(d.expected)::text as computed, trim_scale(d.actual)::text as declared
     from tieout.discrepancies as d
     join tieout.payouts as p on p.id = d.payout_id
     where d.account_id = $1::int
       and d.provider = $2
       and d.code = 'payout_sum_mismatch'
       and d.state in ('open', 'investigating')
       and d.last_changed_at >= now()   -- when this transaction began
     order by p.payout_ref, d.currency
     limit $3::int`,
    [accountId, provider, limit],
  );
}
