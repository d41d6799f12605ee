import type { Zone } from "../../core/zone.ts";
import { type AccountReader, conditionsFor } from "../conditions.ts";
import { localDay } from "../zone-sql.ts";

/** What providers owe us in one currency, at the end of each day. */
export interface ReceivableTrend {
  currency: string;
  days: { day: string; balance: string }[];
}

/**
 * Of all that has moved the claims, as the report receivable adds it up; whatever came before the first day is one sum. The
 * days are those of the zone, `to` excluded.
 */
export async function receivableTrend(
  reader: AccountReader,
  { from, to, zone }: { from: string; to: string; zone: Zone },
): Promise<ReceivableTrend[]> {
  const conditions = conditionsFor(reader, "a.id");
  const bind = (value: string, type: string) => `${conditions.bind(value)}::${type}`;
  const [first, end] = [bind(from, "date"), bind(to, "date")];
  return reader.database.query<ReceivableTrend>(
    `with moved as materialized (
       select currency, greatest(day, ${first}) as day, sum(amount) as amount, count(*) as movements
       from (
         select m.currency, ${localDay("m.at", zone, bind)} as day, m.amount
         from tieout.claim_movements(array(select a.id from tieout.accounts as a where ${conditions.toSql()}), 'infinity') as m
       ) as m
       where day < ${end}
       group by 1, 2
     ), currencies as (
       select currency, sum(movements) as movements from moved group by currency
     ), balances as (
       select c.currency, c.movements, calendar.day::date as day,
              sum(coalesce(m.amount, 0)) over (partition by c.currency order by calendar.day) as balance
       from currencies as c
       cross join generate_series(${first}, ${end} - 1, interval '1 day') as calendar (day)
       left join moved as m on m.currency = c.currency and m.day = calendar.day
     )
     select currency,
            jsonb_agg(jsonb_build_object('day', day::text, 'balance', trim_scale(balance)::text) order by day) as days
     from balances
     where currency is not null
     group by currency, movements
     having bool_or(balance <> 0)
     order by movements desc, currency
     limit 50`,
    conditions.values,
  );
}
