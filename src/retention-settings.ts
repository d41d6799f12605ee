import { DAY } from "./core/duration.ts";
import { quote } from "./core/quote.ts";
import type { Reader } from "./environment.ts";

/** How long data is kept that need not be kept for ever. */
export interface Retention {
  /** The bytes of imported files; their rows and lines stay. `null`: for ever. */
  statementFilesMs: number | null;
  exportsMs: number;
}

/** Younger files are still needed: providers correct a month in the one after it. The database refuses less as well. */
const filesKeptMinMs = 30 * DAY;

export function readRetention(reader: Reader, problems: string[]): Retention {
  const name = "RETAIN_STATEMENT_FILES";
  const statementFilesMs = reader.text(name) === null ? null : reader.durationMs(name, "400d");
  if (statementFilesMs !== null && statementFilesMs < filesKeptMinMs)
    problems.push(`${name}: expected 30d or more, found ${quote(reader.text(name) ?? "")}`);
  return { statementFilesMs, exportsMs: reader.durationMs("RETAIN_EXPORTS", "7d") };
}
