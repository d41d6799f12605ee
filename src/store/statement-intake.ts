import { finished } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { PoolClient } from "pg";
import type { Decimal } from "../core/decimal.ts";
import { encodeIncoming, incomingColumns, type IncomingRow, lineColumns } from "./incoming-row.ts";

/** Rows of one file on their way into the tables, inside the database transaction of its import. */
export interface StatementIntake {
  /** Hands a batch over. Returns when there is room for another, so that reading and writing go side by side. */
  take(rows: readonly IncomingRow[]): Promise<void>;
  /** Keeps a part of the file as it came. */
  keepPart(gzipped: Promise<Buffer>): Promise<void>;
  /** Waits until everything is written. */
  finish(): Promise<IntakeTally>;
}

export interface IntakeTarget {
  readonly accountId: number;
  readonly provider: string;
  readonly statementId: number;
  /** The database's own text of the time. */
  readonly importedAt: string;
}

export interface IntakeTally {
  readonly accepted: number;
  readonly restated: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** Rows that met a line which another statement brought: only then may another version have to stand back. */
  readonly met: number;
}

export interface BatchSum {
  readonly currency: string | null;
  readonly payoutRef: string | null;
  readonly lineType: string;
  readonly rows: number;
  readonly gross: Decimal;
  readonly fees: Decimal;
  readonly net: Decimal;
  /** Over every row that could be read, those rejected for another reason included: what a file's own totals say. */
  readonly stated: Readonly<Record<string, Decimal>>;
}

export async function openIntake(
  client: PoolClient,
  target: IntakeTarget,
  onSums: (sums: readonly BatchSum[]) => void,
): Promise<StatementIntake> {
  await client.query(`create temp table incoming (${incomingColumns}) on commit drop`);
  const tally = { accepted: 0, restated: 0, duplicate: 0, rejected: 0, met: 0 };
  let parts = 0;
  let last: Promise<void> = Promise.resolve();

  /** One thing after another on one connection; the caller waits for the one before its own. */
  async function queue(work: () => Promise<void>): Promise<void> {
    const before = last;
    last = before.then(work);
    // Somebody waits for it at the next turn; until then a failure is not unhandled.
    last.catch(() => undefined);
    await before;
  }

  async function write(text: string): Promise<void> {
    await client.query("truncate incoming");
    const stream = client.query(copyFrom("copy incoming from stdin"));
    stream.end(text);
    await finished(stream);
    const { rows } = await client.query<IntakeTally>(foldSql, [
      target.accountId,
      target.provider,
      target.statementId,
      target.importedAt,
    ]);
    for (const name of Object.keys(tally) as (keyof IntakeTally)[]) tally[name] += rows[0]?.[name] ?? 0;
    onSums((await client.query<BatchSum>(sumsSql)).rows);
  }

  // A row that repeats another waits for the next batch: by then the line of the other one is in the table.
  let waiting: IncomingRow[] = [];
  function take(rows: readonly IncomingRow[]): Promise<void> {
    const ready = [...waiting, ...rows.filter(({ outcome }) => outcome !== "duplicate")];
    waiting = rows.filter(({ outcome }) => outcome === "duplicate");
    const text = encodeIncoming(ready);
    return queue(() => write(text));
  }

  return {
    take,
    keepPart: (gzipped) => {
      gzipped.catch(() => undefined);
      const part = ++parts;
      return queue(async () => {
        await client.query(
          "insert into tieout.statement_files (statement_id, part, content) values ($1, $2, $3)",
          [target.statementId, part, await gzipped],
        );
      });
    },
    finish: async () => {
      if (waiting.length > 0) await take([]);
      await last;
      return tally;
    },
  };
}

const columns = lineColumns.join(", ");

// Rows whose outcome is still open become lines. A line is known by its key and its occurrence; of its versions, the one
// with the same content is met again, and when there is none a new version is added. One pass over the batch and one
// look at the index for each row: without statistics about a table that was filled a moment ago, a join would be a bet.
const foldSql = `
with decided as materialized (
  select i.*, known.*,
         case
           when i.outcome is null and known.same_id is null then nextval('tieout.statement_lines_id_seq')
         end as new_id
  from incoming as i
  cross join lateral (
    select max(l.id) filter (where l.content_hash = i.content_hash) as same_id,
           max(l.version) as latest_version,
           bool_or(r.reason is distinct from 'withdrawn') as in_force,
           bool_or(l.content_hash = i.content_hash and r.reason is distinct from 'withdrawn') as same_in_force
    from tieout.statement_lines as l
    left join tieout.line_retirements as r on r.line_id = l.id and r.restored_at is null
    where l.line_key = i.line_key
      and l.occurrence = i.occurrence
      and (l.account_id, l.provider) is not distinct from ($1, $2)    -- the index by key serves, and no other can
  ) as known
), added as (
  insert into tieout.statement_lines
    (id, account_id, provider, version, statement_id, line_no, imported_at, ${columns})
  overriding system value
  select new_id, $1, $2, coalesce(latest_version, 0) + 1, $3, line_no, $4, ${columns}
  from decided
  where new_id is not null
    and (select count(*) from decided) > 0     -- all are decided before the first is written: see nothing of our own
), fate as (
  select line_no, field, reason, original_text, latest_version is not null as met,
         case
           when outcome is not null then outcome
           when same_in_force then 'duplicate'
           else 'accepted'
         end as outcome,
         case
           when code is not null or outcome is not null then code
           when same_in_force then 'row_already_imported'
           when same_id is null and in_force then 'row_restated'
         end as code,
         case when outcome is null or outcome = 'duplicate' then coalesce(new_id, same_id) end as line_id
  from decided
), written as (
  insert into tieout.statement_rows (statement_id, line_no, outcome, code, field, reason, original_text, line_id)
  select $3, line_no, outcome, code, field, reason, original_text, line_id
  from fate
)
select count(*) filter (where outcome = 'accepted')::int as accepted,
       count(*) filter (where code = 'row_restated')::int as restated,
       count(*) filter (where outcome = 'duplicate')::int as duplicate,
       count(*) filter (where outcome = 'rejected')::int as rejected,
       count(*) filter (where met)::int as met
from fate`;

const sumsSql = `
select currency, payout_ref as "payoutRef", line_type as "lineType",
       count(*) filter (where counts)::int as rows,
       coalesce(sum(fiat_gross) filter (where counts), 0)::text as gross,
       coalesce(sum(fee_total) filter (where counts and fee_currency = currency), 0)::text as fees,
       coalesce(sum(net_amount) filter (where counts), 0)::text as net,
       jsonb_build_object(
         'fiat_gross', coalesce(sum(fiat_gross), 0)::text,
         'fiat_net', coalesce(sum(fiat_net), 0)::text,
         'fee_total', coalesce(sum(fee_total), 0)::text,
         'net_amount', coalesce(sum(net_amount) filter (where line_type <> 'payout'), 0)::text
       ) as stated
from (
  select *, coalesce(net_currency, fiat_currency) as currency, outcome is null as counts
  from incoming
  where line_key is not null
) as lines
group by currency, payout_ref, line_type`;
