import { readFileSync } from "node:fs";
import { parseDurationMs } from "./core/duration.ts";
import { TieoutError } from "./core/errors.ts";
import { withTls } from "./core/network.ts";
import { notATime, parseTime } from "./core/period.ts";
import { quote } from "./core/quote.ts";
import { secret, type Secret } from "./core/secret.ts";

/** Variables by name; `config.ts` alone says where they come from. */
export type Environment = Readonly<Record<string, string | undefined>>;

const postgresForm = "postgres://user:password@host/db";
export const postgresAddress = { protocols: ["postgres:", "postgresql:"], example: postgresForm };

// Both make the driver accept any certificate, and so anyone who answers.
const uncheckedTls = /[?&](sslmode=no-verify|uselibpqcompat=true)\b/i;

export type Reader = ReturnType<typeof createReader>;

export function createReader(env: Environment, problems: string[]) {
  function text(name: string): string | null {
    const value = env[name]?.trim();
    return value === undefined || value === "" ? null : value;
  }

  function secretText(name: string): string | null {
    const fileName = `${name}_FILE`;
    const file = text(fileName);
    if (file === null) return text(name);
    if (text(name) !== null) {
      problems.push(`${name}: given twice, directly and as ${fileName}; keep one`);
      return null;
    }
    try {
      const content = readFileSync(file, "utf8").trim();
      if (content !== "") return content;
      problems.push(`${fileName}: the file ${file} is empty`);
    } catch (error) {
      problems.push(`${fileName}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    }
    return null;
  }

  return {
    text,
    secretText,
    secret(name: string): Secret | null {
      const value = secretText(name);
      return value === null ? null : secret(value);
    },
    /** Under which name it was given. */
    /** What to do when these secrets are refused. */
    secretAdvice: (...names: readonly string[]): string =>
      howToCorrect(names.map((name) => (text(`${name}_FILE`) === null ? name : `${name}_FILE`))),
    connection(name: string, { protocols, example }: typeof postgresAddress): Secret | null {
      const value = secretText(name);
      if (value === null) return null;
      // The value may hold a password, so the message shows the expected form and never what was found.
      if (!protocols.includes(protocolOf(value))) {
        problems.push(`${name}: expected an address such as ${example}, found something else (not shown)`);
      }
      if (uncheckedTls.test(value)) {
        problems.push(
          `${name}: says not to check the server's certificate; use sslmode=verify-full, with sslrootcert=FILE for one of your own`,
        );
      }
      if (protocols !== postgresAddress.protocols) return secret(value);
      for (const { parameter, file } of tlsFiles(value)) {
        try {
          readFileSync(file);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          problems.push(`${name}: cannot read ${file} of ${parameter} (${code})`);
        }
      }
      return secret(withTls(value));
    },
    integer<Fallback extends number | null>(
      name: string,
      { fallback, min, max }: { fallback: Fallback; min: number; max: number },
    ): number | Fallback {
      const value = text(name);
      if (value === null) return fallback;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      problems.push(`${name}: expected a whole number from ${min} to ${max}, found ${quote(value)}`);
      return fallback;
    },
    durationMs(name: string, fallback: string): number {
      const value = text(name) ?? fallback;
      const parsed = parseDurationMs(value);
      if (parsed === null)
        problems.push(`${name}: expected a duration such as ${fallback}, found ${quote(value)}`);
      return parsed ?? 0;
    },
    instant(name: string): string | null {
      const value = text(name);
      if (value === null) return null;
      const instant = parseTime(value);
      if (instant === null) problems.push(`${name}: ${notATime(value)}`);
      return instant;
    },
    oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
      const value = text(name);
      if (value === null) return fallback;
      const found = allowed.find((one) => one === value);
      if (found === undefined)
        problems.push(`${name}: expected one of ${allowed.join(", ")}, found ${quote(value)}`);
      return found ?? fallback;
    },
  };
}

/** The driver would read them at the first connection, and fail without saying for whom. */
function tlsFiles(address: string): { parameter: string; file: string }[] {
  if (!URL.canParse(address)) return [];
  const { searchParams } = new URL(address);
  return ["sslrootcert", "sslcert", "sslkey"].flatMap((parameter) => {
    const file = searchParams.get(parameter);
    return file === null || file === "" ? [] : [{ parameter, file }];
  });
}

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol : "";
}

/** All of them at once, one a line. */
export function configError(problems: string[]): TieoutError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${problem}`).join("\n");
  return new TieoutError("config_invalid", `${count} in the configuration:\n${lines}`);
}

/** What is in a file is read again while the service runs; a variable is not. */
function howToCorrect(names: readonly string[]): string {
  const inFiles = names.filter((name) => name.endsWith("_FILE")).length;
  const which = names.join(" or ");
  if (inFiles === 0) return `correct ${which}, and start again`;
  const again = "is read again within seconds";
  return inFiles === names.length
    ? `correct ${which}: it ${again}`
    : `correct ${which}: the file ${again}, the variable at the next start`;
}
