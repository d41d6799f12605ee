import { createHash } from "node:crypto";
import { isDeepStrictEqual, promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Database } from "../../store/database.ts";
import {
  compareRows,
  findStrangeStatements,
  readFileParts,
  type RowComparison,
} from "../../store/statements/statement-integrity.ts";
import { listStatementIds, findStatement, type StoredStatement } from "../../store/statements/statements.ts";
import type { Mismatch } from "../../store/transactions/integrity.ts";
import { decodeHead } from "./decode.ts";
import { vocabularyOf } from "./own-profiles.ts";
import type { Profile } from "./profile.ts";
import { type FileOutcome, readFile } from "./read-file.ts";
import { type Layout, recogniseLayout } from "./recognise-layout.ts";
import { FileProblemError } from "./refusal.ts";
import { readText, recogniseWorkbook, workbookEncoding } from "./workbook-text.ts";

const gunzipAsync = promisify(gunzip);
const headBytesMax = 256 * 1024;

/** Reads every file that was kept once more, as it was read then, and compares all that came of it. */
export async function verifyStatements(database: Database): Promise<Mismatch[]> {
  const mismatches = await findStrangeStatements(database);
  for (const id of await listStatementIds(database)) {
    const statement = await findStatement(database, id);
    if (statement) mismatches.push(...(await verifyStatement(database, statement)));
  }
  return mismatches;
}

async function verifyStatement(database: Database, statement: StoredStatement): Promise<Mismatch[]> {
  const subject = `statement ${statement.id}`;
  const digest = await digestOf(database, statement.id);
  if (!digest.sha256.equals(statement.sha256)) {
    return [{ subject, problem: "its bytes are not those of the file that was imported" }];
  }
  try {
    const layout = await layoutOf(database, statement, digest.head);
    const { providerNames } = await vocabularyOf(database, statement.accountId);
    return await compareRows(database, statement.id, async (comparison) => {
      const read = (conflicts: ReadonlySet<string>) =>
        readAgain(database, statement, { layout, providerNames, conflicts }, comparison);
      let outcome = await read(new Set());
      if (outcome.conflicts.size > 0) {
        await comparison.restart();
        outcome = await read(outcome.conflicts);
      }
      return [...(await comparison.differences()), ...compareFigures(statement, outcome)];
    });
  } catch (error) {
    if (!(error instanceof FileProblemError)) throw error;
    return [{ subject, problem: `its bytes cannot be read as they were: ${error.message}` }];
  }
}

async function* bytesOf(database: Database, statementId: number): AsyncGenerator<Buffer> {
  for await (const part of readFileParts(database, statementId)) yield await gunzipAsync(part);
}

async function digestOf(database: Database, statementId: number) {
  const sha256 = createHash("sha256");
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bytesOf(database, statementId)) {
    if (bytes < headBytesMax) head.push(piece);
    bytes += piece.length;
    sha256.update(piece);
  }
  return { sha256: sha256.digest(), head: Buffer.concat(head).subarray(0, headBytesMax) };
}

/** With the very profile that is kept with the statement, the words of its provider included. */
async function layoutOf(database: Database, statement: StoredStatement, head: Buffer): Promise<Layout> {
  const { id, encoding, fileName, provider } = statement;
  const profile = statement.profileUsed as Profile;
  const question = { fileName, profiles: [profile], provider, profileName: profile.name };
  if (encoding === workbookEncoding) return (await recogniseWorkbook(bytesOf(database, id), question)).layout;
  return recogniseLayout({ ...question, head: decodeHead(head, encoding) });
}

async function readAgain(
  database: Database,
  { id, encoding, provider }: StoredStatement,
  options: Omit<Parameters<typeof readFile>[1], "provider">,
  comparison: RowComparison,
): Promise<FileOutcome> {
  const reading = readFile(() => readText(bytesOf(database, id), { encoding, layout: options.layout }), {
    ...options,
    provider,
  });
  for await (const batch of reading.batches()) await comparison.add(batch);
  return reading.outcome();
}

function compareFigures(statement: StoredStatement, { counts, totals }: FileOutcome): Mismatch[] {
  const kept = [
    [statement.rowsOfFile, counts.file],
    [statement.rowsRead, counts.read],
    [statement.blankRows, counts.blank],
    [JSON.parse(JSON.stringify(statement.totals)), JSON.parse(JSON.stringify(totals.totals()))],
  ];
  if (kept.every(([held, found]) => isDeepStrictEqual(held, found))) return [];
  return [
    { subject: `statement ${statement.id}`, problem: "its counts or totals are not those of its file" },
  ];
}
