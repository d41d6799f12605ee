import { allLevels } from "../../core/window.ts";
import type { Queryable } from "../database.ts";
import type { WindowLease } from "../windows/window-leases.ts";

/**
 * Open transactions that are due to be asked for again, a page at a time. How often depends on the age of the status:
 * every minute at first, then at an eighth of the age, in powers of two. Nothing is written to know this: a transaction
 * is due when a multiple of its period, shifted by its own hash, lies in the window. So a missed round is made up for
 * by the next window, which begins where the last one ended. A refresh of all levels asks for every one of them.
 */
export async function listOpenDue(
  database: Queryable,
  lease: WindowLease,
  options: { after: string; limit: number },
): Promise<string[]> {
  const rows = await database.query<{ transaction_id: string }>(
    `select transaction_id
     from tieout.transactions
     cross join lateral (
       select 60 * 2 ^ floor(log(2.0, greatest(1.0, extract(epoch from $3::timestamptz - status_date) / 8 / 60))) as period,
              abs(hashtext(transaction_id)::bigint) as shift
     ) as due
     where account_id = $1
       and not is_final
       and hashtext(transaction_id) >= case when $4 = '' then -2147483648 else hashtext($4) end
       and ($4 = '' or (hashtext(transaction_id), transaction_id) > (hashtext($4), $4))
       and ($6 or floor((extract(epoch from $3::timestamptz) + shift) / period)
                > floor((extract(epoch from $2::timestamptz) + shift) / period))
     order by hashtext(transaction_id), transaction_id
     limit $5`,
    [lease.accountId, lease.from, lease.to, options.after, options.limit, lease.level === allLevels],
    "list_open_due",
  );
  return rows.map(({ transaction_id }) => transaction_id);
}
