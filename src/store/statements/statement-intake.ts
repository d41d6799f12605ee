import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { PoolClient } from "pg";
import { copyText, type IncomingLine, type IncomingRow } from "./incoming-row.ts";
import type { IntakeTables } from "./intake-tables.ts";

/** Rows of one file on their way into the tables, inside the database transaction of its import. */
export interface FileIntake {
  /** Hands a batch over. Returns when there is room for another, so that reading and writing go side by side. */
  take(rows: readonly IncomingRow[]): Promise<void>;
  /** Keeps a part of the file as it came. */
  keepPart(gzipped: Promise<Buffer>): Promise<void>;
  /** Waits until everything is written. */
  finish(): Promise<IntakeTally>;
}

export interface IntakeTarget {
  readonly tables: IntakeTables;
  /** Of whom or what the lines are, by column, the account among them: a line is known within it. */
  readonly scope: Readonly<Record<string, string | number>>;
  readonly fileId: number;
  /** The database's own text of the time. */
  readonly importedAt: string;
}

export interface IntakeTally {
  readonly accepted: number;
  readonly restated: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** Rows that met a line which was there before: only then may another version have to stand back. */
  readonly met: number;
}

export async function openIntake(client: PoolClient, target: IntakeTarget): Promise<FileIntake> {
  const { tables } = target;
  const tally = { accepted: 0, restated: 0, duplicate: 0, rejected: 0, met: 0 };
  const hasLines = await scopeHasLines(client, target);
  const ids: string[] = [];
  let parts = 0;
  let last: Promise<void> = Promise.resolve();

  /** One thing after another on one connection; the caller waits for the one before its own. */
  async function queue(work: () => Promise<void>): Promise<void> {
    const before = last;
    last = before.then(work);
    // Someone waits for it at the next turn; until then a failure is not unhandled.
    last.catch(() => undefined);
    await before;
  }

  async function write(rows: readonly IncomingRow[]): Promise<void> {
    // The first file meets nothing but itself.
    const asked = rows.filter(
      ({ line, outcome }) => line !== null && (outcome === "duplicate" || (outcome === null && hasLines)),
    );
    const known = asked.length === 0 ? nothingKnown : await findKnown(client, target, asked);
    const fates = rows.map((row) => decide(row, known.get(row.lineNo)));
    const added = fates.filter(({ isNew }) => isNew);
    if (ids.length < added.length) ids.push(...(await drawLineIds(client, tables, added.length + idsAhead)));
    const own = ids.splice(0, added.length);
    added.forEach((fate, at) => {
      fate.lineId = own[at] ?? null;
    });
    if (added.length > 0) await copyIn(client, copyLinesSql(target), added, (fate) => lineText(target, fate));
    await copyIn(client, copyRowsSql(tables), fates, (fate) => rowText(target, fate));
    for (const { outcome, code, row } of fates) {
      if (outcome === "accepted" || outcome === "duplicate" || outcome === "rejected") tally[outcome] += 1;
      if (code === "row_restated") tally.restated += 1;
      if (row.outcome === null && known.has(row.lineNo)) tally.met += 1;
    }
  }

  // A row that repeats another waits for the next batch: by then the line of the other one is in the table.
  let waiting: IncomingRow[] = [];
  function take(rows: readonly IncomingRow[]): Promise<void> {
    const repeats = rows.filter(({ outcome }) => outcome === "duplicate");
    const ready = repeats.length === 0 ? rows : rows.filter(({ outcome }) => outcome !== "duplicate");
    const batch = waiting.length === 0 ? ready : [...waiting, ...ready];
    waiting = repeats;
    return batch.length === 0 ? Promise.resolve() : queue(() => write(batch));
  }

  return {
    take,
    keepPart: (gzipped) => {
      gzipped.catch(() => undefined);
      const part = ++parts;
      return queue(async () => {
        await client.query(
          `insert into tieout.${tables.parts} (${tables.fileId}, part, content) values ($1, $2, $3)`,
          [target.fileId, part, await gzipped],
        );
      });
    },
    finish: async () => {
      await take([]);
      await last;
      return tally;
    },
  };
}

interface Fate {
  readonly row: IncomingRow;
  readonly outcome: string;
  readonly code: string | null;
  readonly isNew: boolean;
  readonly version: number;
  lineId: string | null;
}

interface KnownLine {
  /** The version with the same content. */
  readonly sameId: string | null;
  readonly latestVersion: number;
  readonly inForce: boolean;
  readonly sameInForce: boolean;
}

const nothingKnown: ReadonlyMap<number, KnownLine> = new Map();

/**
 * A line is known by its key and its occurrence; of its versions, the one with the same content is met again, and when
 * there is none a new version is added. What only withdrawn files carry is accepted as if it were new.
 */
function decide(row: IncomingRow, known: KnownLine | undefined): Fate {
  // Every field is written out: to spread an object into another takes several microseconds, once for every row.
  const version = (known?.latestVersion ?? 0) + 1;
  const sameId = known?.sameId ?? null;
  if (row.outcome !== null) {
    const lineId = row.outcome === "duplicate" ? sameId : null;
    return { row, version, lineId, outcome: row.outcome, code: row.code, isNew: false };
  }
  if (known?.sameInForce)
    return { row, version, lineId: sameId, outcome: "duplicate", code: "row_already_imported", isNew: false };
  const isNew = sameId === null;
  const code = isNew && known?.inForce ? "row_restated" : null;
  return { row, version, lineId: sameId, outcome: "accepted", code, isNew };
}

async function scopeHasLines(client: PoolClient, { tables, scope }: IntakeTarget): Promise<boolean> {
  const columns = Object.keys(scope).map((column, at) => `${column} = $${at + 1}`);
  const { rows } = await client.query<{ found: boolean }>(
    `select exists (select from tieout.${tables.lines} where ${columns.join(" and ")}) as found`,
    Object.values(scope),
  );
  return rows[0]?.found ?? true;
}

async function findKnown(
  client: PoolClient,
  target: IntakeTarget,
  asked: readonly IncomingRow[],
): Promise<ReadonlyMap<number, KnownLine>> {
  const statement = knownSql(target);
  const known = new Map<number, KnownLine>();
  await client.query("set local enable_sort = off");
  for (let at = 0; at < asked.length; at += rowsPerQuestion) {
    const some = asked.slice(at, at + rowsPerQuestion);
    const column = (read: (line: IncomingLine) => unknown) => some.map(({ line }) => line && read(line));
    const { rows } = await client.query<KnownLine & { lineNo: number }>(statement, [
      some.map(({ lineNo }) => lineNo),
      column(({ key }) => key),
      column(({ occurrence }) => occurrence),
      column(({ contentHash }) => `\\x${contentHash}`),
      ...Object.values(target.scope),
    ]);
    for (const row of rows) known.set(row.lineNo, row);
  }
  await client.query("set local enable_sort to default");
  return known;
}

/** The driver writes all values of a question at once, and nothing else runs meanwhile. */
const rowsPerQuestion = 1_000;

// One look at the index by key for each row. Left to itself, the planner would take any index that begins with the account
// for as good: it knows little about a table that is just being filled, or, after a preview, many pages with two lines in
// them, and each look would read all lines of the account. Only the index by key has the versions in their order, and
// sorting is off.
function knownSql({ tables, scope }: IntakeTarget): string {
  const within = Object.keys(scope).map((name, at) => `l.${name} = $${at + 5}`);
  return `
select i.line_no as "lineNo", known.*
from unnest($1::int[], $2::text[], $3::int[], $4::bytea[]) as i (line_no, line_key, occurrence, content_hash)
cross join lateral (
  select max(l.id) filter (where l.content_hash = i.content_hash) as "sameId",
         max(l.version) as "latestVersion",
         bool_or(r.reason is distinct from 'withdrawn') as "inForce",
         bool_or(l.content_hash = i.content_hash and r.reason is distinct from 'withdrawn') as "sameInForce"
  from (
    select *
    from tieout.${tables.lines} as l
    where l.line_key = i.line_key
      and l.occurrence = i.occurrence
      and ${within.join(" and ")}
    order by l.version
  ) as l
  left join tieout.${tables.retirements} as r on r.line_id = l.id and r.restored_at is null
) as known
where known."latestVersion" is not null`;
}

// Drawn for several batches at once; what is left over at the end is a gap in the numbers, and nothing else.
const idsAhead = 20_000;

async function drawLineIds(client: PoolClient, { lines }: IntakeTables, count: number): Promise<string[]> {
  const { rows } = await client.query<{ ids: string }>(
    `select string_agg(nextval('tieout.${lines}_id_seq')::text, ',') as ids
     from generate_series(1, $1)`,
    [count],
  );
  return (rows[0]?.ids ?? "").split(",");
}

function copyLinesSql({ tables, scope }: IntakeTarget): string {
  return `copy tieout.${tables.lines}
  (id, ${Object.keys(scope).join(", ")}, line_key, occurrence, version, content_hash, ${tables.fileId}, ${tables.rowNo},
   imported_at, ${tables.lineColumns.join(", ")}) from stdin`;
}

function lineText(target: IntakeTarget, { row, lineId, version }: Fate): string {
  const { scope, fileId, importedAt } = target;
  const { key = "", occurrence = 1, contentHash = "", encoded = "" } = row.line ?? {};
  const within = Object.values(scope).map((value) => copyText(String(value)));
  return `${lineId}\t${within.join("\t")}\t${copyText(key)}\t${occurrence}\t${version}\t\\\\x${contentHash}\t${fileId}\t${row.lineNo}\t${importedAt}\t${encoded}\n`;
}

function copyRowsSql({ rows, fileId, rowNo, placeNo }: IntakeTables): string {
  const place = placeNo === null ? "" : `, ${placeNo}`;
  return `copy tieout.${rows}
  (${fileId}, ${rowNo}${place}, outcome, code, field, reason, original_text, line_id) from stdin`;
}

function rowText({ fileId, tables }: IntakeTarget, { row, outcome, code, lineId }: Fate): string {
  const { lineNo, field, reason, text } = row;
  const place = tables.placeNo === null ? "" : `\t${row.placeNo ?? lineNo}`;
  return `${fileId}\t${lineNo}${place}\t${outcome}\t${code ?? "\\N"}\t${field ?? "\\N"}\t${copyText(reason)}\t${copyText(text)}\t${lineId ?? "\\N"}\n`;
}

/** In slices, between which others get their turn: a batch may be thousands of rows, or megabytes of text. */
async function copyIn(
  client: PoolClient,
  statement: string,
  fates: readonly Fate[],
  textOf: (fate: Fate) => string,
): Promise<void> {
  async function* slices(): AsyncGenerator<string> {
    let text = "";
    let rows = 0;
    for (const fate of fates) {
      text += textOf(fate);
      rows += 1;
      if (rows % rowsPerSlice !== 0 && text.length < charsPerSlice) continue;
      yield text;
      text = "";
      await setImmediate();
    }
    if (text !== "") yield text;
  }
  await pipeline(slices, client.query(copyFrom(statement)));
}

const rowsPerSlice = 200;
const charsPerSlice = 64 * 1024;
