import { TieoutError } from "../../core/errors.ts";
import type { Database, Queryable } from "../database.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";

export interface RateToKeep {
  readonly day: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: string;
  readonly source: string;
}

export interface HeldRate extends RateToKeep {
  readonly fileName: string;
  readonly importedAt: string;
}

export interface RatesToSave extends Author {
  readonly rates: readonly RateToKeep[];
  readonly fileName: string;
  readonly sha256: Buffer;
  /** Why rates are taken that are far from those known already. */
  readonly acceptReason?: string | null | undefined;
}

/** Adds what is new or differs from what counts now, all of it or nothing, and says so in the audit log. */
export async function saveRates(
  database: Database,
  { rates, fileName, sha256, acceptReason = null, actor, requestId }: RatesToSave,
): Promise<{ read: number; added: number }> {
  return database.transaction(async (tx) => {
    // One saver at a time, so that two do not add the same.
    await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.rates', 0))");
    const odd = acceptReason === null ? await findOddRates(tx, rates) : [];
    if (odd.length > 0) throw new TieoutError("rates_invalid", describeOdd(fileName, odd));
    const added = await tx.query<{ id: string }>(
      `insert into tieout.rates (day, base, quote, rate, source, file_name, sha256, imported_by)
       select distinct on (r.day, r.base, r.quote, r.source) r.day, r.base, r.quote, r.rate, r.source, $2, $3, $4
       from jsonb_to_recordset($1::jsonb) as r (day date, base text, quote text, rate numeric, source text)
       where r.rate is distinct from (
         select held.rate
         from tieout.rates as held
         where (held.base, held.quote, held.day, held.source) = (r.base, r.quote, r.day, r.source)
         order by held.imported_at desc
         limit 1
       )
       order by r.day, r.base, r.quote, r.source
       returning id::text`,
      [JSON.stringify(rates), fileName, sha256, actor],
    );
    await recordAudit(tx, {
      actor,
      action: "rates.imported",
      subject: fileName,
      after: { read: rates.length, added: added.length, sha256: sha256.toString("hex") },
      ...(acceptReason === null ? {} : { reason: acceptReason }),
      requestId,
    });
    return { read: rates.length, added: added.length };
  });
}

interface OddRate {
  day: string;
  base: string;
  quote: string;
  rate: string;
  beforeDay: string;
  before: string;
  isInverse: boolean;
}

/**
 * Rates that are the inverse of the last one known of their pair, or half as much again or more away from one of the last days: with base
 * and quote swapped, or a point in the wrong place, every amount in the functional currency would be wrong.
 */
async function findOddRates(tx: Queryable, rates: readonly RateToKeep[]): Promise<OddRate[]> {
  return tx.query<OddRate>(
    `with given as materialized (
       select r.day, r.base, r.quote, r.rate, true as is_given, null::timestamptz as imported_at
       from jsonb_to_recordset($1::jsonb) as r (day date, base text, quote text, rate numeric)
     ), pairs as (
       select base, quote, min(day) as first, max(day) as last from given group by base, quote
     ), known as (
       select * from given
       union all
       select distinct r.day, r.base, r.quote, r.rate, false, r.imported_at
       from pairs as p
       join tieout.rates as r
         on (r.base, r.quote) in ((p.base, p.quote), (p.quote, p.base))
        and r.day between p.first - ${inverseDaysMax} and p.last
     ), in_order as (
       select k.*, lag(k.day) over pair_by_day as before_day, lag(one_way.rate) over pair_by_day as before, one_way.rate as now
       from known as k
       cross join lateral (select case when k.base < k.quote then k.rate else 1 / k.rate end) as one_way (rate)
       window pair_by_day as (
         partition by least(k.base, k.quote), greatest(k.base, k.quote) order by k.day, k.is_given, k.imported_at
       )
     )
     select o.day::text, o.base, o.quote, trim_scale(o.rate)::text as rate, o.before_day::text as "beforeDay",
            trim_scale(round(case when o.base < o.quote then o.before else 1 / o.before end, 12))::text as before,
            is_inverse.so as "isInverse"
     from in_order as o
     cross join lateral (
       select o.now * o.before between 0.8 and 1.25 and o.day - o.before_day <= ${inverseDaysMax}
     ) as is_inverse (so)
     where o.is_given
       and not o.now / o.before between 1 / ${farRatio}::numeric and ${farRatio}
       and (is_inverse.so or o.day - o.before_day <= ${farDaysMax})
     order by o.day, o.base, o.quote
     limit ${oddShownMax}`,
    [JSON.stringify(rates)],
  );
}

/** A rate moves by half within a week only where something is wrong, or a coin or a country is in trouble. */
const farRatio = 1.5;
const farDaysMax = 7;
/** Some companies keep one rate a month, or a quarter. */
const inverseDaysMax = 100;
const oddShownMax = 5;

function describeOdd(fileName: string, odd: readonly OddRate[]): string {
  const each = odd.map(
    ({ day, base, quote, rate, beforeDay, before, isInverse }) =>
      `${day} ${base} in ${quote}: ${rate} is ${isInverse ? "the inverse of" : "far from"} ${before} on ${beforeDay}`,
  );
  return (
    `${fileName}: ${each.join("\n")}\nOne ${odd[0]?.base} is worth so many ${odd[0]?.quote}: correct the file. ` +
    "If the rates are right, say why: with --accept on the command line, with accept in the API"
  );
}

/** Of each day, pair and source the one that counts, newest day first. */
export async function listRates(
  database: Queryable,
  { base, quote, limit }: { base?: string | undefined; quote?: string | undefined; limit: number },
): Promise<HeldRate[]> {
  return database.query<HeldRate>(
    `select *
     from (
       select distinct on (day, base, quote, source) day::text, base, quote, trim_scale(rate)::text as rate, source,
              file_name as "fileName", imported_at::text as "importedAt"
       from tieout.rates
       where ($1::text is null or base = $1)
         and ($2::text is null or quote = $2)
       order by day desc, base, quote, source, imported_at desc
     ) as counting
     order by day desc, base, quote, source
     limit $3`,
    [base ?? null, quote ?? null, limit],
  );
}
