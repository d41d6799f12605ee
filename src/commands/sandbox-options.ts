import { readFileSync } from "node:fs";
import { quote } from "../core/quote.ts";
import { DAY, parseDurationMs } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import { parseAddressCountries } from "../sandbox/country-of-address.ts";
import { sandboxDefaults, type SandboxOptions } from "../sandbox/options.ts";
import { parseDialect } from "../sandbox/transactions/dialect.ts";
import { parseAllFaults } from "../sandbox/trouble/trouble.ts";
import { countries } from "../sandbox/world/countries.ts";
import { createOptionReader, type OptionReader } from "./option-problems.ts";
import { type AccountFlags, attempt, readSandboxAccounts } from "./sandbox-accounts.ts";

/** The flags of `tieout sandbox` as they were typed. */
export interface SandboxFlags extends AccountFlags {
  host?: string;
  port?: string;
  publicUrl?: string;
  seed?: string;
  transactions?: string;
  from?: string;
  to?: string;
  live: boolean;
  latencyMs?: string;
  faults?: string;
  faultsFile?: string;
  control: boolean;
  dialect?: string;
  timeScale?: string;
  sessionLife?: string;
  country?: string;
  addressCountries?: string;
  trustProxy: boolean;
  countryHeader?: string;
  quoteErrors: boolean;
  echoFields: boolean;
  dataDir?: string;
  json: boolean;
}

/** What the sandbox is started with, nothing left to be filled in, so that it can be said. */
export type SandboxPlan = Required<Omit<SandboxOptions, NotFromFlags | NotAlways>> &
  Pick<SandboxOptions, NotAlways>;

type NotFromFlags =
  | "now"
  | "apiKey"
  | "apiSecret"
  | "clusterMs"
  | "dataDir"
  | "randomBytes"
  | "warn"
  | "onAnswer";
type NotAlways = "publicUrl" | "countries" | "countryHeader";

const portDefault = 4010;

const transactionsMax = 1_000_000_000;

/** Without a time of its own the history ends today at midnight UTC: started again today, it is the same. */
const historyDays = 90;

export function readSandboxFlags(flags: SandboxFlags, now: () => number): SandboxPlan {
  const reader = createOptionReader();
  const whole = { min: 0, whole: true };
  const publicUrl = readUrl(reader, "--public-url", flags.publicUrl);
  const finder =
    flags.addressCountries === undefined
      ? undefined
      : attempt(reader, () => parseAddressCountries(flags.addressCountries ?? ""));
  const plan: SandboxPlan = {
    host: flags.host ?? sandboxDefaults.host,
    port: reader.number("--port", flags.port, { ...whole, max: 65_535 }) ?? portDefault,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    accounts: readSandboxAccounts(reader, flags),
    seed: readSeed(reader, flags.seed),
    transactions:
      reader.number("--transactions", flags.transactions, { ...whole, max: transactionsMax }) ??
      sandboxDefaults.transactions,
    ...readHistory(reader, flags, now()),
    live: flags.live,
    dialect: readSwitches(reader, flags.dialect, parseDialect),
    ...readFaults(reader, flags),
    control: flags.control,
    timeScale:
      reader.number("--time-scale", flags.timeScale, { min: 0.001, max: 1_000_000, whole: false }) ??
      sandboxDefaults.timeScale,
    sessionSeconds: readSessionLife(reader, flags.sessionLife),
    defaultCountry: readCountry(reader, flags.country),
    ...(finder === undefined ? {} : { countries: finder }),
    trustForwardedFor: flags.trustProxy,
    ...readCountryHeader(reader, flags),
    quoteErrors: flags.quoteErrors,
    extraFields: flags.echoFields,
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

function readFaults(reader: OptionReader, flags: SandboxFlags): Pick<SandboxPlan, "faults" | "trouble"> {
  const fromFile = flags.faultsFile === undefined ? "" : readText(reader, "--faults-file", flags.faultsFile);
  // What the command line says comes later, and so counts.
  const { faults, trouble } = readSwitches(reader, `${fromFile},${flags.faults ?? ""}`, parseAllFaults);
  const latencyMs = reader.number("--latency-ms", flags.latencyMs, { min: 0, max: 600_000, whole: true });
  if (latencyMs === undefined) return { faults, trouble };
  if (faults["latency-ms"] > 0) {
    reader.problem("--latency-ms", "given twice, also in --faults; keep one");
  }
  return { faults: { ...faults, "latency-ms": latencyMs }, trouble };
}

function readText(reader: OptionReader, option: string, file: string): string {
  try {
    return readFileSync(file, "utf8")
      .replaceAll(/^\s*#.*$/gm, "")
      .replaceAll("\n", ",");
  } catch (error) {
    reader.problem(option, `cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    return "";
  }
}

/** One switch at a time first: the room's own reader stops at the first mistake, and a person wants to see all. */
function readSwitches<T>(reader: OptionReader, text: string | undefined, parse: (text: string) => T): T {
  const parts = (text ?? "").split(",");
  const usable = parts.filter((part) => attempt(reader, () => parse(part)) !== undefined);
  return parse(usable.join(","));
}

function readUrl(reader: OptionReader, option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, "");
  reader.problem(option, `expected an http or https address, found ${quote(text)}`);
  return undefined;
}

function readSessionLife(reader: OptionReader, text: string | undefined): number {
  if (text === undefined) return sandboxDefaults.sessionSeconds;
  const ms = parseDurationMs(text);
  if (ms !== null && ms >= 1000 && ms <= DAY) return ms / 1000;
  reader.problem("--session-life", `expected a duration from 1s to 1d such as 10m, found ${quote(text)}`);
  return sandboxDefaults.sessionSeconds;
}

function readCountryHeader(reader: OptionReader, flags: SandboxFlags): { countryHeader?: string } {
  const { countryHeader } = flags;
  if (countryHeader === undefined) return {};
  if (!/^[A-Za-z0-9-]{1,64}$/.test(countryHeader)) {
    reader.problem("--country-header", `expected the name of a header, found ${quote(countryHeader)}`);
  }
  if (!flags.trustProxy) reader.problem("--country-header", "needs --trust-proxy: anyone can send a header");
  return { countryHeader };
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
