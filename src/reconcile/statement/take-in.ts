import type { PoolClient } from "pg";
import { type IntakeTally, type IntakeTarget, openIntake } from "../../store/statements/statement-intake.ts";
import { keepBytes } from "./keep-bytes.ts";
import type { OpenedStatement } from "./open-statement.ts";
import { type FileOutcome, readFile } from "./read-file.ts";
import type { SheetNotes } from "../workbook/read-sheet.ts";
import { readText } from "./file-text.ts";

export interface TakenIn {
  readonly outcome: FileOutcome;
  readonly tally: IntakeTally;
  readonly notes: SheetNotes;
}

interface IntakeOptions {
  readonly target: IntakeTarget;
  readonly keepBytes: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the rows of a file. A file that has one unique key with two contents shows it only when the second comes, and
 * by then the first is written: such a file, and only such, is undone and read again without those rows.
 */
export async function takeIn(
  client: PoolClient,
  opened: OpenedStatement,
  options: IntakeOptions,
): Promise<TakenIn> {
  await client.query("savepoint before_rows");
  const first = await passThrough(client, opened, options, new Set());
  if (first.outcome.conflicts.size === 0) return first;
  await client.query("rollback to savepoint before_rows");
  return passThrough(client, opened, options, first.outcome.conflicts);
}

async function passThrough(
  client: PoolClient,
  { source, encoding, layout, provider, providerNames }: OpenedStatement,
  options: IntakeOptions,
  conflicts: ReadonlySet<string>,
): Promise<TakenIn> {
  const intake = await openIntake(client, options.target);
  const keep = (part: Promise<Buffer>) => intake.keepPart(part);
  const bytes = () => (options.keepBytes ? keepBytes(source.bytes(), keep) : source.bytes());
  const notes = { formulas: 0, hiddenRows: 0 };
  const reading = readFile(() => readText(bytes(), { encoding, layout, notes }), {
    layout,
    provider,
    providerNames,
    conflicts,
    signal: options.signal,
  });
  try {
    for await (const batch of reading.batches()) await intake.take(batch);
  } catch (error) {
    // What is still on its way must not be left running on a connection that others will use.
    await intake.finish().catch(() => undefined);
    throw error;
  }
  return { outcome: reading.outcome(), tally: await intake.finish(), notes };
}
