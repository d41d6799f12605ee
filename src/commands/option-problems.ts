import { mkdtempSync, readFileSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { usageError } from "../core/errors.ts";
import { type Instant, instantMs } from "../core/instant.ts";
import { notATime, parseTime } from "../core/period.ts";
import { quote } from "../core/quote.ts";

/** Reads the values of a command line and collects the problems, so that all are reported at once. */
export interface OptionReader {
  problem(option: string, what: string): void;
  number(option: string, text: string | undefined, bounds: NumberBounds): number | undefined;
  /** Milliseconds of a day or a time with its zone. */
  time(option: string, text: string | undefined): number | undefined;
  /** A key or secret: it must fit into a header, and it is not repeated when it does not. */
  headerText(option: string, text: string | undefined): string | undefined;
  /** Given directly or in a file, so that it need not stand in a list of processes. */
  secret(option: string, given: { text: string | undefined; file: string | undefined }): string | undefined;
  /** Throws when anything was wrong. */
  assertUsable(): void;
}

interface NumberBounds {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** One time, for commands that read few options. */
export function readTime(option: string, text: string | undefined): Instant | null {
  if (text === undefined) return null;
  const instant = parseTime(text);
  if (instant === null) throw usageError(`${option}: ${notATime(text)}`);
  return instant;
}

/**
 * Where a file will be written, checked before anything is computed. The finished file takes the place of what has its name, so a
 * link is followed to its file, and a device or pipe is refused: `--out /dev/null`, run as root, would leave a file there.
 */
export function placeToWrite(option: string, file: string, { folder: mayBeFolder = false } = {}): string {
  if (file === "") throw usageError(`${option}: name a file`);
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && !mayBeFolder)
    throw usageError(`${option}: ${file} is a folder: name a file in it`);
  if (there !== undefined && !there.isFile() && !there.isDirectory())
    throw usageError(`${option}: ${file} is a device or a pipe: name a file`);
  const folder = dirname(resolve(file));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageError(`${option}: there is no folder ${folder}: make it, or choose another`);
  const place = there === undefined ? file : realpathSync(file);
  assertWritable(option, there?.isDirectory() === true ? place : dirname(resolve(place)));
  return place;
}

/** By writing in it: what root may do, and where, no permission says. */
function assertWritable(option: string, folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, ".tieout-")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw usageError(
      `${option}: the folder ${folder} cannot be written (${code}): make it writable, or choose another`,
    );
  }
}

/** `--from` and `--to`, either of which may be missing. */
export function readPeriod(options: { from?: string; to?: string }): {
  from: Instant | null;
  to: Instant | null;
} {
  const period = { from: readTime("--from", options.from), to: readTime("--to", options.to) };
  if (period.from && period.to && period.from >= period.to)
    throw usageError("--to: must be later than --from");
  return period;
}

export function createOptionReader(): OptionReader {
  const problems: string[] = [];
  const problem = (option: string, what: string) => void problems.push(`${option}: ${what}`);

  function headerText(option: string, text: string | undefined): string | undefined {
    if (text === undefined || /^[\x21-\x7e]{1,512}$/.test(text)) return text;
    problem(option, "expected 1 to 512 visible ASCII characters without spaces");
    return undefined;
  }

  function readSecretFile(option: string, file: string): string | undefined {
    try {
      return headerText(option, readFileSync(file, "utf8").trim());
    } catch (error) {
      problem(option, `cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  }

  return {
    problem,
    headerText,
    number(option, text, { min, max, whole }) {
      if (text === undefined) return undefined;
      const form = whole ? /^\d{1,15}$/ : /^\d{1,15}(\.\d{1,9})?$/;
      const number = form.test(text) ? Number(text) : Number.NaN;
      if (number >= min && number <= max) return number;
      problem(
        option,
        `expected a ${whole ? "whole " : ""}number from ${min} to ${max}, found ${quote(text)}`,
      );
      return undefined;
    },
    time(option, text) {
      if (text === undefined) return undefined;
      const instant = parseTime(text);
      if (instant === null) problem(option, notATime(text));
      else if (instantMs(instant) < 0)
        problem(option, `expected a day or a time since 1970, found ${quote(text)}`);
      else return instantMs(instant);
      return undefined;
    },
    secret(option, { text, file }) {
      if (file === undefined) return headerText(option, text);
      if (text !== undefined) problem(option, `given twice, directly and as ${option}-file; keep one`);
      return readSecretFile(`${option}-file`, file);
    },
    assertUsable() {
      if (problems.length === 0) return;
      const [only = ""] = problems;
      const message =
        problems.length === 1
          ? only
          : `${problems.length} problems:\n${problems.map((each) => `  ${each}`).join("\n")}`;
      throw usageError(message);
    },
  };
}
