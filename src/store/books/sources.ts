import { type RecordColumn, recordColumns } from "../../core/record-fields.ts";
import { columnsOf, inLines } from "../transactions/record-columns.ts";
import type { Frame, Part } from "./frame.ts";

/** Which accounts and providers are asked about. */
export function subjects({ accounts, provider }: Frame): Part[] {
  if (provider !== null) {
    return [
      {
        name: "subjects",
        sql: `
  select account_id, ${provider} as provider
  from unnest(${accounts}) as account_id`,
      },
    ];
  }
  return [
    {
      name: "subjects",
      materialized: true,
      sql: `
  select account_id, provider
  from tieout.account_providers
  where account_id = any (${accounts})
  union
  select s.account_id, s.provider
  from tieout.statements as s
  where s.account_id = any (${accounts})`,
    },
  ];
}

/** Transactions with their legs told apart: which one is fiat is decided by the currency, never by the place. */
export function transactions(frame: Frame, name = "t"): Part[] {
  const legs = `
         source.is_fiat as in_is_fiat,
         coalesce(source.code, t.source_currency) as in_code,
         source.network as in_network,
         source.places as in_places,
         target.is_fiat as out_is_fiat,
         coalesce(target.code, t.target_currency) as out_code,
         target.network as out_network,
         target.places as out_places,
         case when source.is_fiat then source.code when target.is_fiat then target.code end as fiat_currency,
         case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end as fiat_amount`;
  const words = `
  left join tieout.currency_words as source on source.word = t.source_currency
  left join tieout.currency_words as target on target.word = t.target_currency`;
  if (frame.mode === "live") {
    return [
      {
        name,
        // What a run has touched is little, and is looked at from many sides.
        materialized: frame.scope === "touched",
        sql: `
  select ${columns("t")},
         t.is_final,
         lower(coalesce(t.provider, '')) as provider,${legs}
  from tieout.transactions as t${frame.scope === "touched" ? "\n  join pg_temp.touched_transactions using (transaction_id)" : ""}${words}
  where t.account_id = $1
    and lower(coalesce(t.provider, '')) = ${frame.provider}`,
      },
    ];
  }
  return [
    {
      name: "latest",
      materialized: false,
      sql: `
  select distinct on (s.account_id, s.transaction_id) s.*
  from tieout.transaction_statuses as s
  where s.account_id = any (${frame.accounts})
    and s.first_seen_at <= ${frame.knownAt}
    and s.status_date < ${frame.asAt}
  order by s.account_id, s.transaction_id, s.status_date desc, s.status_rank desc, s.record_hash desc`,
    },
    {
      name,
      materialized: true,
      sql: `
  select ${columns("t")},
         t.status in ('completed', 'failed', 'canceled') as is_final,
         lower(coalesce(t.provider, '')) as provider,${legs}
  from latest as t${words}${frame.provider === null ? "" : `\n  where lower(coalesce(t.provider, '')) = ${frame.provider}`}`,
    },
  ];
}

/** The provider is spelled in one way here, and nothing about the books asks for the others. */
const leftOut = new Set<RecordColumn>(["provider", "hash_version", "country", "api_key"]);

function columns(table: string): string {
  const kept = recordColumns.filter((column) => !leftOut.has(column));
  return inLines(9, columnsOf(table, ["account_id", ...kept]));
}

/** Every status row of a transaction but its latest; live, of those whose history is known to hold something odd. */
export function history(frame: Frame): Part {
  const odd =
    frame.mode === "live" ? "\n  join tieout.odd_histories as odd using (account_id, transaction_id)" : "";
  const then =
    frame.mode === "live"
      ? ""
      : `
    and s.first_seen_at <= ${frame.knownAt}
    and s.status_date < ${frame.asAt}`;
  return {
    name: "h",
    materialized: false,
    sql: `
  select s.*
  from tieout.transaction_statuses as s
  join t using (account_id, transaction_id)${odd}
  where s.record_hash <> t.record_hash${then}`,
  };
}

/** The versions of lines that count, dated before the instant. */
export function lines(frame: Frame): Part {
  const { accounts, provider, asAt, knownAt } = frame;
  const live = frame.mode === "live";
  return {
    name: "l",
    materialized: !live || frame.scope === "touched",
    sql: `
  select l.*,
         l.status not in ('created', 'awaiting_payment', 'processing', 'canceled', 'expired', 'failed') as moved_money
  from tieout.statement_lines as l${frame.scope === "touched" ? "\n  join pg_temp.touched_lines as touched on touched.line_id = l.id" : ""}
  where l.account_id = ${live ? "$1" : `any (${accounts})`}${provider === null ? "" : `\n    and l.provider = ${provider}`}
    and l.effective_at < ${asAt}${live ? "" : `\n    and l.imported_at <= ${knownAt}`}
    and not exists (
      select
      from tieout.line_retirements as r
      where r.line_id = l.id
        and ${live ? "r.restored_at is null" : `r.retired_at <= ${knownAt} and (r.restored_at is null or r.restored_at > ${knownAt})`}
    )`,
  };
}

/** What was matched: lines that count, each with its transaction. */
export function matches(frame: Frame): Part {
  const { accounts, provider, knownAt } = frame;
  const live = frame.mode === "live";
  const standing = live
    ? "m.state = 'active'"
    : `m.rule <> 'suggested'
    and m.matched_at <= ${knownAt}
    and (m.ended_at is null or m.ended_at > ${knownAt})`;
  const touched =
    frame.scope === "touched"
      ? `
    and m.line_id in (select line_id from pg_temp.touched_lines)`
      : "";
  return {
    name: "m",
    materialized: !live || frame.scope === "touched",
    sql: `
  select m.id, m.account_id, m.provider, m.transaction_id, m.line_id, m.role, m.rule
  from tieout.matches as m
  where m.account_id = ${live ? "$1" : `any (${accounts})`}${provider === null ? "" : `\n    and m.provider = ${provider}`}
    and ${standing}${touched}`,
  };
}
