import { quote } from "../core/quote.ts";
import { DAY } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import { formatInstant } from "../core/instant.ts";
import { sandboxDefaults, type SandboxOptions } from "../sandbox/options.ts";
import { type Dialect, parseDialect } from "../sandbox/transactions/dialect.ts";
import { type Faults, parseFaults } from "../sandbox/transactions/faults.ts";
import { countries } from "../sandbox/world/countries.ts";
import { createOptionReader, type OptionReader } from "./option-problems.ts";

/** The flags of `tieout sandbox` as they were typed. */
export interface SandboxFlags {
  port?: string;
  apiKey?: string;
  apiSecret?: string;
  apiSecretFile?: string;
  seed?: string;
  transactions?: string;
  from?: string;
  to?: string;
  live: boolean;
  latencyMs?: string;
  faults?: string;
  dialect?: string;
  timeScale?: string;
  country?: string;
  dataDir?: string;
  json: boolean;
}

/** What the sandbox is started with, nothing left to be filled in, so that it can be said. */
export interface SandboxPlan {
  readonly port: number;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly seed: string;
  readonly transactions: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly live: boolean;
  readonly dialect: Dialect;
  readonly faults: Faults;
  readonly timeScale: number;
  readonly defaultCountry: string;
}

const portDefault = 4010;

const transactionsMax = 1_000_000_000;

/** Without a time of its own the history ends today at midnight UTC: started again today, it is the same. */
const historyDays = 90;

export function readSandboxFlags(flags: SandboxFlags, now: () => number): SandboxPlan {
  const reader = createOptionReader();
  const whole = { min: 0, whole: true };
  const plan: SandboxPlan = {
    port: reader.number("--port", flags.port, { ...whole, max: 65_535 }) ?? portDefault,
    apiKey: reader.headerText("--api-key", flags.apiKey) ?? sandboxDefaults.apiKey,
    apiSecret:
      reader.secret("--api-secret", { text: flags.apiSecret, file: flags.apiSecretFile }) ??
      sandboxDefaults.apiSecret,
    seed: readSeed(reader, flags.seed),
    transactions:
      reader.number("--transactions", flags.transactions, { ...whole, max: transactionsMax }) ??
      sandboxDefaults.transactions,
    ...readHistory(reader, flags, now()),
    live: flags.live,
    dialect: readSwitches(reader, flags.dialect, parseDialect),
    faults: readFaults(reader, flags),
    timeScale:
      reader.number("--time-scale", flags.timeScale, { min: 0.001, max: 1_000_000, whole: false }) ??
      sandboxDefaults.timeScale,
    defaultCountry: readCountry(reader, flags.country),
  };
  if (flags.dataDir === "") reader.problem("--data-dir", "expected a folder");
  reader.assertUsable();
  return plan;
}

function readSeed(reader: OptionReader, text: string | undefined): string {
  if (text === undefined) return sandboxDefaults.seed;
  if (text === "" || text.length > 200) reader.problem("--seed", "expected 1 to 200 characters");
  return text;
}

function readHistory(
  reader: OptionReader,
  flags: SandboxFlags,
  nowMs: number,
): Pick<Required<SandboxOptions>, "fromMs" | "toMs"> {
  const from = reader.time("--from", flags.from);
  const toMs = reader.time("--to", flags.to) ?? Math.floor(nowMs / DAY) * DAY;
  const fromMs = from ?? Math.max(toMs - historyDays * DAY, 0);
  if (from !== undefined && from >= toMs) {
    const hint = flags.to === undefined ? "; give --to as well" : "";
    reader.problem("--from", `must lie before the end of the history, ${formatInstant(toMs)}${hint}`);
  }
  return { fromMs, toMs };
}

function readFaults(reader: OptionReader, flags: SandboxFlags): Faults {
  const faults = readSwitches(reader, flags.faults, parseFaults);
  const latencyMs = reader.number("--latency-ms", flags.latencyMs, { min: 0, max: 600_000, whole: true });
  if (latencyMs === undefined) return faults;
  if (faults["latency-ms"] > 0) {
    reader.problem("--latency-ms", "given twice, also in --faults; keep one");
  }
  return { ...faults, "latency-ms": latencyMs };
}

/** One switch at a time first: the room's own reader stops at the first mistake, and a person wants to see all. */
function readSwitches<T>(reader: OptionReader, text: string | undefined, parse: (text: string) => T): T {
  const parts = (text ?? "").split(",");
  const usable = parts.filter((part) => {
    try {
      parse(part);
      return true;
    } catch (error) {
      if (!(error instanceof TieoutError)) throw error;
      // Its messages begin with the name of the option.
      const [option = "", ...rest] = error.message.split(": ");
      reader.problem(`--${option}`, rest.join(": "));
      return false;
    }
  });
  return parse(usable.join(","));
}

function readCountry(reader: OptionReader, text: string | undefined): string {
  if (text === undefined) return sandboxDefaults.defaultCountry;
  const code = text.toUpperCase();
  const known = countries.map((country) => country.code);
  // Elsewhere nobody would offer anything, and the person would look for the fault in their own program.
  if (!known.includes(code)) {
    reader.problem("--country", `expected one of ${known.join(" ")}, found ${quote(text)}`);
  }
  return code;
}
