import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Queryable } from "../../store/database.ts";
import { isForgotten, readRowTexts } from "../../store/erasure/erasure-integrity.ts";
import type { IntakeTables } from "../../store/statements/intake-tables.ts";
import { readFileParts } from "../../store/statements/statement-integrity.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { decodeHead, isMadeIntoText } from "./decode.ts";
import { recogniseCells } from "./file-text.ts";
import type { Profile } from "./profile.ts";
import { type Layout, recogniseLayout } from "./recognise-layout.ts";

const gunzipAsync = promisify(gunzip);
const headBytesMax = 256 * 1024;

export interface KeptFile {
  /** `false`: its bytes were kept long enough, and these are its rows, put together again. */
  readonly isWhole: boolean;
  readonly encoding: string;
  bytes(): AsyncGenerator<Buffer>;
}

export async function openKeptFile(
  database: Queryable,
  { id, encoding }: StoredStatement,
): Promise<KeptFile> {
  const isWhole = !(await isForgotten(database, id));
  async function* rowBytes(): AsyncGenerator<Buffer> {
    for await (const text of readRowTexts(database, id)) yield Buffer.from(text, "utf8");
  }
  // The rows of a workbook are text, and are read as what its sheet said.
  const readAs = isWhole || isMadeIntoText(encoding) ? encoding : "utf-8";
  return { isWhole, encoding: readAs, bytes: isWhole ? () => keptBytes(database, id) : rowBytes };
}

/** The bytes of a file as they came, but for rows erased since; nothing where they were kept long enough. */
export async function* keptBytes(
  database: Queryable,
  fileId: number,
  tables?: IntakeTables,
): AsyncGenerator<Buffer> {
  for await (const part of readFileParts(database, fileId, tables)) yield await gunzipAsync(part);
}

export async function digestOf(file: KeptFile) {
  const sha256 = createHash("sha256");
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const piece of file.bytes()) {
    if (bytes < headBytesMax) head.push(piece);
    bytes += piece.length;
    sha256.update(piece);
  }
  return { sha256: sha256.digest(), head: Buffer.concat(head) };
}

/** With the very profile that is kept with the statement, the words of its provider included. */
export async function layoutOf(statement: StoredStatement, file: KeptFile): Promise<Layout> {
  const { fileName, provider } = statement;
  const profile = statement.profileUsed as Profile;
  const question = { fileName, profiles: [profile], provider, profileName: profile.name };
  const { head } = await digestOf(file);
  const start = head.subarray(0, headBytesMax);
  if (isMadeIntoText(file.encoding))
    return (await recogniseCells(() => file.bytes(), { start, encoding: file.encoding }, question)).layout;
  return recogniseLayout({ ...question, head: decodeHead(start, file.encoding) });
}
