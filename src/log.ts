import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { pino, type DestinationStream, type Logger } from "pino";

export type Log = Logger;

/**
 * Names whose values never reach a log line, wherever in a logged object they stand. Messages and addresses carry no
 * secrets in the first place; this is the second net.
 */
const secretKeys = [
  "apiKey",
  "apiSecret",
  "api_key",
  "api_secret",
  "authorization",
  "connectionString",
  "cookie",
  "databaseUrl",
  "key",
  "password",
  "redisUrl",
  "secret",
  "token",
  "walletAddress",
  "wallet_address",
  "x-service-secret",
];

const redactPaths: string[] = secretKeys.flatMap((key) => {
  const name = /^\w+$/.test(key) ? `.${key}` : `["${key}"]`;
  const bare = /^\w+$/.test(key) ? key : `["${key}"]`;
  return [bare, `*${name}`, `*.*${name}`, `*.*.*${name}`];
});

const currentRun = new AsyncLocalStorage<Readonly<Record<string, unknown>>>();

/** Every line that is written inside carries these ids, whatever writes it: what belongs to one run is found by them. */
export function inRun<T>(ids: Readonly<Record<string, unknown>>, work: () => Promise<T>): Promise<T> {
  return currentRun.run({ ...currentRun.getStore(), ...ids }, work);
}

/** Logs go to stderr: stdout is for data. Readable on a terminal, JSON lines otherwise. */
export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      base: null,
      mixin: () => ({ ...currentRun.getStore() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactPaths, censor: "[redacted]" },
      serializers: { err: (error: unknown) => serialiseError(error, withStacks.has(options.level)) },
    },
    options.destination ?? standardError(),
  );
}

/**
 * Message, code and causes; no other properties, because errors of drivers carry requests, parameters and headers. Where in
 * the program the world misbehaved helps few readers and fills the log; where the program itself did, it is what we need.
 */
function serialiseError(error: unknown, withStack: boolean, depth = 0): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(error.stack !== undefined && (withStack || defects.has(error.name)) ? { stack: error.stack } : {}),
    ...(error.cause === undefined || depth >= 3
      ? {}
      : { cause: serialiseError(error.cause, withStack, depth + 1) }),
  };
}

const withStacks: ReadonlySet<string> = new Set(["debug", "trace"]);
const defects: ReadonlySet<string> = new Set(["AssertionError", "RangeError", "ReferenceError", "TypeError"]);

function standardError(): DestinationStream {
  return (process.stderr.isTTY && prettyStream()) || pino.destination({ fd: 2, sync: true });
}

/** The formatter is a development package: a production install without it simply logs JSON. */
function prettyStream(): DestinationStream | null {
  try {
    const pretty = createRequire(import.meta.url)("pino-pretty") as (options: object) => DestinationStream;
    return pretty({
      destination: 2,
      sync: true,
      singleLine: true,
      ignore: "pid,hostname",
      translateTime: "SYS:HH:MM:ss",
    });
  } catch {
    return null;
  }
}
