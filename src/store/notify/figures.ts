import type { Queryable } from "../database.ts";

export interface NotifyFigures {
  pending: number;
  oldestSeconds: number;
  disabled: number;
  alerts: { kind: string; open: number }[];
}

/** For `/metrics`: what waits to be told, and what alerts say. */
export async function readNotifyFigures(database: Queryable): Promise<NotifyFigures> {
  const [row] = await database.query<NotifyFigures>(
    `select waiting.pending, waiting."oldestSeconds",
            (select count(*)::int from tieout.webhook_endpoints where state = 'disabled') as disabled,
            coalesce((select jsonb_agg(jsonb_build_object('kind', kind, 'open', open))
                      from (select kind, count(*) as open from tieout.alerts where cleared_at is null group by kind) as counted),
                     '[]') as alerts
     from (
       select count(*)::int as pending,
              coalesce(extract(epoch from clock_timestamp() - min(d.created_at)), 0)::double precision as "oldestSeconds"
       from tieout.webhook_endpoints as e
       cross join lateral (
         select d.created_at
         from tieout.webhook_deliveries as d
         where d.endpoint_id = e.id and d.state = 'pending'
         order by d.next_at
         limit 10000
       ) as d
       where e.state = 'enabled'
     ) as waiting`,
    [],
    "notify_figures",
  );
  return row ?? { pending: 0, oldestSeconds: 0, disabled: 0, alerts: [] };
}
