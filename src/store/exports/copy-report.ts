import assert from "node:assert";
import type { Readable } from "node:stream";
import { escapeLiteral, type PoolClient } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { type Database, type Queryable, statementsOn } from "../database.ts";
import { readsOnly } from "../application-name.ts";
import { safeUntil } from "../transactions/transaction-reads.ts";

/** A statement with `$1`, `$2` … for its values. Values are validated before they come here. */
export interface Statement {
  text: string;
  values: readonly BoundValue[];
}

export type BoundValue = string | number | null | readonly string[];

/** One moment of the database: everything read from it agrees with everything else. */
export interface Snapshot extends Queryable {
  /** All that was committed before this time is in it. */
  asOf: string;
  /** All that is stamped before this time is in it: no write that began earlier was still running. */
  knownAt: string;
  /** The server's process, by which others can see how far a COPY has come. */
  backendPid: number;
  /** Bytes as Postgres writes them. End or destroy one before beginning the next. */
  copy(statement: Statement, format: CopyFormat): Readable;
}

type CopyFormat = "csv" | "text-lines";

export interface SnapshotOptions {
  statementTimeoutMs: number;
  /** A `knownAt` found earlier. Another look may find a time before it: sessions show when they began a moment after they did. */
  knownBefore?: string;
  /** Raised when what is read is no longer wanted. */
  signal?: AbortSignal;
}

/**
 * Runs `use` inside one `repeatable read read only` transaction. When it throws, or the signal is raised, the connection
 * is thrown away, whatever it was doing: that is what ends the query of a reader who went away.
 */
export async function withSnapshot<T>(
  database: Database,
  options: SnapshotOptions,
  use: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return database.session(async (client) => {
    await noticeLostConnection(client);
    // Asked before the snapshot is taken: a write that ends in between is then younger than this, and not missed.
    const statements = statementsOn(client);
    const knownAt = await safeUntil(statements);
    await client.query("begin isolation level repeatable read read only");
    await client.query(
      `select set_config('statement_timeout', $1, true),
              set_config('application_name', current_setting('application_name') || '${readsOnly}', true)`,
      [String(options.statementTimeoutMs)],
    );
    const { rows } = await client.query<{ as_of: string; known_at: string; pid: number }>(
      `select to_char(now(), ${instant}) as as_of, to_char(greatest($1::timestamptz, $2::timestamptz), ${instant}) as known_at,
              pg_backend_pid() as pid`,
      [knownAt, options.knownBefore ?? "-infinity"],
    );
    const reading = use({
      ...statements,
      asOf: rows[0]?.as_of ?? "",
      knownAt: rows[0]?.known_at ?? "",
      backendPid: rows[0]?.pid ?? 0,
      copy: (statement, format) =>
        client
          .query(copyTo(`copy (${inlineValues(statement)}) ${copyOptions[format]}`))
          // A connection may be lost before anyone reads; later readers still get the error.
          .on("error", () => undefined),
    });
    const result = await unlessRaised(options.signal, reading);
    await client.query("commit");
    return result;
  });
}

function unlessRaised<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

const instant = `'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'`;

const copyOptions: Record<CopyFormat, string> = {
  csv: "to stdout (format csv, header true)",
  // JSON writes control characters as \u0001 and \u0002, and other texts have none, so with these two as quote and
  // delimiter nothing is ever quoted.
  "text-lines": String.raw`to stdout (format csv, quote E'\x01', delimiter E'\x02')`,
};

/**
 * A backend that sorts or sums does not write, and so does not notice that nobody reads; asked to, it looks from time to
 * time. Some platforms cannot do that: there it notices with the first row.
 */
async function noticeLostConnection(client: PoolClient): Promise<void> {
  await client
    .query("select set_config('client_connection_check_interval', '500ms', false)")
    .catch(() => undefined);
}

/** COPY takes no bound values: they become literals here, in one pass, so that a value with a `$1` in it stays a value. */
export function inlineValues({ text, values }: Statement): string {
  return text.replaceAll(/\$(\d+)/g, (_, place: string) => {
    const value = values[Number(place) - 1];
    assert(value !== undefined, `a value for $${place}`);
    return literal(value);
  });
}

function literal(value: BoundValue): string {
  if (value === null) return "null";
  if (typeof value === "number") {
    assert(Number.isSafeInteger(value), "only whole numbers are written into a statement");
    return String(value);
  }
  if (typeof value === "string") return textLiteral(value);
  return `array[${value.map(textLiteral).join(", ")}]::text[]`;
}

function textLiteral(value: string): string {
  // A statement ends at its first NUL byte.
  assert(!value.includes("\0"), "a text without NUL");
  return escapeLiteral(value);
}
