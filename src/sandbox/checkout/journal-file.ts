import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** An append-only file of JSON lines. */
export interface JournalFile {
  /** The lines that were there when it was opened. */
  readonly lines: readonly string[];
  /** Returns once the line would survive the end of the process. */
  append(line: string): void;
  close(): void;
}

/**
 * Opens or creates the file. A process that was killed while writing leaves half a line at the end; nobody was told
 * that it had been kept, so it is cut off, with a warning, and the next line starts on clean ground.
 */
export function openJournalFile(folder: string, warn: (message: string) => void): JournalFile {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "checkouts.jsonl");
  const file = openSync(path, "a+");
  const bytes = readFileSync(path);
  let size = bytes.lastIndexOf(0x0a) + 1;
  if (size < bytes.length) {
    warn(`${path}: dropped an unfinished last line of ${bytes.length - size} bytes`);
    ftruncateSync(file, size);
  }
  return {
    lines: bytes.toString("utf8", 0, size).split("\n").filter(Boolean),
    append(line) {
      const whole = Buffer.from(`${line}\n`);
      try {
        // One call for the whole line; a short write means that the disk is full.
        if (writeSync(file, whole) < whole.length) throw new Error(`${path}: could not write the whole line`);
        fdatasyncSync(file);
      } catch (error) {
        ftruncateSync(file, size);
        throw error;
      }
      size += whole.length;
    },
    close: () => closeSync(file),
  };
}
