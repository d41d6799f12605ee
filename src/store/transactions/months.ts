import type { Queryable } from "../database.ts";
import { isLockTimeout } from "../sql-errors.ts";

/** Partitions for so many months to come exist at any time: a service that stops for a while finds its months made. */
const monthsAhead = 3;
/** What is dated earlier shares the partition of odd dates: every month costs each query of the history a look. */
const yearsBackMax = 10;

/**
 * Makes the monthly partitions of `transaction_statuses` and `transaction_keys` from where the accounts begin until some
 * months ahead of now. Cheap when there is nothing to make. Nothing is lost without them, because rows dated outside the
 * months that exist have a partition of their own; so when someone holds the tables, this is left for the next time.
 */
export async function ensureMonths(database: Queryable): Promise<"made" | "busy"> {
  try {
    await database.query(
      `select tieout.make_months(
         greatest(least(min(sync_start), clock_timestamp()), clock_timestamp() - $1::int * interval '1 year'),
         clock_timestamp() + $2::int * interval '1 month')
       from tieout.accounts`,
      [yearsBackMax, monthsAhead],
    );
    return "made";
  } catch (error) {
    if (isLockTimeout(error)) return "busy";
    throw error;
  }
}

/** Status rows dated outside all months. A few come from wrong clocks; many mean that months were not made in time. */
export async function countOddDates(database: Queryable, countMax: number): Promise<number> {
  const [row] = await database.query<{ odd: number }>(
    `select count(*)::int as odd from (select from tieout.transaction_statuses_odd limit $1) as counted`,
    [countMax],
  );
  return row?.odd ?? 0;
}
