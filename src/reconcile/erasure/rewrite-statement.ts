import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Queryable } from "../../store/database.ts";
import { encodedColumns, type IncomingRow } from "../../store/statements/incoming-row.ts";
import { findStatement, type StoredStatement } from "../../store/statements/statements.ts";
import { layoutOf, openKeptFile } from "../statement/kept-file.ts";
import { vocabularyOf } from "../statement/own-profiles.ts";
import { type ReadingOptions, readFile } from "../statement/read-file.ts";
import type { Layout } from "../statement/recognise-layout.ts";
import { readText } from "../statement/file-text.ts";
import { encodeText } from "./encode-text.ts";
import { eraseRows, type RowRule } from "./erase-rows.ts";

const gzipAsync = promisify(gzip);

/** A statement as it is to be kept from now on. */
export interface RewrittenStatement {
  /** Compressed, as many as there were. */
  parts: Buffer[];
  /** Hex, of the bytes. */
  sha256Before: string;
  sha256: string;
  /** The rows that have changed, as they read now. */
  rows: ReadonlyMap<number, { text: string; reason: string | null; line: LineValues | null }>;
}

export interface LineValues {
  key: string;
  contentHash: string;
  walletAddress: string | null;
  addressTag: string | null;
  extra: string | null;
}

/** Takes rows out of a kept file and reads it again, as it was read when it came. */
export async function rewriteStatement(
  database: Queryable,
  statementId: number,
  rule: RowRule,
): Promise<RewrittenStatement> {
  const statement = await findStatement(database, statementId);
  if (!statement) throw new TypeError(`statement ${statementId} has rows`);
  const pieces: Buffer[] = [];
  const file = await openKeptFile(database, statement);
  for await (const piece of file.bytes()) pieces.push(piece);
  const before = Buffer.concat(pieces);
  const layout = await layoutOf(statement, file);
  const { text, lineNos } = eraseRows(await textOf(before, file.encoding, layout), layout, rule);
  const after = encodeText(text, file.encoding, before);
  const { providerNames } = await vocabularyOf(database, statement.accountId);
  const read = await readRows({ provider: statement.provider, encoding: file.encoding }, after, {
    layout,
    providerNames,
  });
  const changed = new Set(lineNos);
  return {
    parts: file.isWhole ? await compress(after, pieces.length) : [],
    sha256Before: sha256Of(before),
    sha256: sha256Of(after),
    rows: new Map(read.filter(({ lineNo }) => changed.has(lineNo)).map((row) => [row.lineNo, valuesOf(row)])),
  };
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export async function textOf(bytes: Buffer, encoding: string, layout: Layout): Promise<string> {
  let text = "";
  for await (const piece of readText(once(bytes), { encoding, layout })) text += piece;
  return text;
}

export async function* once<T>(piece: T): AsyncGenerator<T> {
  yield piece;
}

async function readRows(
  { provider, encoding }: Pick<StoredStatement, "provider" | "encoding">,
  bytes: Buffer,
  options: Pick<ReadingOptions, "layout" | "providerNames">,
): Promise<IncomingRow[]> {
  let conflicts: ReadonlySet<string> = new Set();
  for (;;) {
    const texts = () => readText(once(bytes), { encoding, layout: options.layout });
    const reading = readFile(texts, { ...options, provider, conflicts });
    const rows: IncomingRow[] = [];
    for await (const batch of reading.batches()) rows.push(...batch);
    const found = reading.outcome().conflicts;
    // One unique key with two contents shows only at the second, as in `takeIn`.
    if (found.size === 0 || conflicts.size > 0) return rows;
    conflicts = found;
  }
}

export async function compress(bytes: Buffer, count: number): Promise<Buffer[]> {
  const size = Math.ceil(bytes.length / count);
  const starts = Array.from({ length: count }, (_, at) => at * size);
  return Promise.all(starts.map((start) => gzipAsync(bytes.subarray(start, start + size), { level: 1 })));
}

function valuesOf({ text, reason, line }: IncomingRow) {
  if (line === null) return { text, reason, line: null };
  const values = line.encoded.split("\t").map(copiedText);
  const valueOf = (column: string) => values[encodedColumns.indexOf(column)] ?? null;
  return {
    text,
    reason,
    line: {
      key: line.key,
      contentHash: line.contentHash,
      walletAddress: valueOf("wallet_address"),
      addressTag: valueOf("address_tag"),
      extra: valueOf("extra"),
    },
  };
}

/** A value out of COPY's text format; see `copyText`. */
export function copiedText(written: string): string | null {
  if (written === String.raw`\N`) return null;
  return written.replaceAll(/\\(.)/g, (_, letter: string) => letters[letter] ?? letter);
}

const letters: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r" };
