import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../store/database.ts";
import { unhurried } from "../../store/large-statements.ts";
import {
  compareRows,
  findStrangeStatements,
  type RowComparison,
} from "../../store/statements/statement-integrity.ts";
import { listStatementIds, findStatement, type StoredStatement } from "../../store/statements/statements.ts";
import { sealOfFile } from "../../store/erasure/erasure-integrity.ts";
import type { Mismatch } from "../../store/transactions/integrity.ts";
import { digestOf, type KeptFile, layoutOf, openKeptFile } from "./kept-file.ts";
import { parserVersion } from "./line-key.ts";
import { vocabularyOf } from "./own-profiles.ts";
import { type FileOutcome, readFile } from "./read-file.ts";
import { FileProblemError } from "./refusal.ts";
import { readText } from "./file-text.ts";

/** Reads every file that was kept once more, as it was read then, and compares all that came of it. */
export async function verifyStatements(
  database: Database,
  onProgress: (done: number, of: number) => void = () => undefined,
): Promise<Mismatch[]> {
  const mismatches = await unhurried(database, findStrangeStatements);
  const ids = await listStatementIds(database);
  for (const [done, id] of ids.entries()) {
    onProgress(done, ids.length);
    const statement = await findStatement(database, id);
    if (statement) mismatches.push(...(await verifyStatement(database, statement)));
  }
  return mismatches;
}

async function verifyStatement(database: Database, statement: StoredStatement): Promise<Mismatch[]> {
  const subject = `statement ${statement.id}`;
  const file = await openKeptFile(database, statement);
  const digest = await digestOf(file);
  if (file.isWhole && !(await isBytesOf(database, statement, digest.sha256))) {
    return [{ subject, problem: "its bytes are not those of the file that was imported" }];
  }
  try {
    const layout = await layoutOf(statement, file);
    const { providerNames } = await vocabularyOf(database, statement.accountId);
    return await compareRows(database, statement.id, async (comparison) => {
      const read = (conflicts: ReadonlySet<string>) =>
        readAgain(file, { layout, provider: statement.provider, providerNames, conflicts }, comparison);
      let outcome = await read(new Set());
      if (outcome.conflicts.size > 0) {
        await comparison.restart();
        outcome = await read(outcome.conflicts);
      }
      const differences = [...(await comparison.differences()), ...compareFigures(statement, outcome)];
      return statement.parserVersion < parserVersion ? differences.map(readOtherwise) : differences;
    });
  } catch (error) {
    if (!(error instanceof FileProblemError)) throw error;
    return [{ subject, problem: `its bytes cannot be read as they were: ${error.message}` }];
  }
}

/** It is not tampering where the rules have changed since, and what was read by the old ones may be wrong. */
export function readOtherwise({ subject, problem }: Mismatch): Mismatch {
  return {
    subject,
    problem: `${problem}; files are read more strictly now: withdraw it and import it again`,
  };
}

/** Rows that were erased are no longer in the file; what its bytes are since then is sealed, and in the audit log. */
async function isBytesOf(
  database: Database,
  { id, sha256 }: StoredStatement,
  found: Buffer,
): Promise<boolean> {
  const after = (await sealOfFile(database, id)) ?? sha256;
  return found.equals(after);
}

async function readAgain(
  file: KeptFile,
  options: Parameters<typeof readFile>[1],
  comparison: RowComparison,
): Promise<FileOutcome> {
  const reading = readFile(
    () => readText(file.bytes(), { encoding: file.encoding, layout: options.layout }),
    options,
  );
  for await (const batch of reading.batches()) await comparison.add(batch);
  return reading.outcome();
}

function compareFigures(statement: StoredStatement, { counts, totals, otherTable }: FileOutcome): Mismatch[] {
  if (otherTable !== null) return [{ subject: `statement ${statement.id}`, problem: otherTable }];
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
