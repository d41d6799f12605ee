import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  type AccountConfig,
  isSafeUrl,
  readAccountsFile,
  unsafeUrl,
  withoutTrailingSlash,
} from "./accounts-file.ts";
import { type BackupSettings, type LakeSettings, readBackup, readLake } from "./copies-settings.ts";
import { parseNetwork } from "./core/network.ts";
import { quote } from "./core/quote.ts";
import { secret, type Secret } from "./core/secret.ts";
import { fileSecretNames, type FilesSettings, fileVariableNames, readFiles } from "./files-settings.ts";
import { isWebhookSecret } from "./core/webhook-signature.ts";
import { type OidcConfig, readOidc } from "./oidc-settings.ts";
import { type Retention, readRetention } from "./retention-settings.ts";
import { readTrace, type TraceSettings, traceSecretNames, traceVariableNames } from "./trace-settings.ts";
import { configError, createReader, type Environment, postgresAddress, type Reader } from "./environment.ts";

/**
 * Everything that can be set from outside, read once. No other file reads the environment, so this one answers
 * "what can be configured?" completely.
 */
export interface Config {
  /** `null` means the embedded Postgres under `dataDir`. */
  databaseUrl: Secret | null;
  /** Reads that state their age may go here; `null` means the same database. */
  readDatabaseUrl: Secret | null;
  /** `null` means that the queue lives in Postgres. */
  redisUrl: Secret | null;
  /** `null` means the sandbox, which `up` starts by itself. */
  accounts: AccountConfig[] | null;
  dataDir: string;
  /** Where files go; `null`: folders in `dataDir`. */
  files: FilesSettings | null;
  host: string;
  port: number;
  /** Where `tieout work` tells how it is; `null`: nowhere. */
  workPort: number | null;
  /** The address by which people know the service; `null`: the one it listens on. */
  publicUrl: string | null;
  /** The company's own sign-in service; `null`: passkeys and links. */
  oidc: OidcConfig | null;
  /** Addresses and networks of proxies that are believed about who asks. */
  trustedProxies: string[];
  /** What heads of the audit log are signed with; `null`: a key in `dataDir`. */
  auditSigningKey: Secret | null;
  /** Where they are written down; `null`: in `dataDir`. */
  auditHeadsFile: string | null;
  webhooks: {
    /** What the secrets of endpoints are derived from; `null`: a key in `dataDir`. */
    signingKey: Secret | null;
    /** Private networks that webhooks may go to. */
    allowedNetworks: string[];
    /** What the aggregator signs its events with, by account. An account that is not here takes none. */
    upstreamSecrets: ReadonlyMap<string, Secret>;
  };
  mail: {
    /** The mail server; `null`: alerts are not sent by e-mail. */
    smtpUrl: Secret | null;
    from: string | null;
  };
  /** What digests of erased data are made with; `null`: a key in `dataDir`, with the embedded Postgres only. */
  erasureKey: Secret | null;
  /** Secrets of `tieout conformance`, which arguments would show to everyone on the machine. */
  conformance: { apiSecret: Secret | null; otherApiSecret: Secret | null };
  sync: {
    /** `null` means 90 days before the account was first seen. */
    start: string | null;
    /** How far behind the clock a window may end: records need time to become visible. */
    lagMs: number;
    /** How far back live windows look again: statuses change late. */
    lookbackMs: number;
    intervalMs: number;
    /** Requests in flight per account, at most. */
    concurrency: number;
    /** How much of the time that requests may take goes to asking for quotes, in percent; 0: none is asked for. */
    quoteSharePercent: number;
  };
  backup: BackupSettings;
  lake: LakeSettings;
  /** How long data is kept that need not be kept for ever. */
  retention: Retention;
  logLevel: LogLevel;
  /** Where traces go; `null`: nowhere. */
  trace: TraceSettings | null;
  /** What works, and should not stay so. */
  warnings: string[];
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
type LogLevel = (typeof logLevels)[number];

/** Variables that hold a secret; each may be given as `NAME_FILE` instead. */
const secretNames = [
  "DATABASE_URL",
  "READ_DATABASE_URL",
  "REDIS_URL",
  "UPSTREAM_API_KEY",
  "UPSTREAM_API_SECRET",
  "UPSTREAM_WEBHOOK_SECRET",
  "AUDIT_SIGNING_KEY",
  "OIDC_CLIENT_SECRET",
  "WEBHOOK_SIGNING_KEY",
  "SMTP_URL",
  "ERASURE_KEY",
  "CONFORMANCE_API_SECRET",
  "CONFORMANCE_OTHER_API_SECRET",
  ...fileSecretNames,
  ...traceSecretNames,
] as const;

/** Every variable, for the documentation and for the tests that compare it with `docker-compose.yml`. */
export const variableNames: readonly string[] = [
  ...secretNames,
  ...secretNames.map((name) => `${name}_FILE`),
  "UPSTREAM_BASE_URL",
  "UPSTREAM_LEGACY_BASE_URL",
  "TIEOUT_ACCOUNTS_FILE",
  "TIEOUT_DATA_DIR",
  ...fileVariableNames,
  ...traceVariableNames,
  "HOST",
  "PORT",
  "WORK_PORT",
  "PUBLIC_URL",
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_ROLES",
  "TRUSTED_PROXIES",
  "AUDIT_HEADS_FILE",
  "WEBHOOK_ALLOWED_NETWORKS",
  "ALERTS_FROM",
  "SYNC_START",
  "SYNC_LAG",
  "SYNC_LOOKBACK",
  "SYNC_INTERVAL",
  "SYNC_CONCURRENCY",
  "QUOTE_SHARE_PERCENT",
  "BACKUP_DIR",
  "BACKUP_INTERVAL",
  "BACKUP_KEEP",
  "LAKE_DIR",
  "LAKE_INTERVAL",
  "RETAIN_EXPORTS",
  "RETAIN_STATEMENT_FILES",
  "LOG_LEVEL",
];

/** Reads `.env` in the working folder, if there is one; the real environment wins over it. */
export function readProcessConfig(): Config {
  const envFile = resolve(".env");
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  return readConfig(process.env);
}

/** Whether a failure should be shown with its stack; asked also when the configuration itself could not be read. */
export function wantsStack(): boolean {
  return process.env["LOG_LEVEL"] === "debug" || process.env["LOG_LEVEL"] === "trace";
}

/** All problems are found before any is reported: nobody should have to fix a configuration one restart at a time. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const warnings: string[] = [];
  const reader = createReader(env, problems);
  const accounts = readAccounts(reader, problems, warnings);

  const config: Config = {
    databaseUrl: reader.connection("DATABASE_URL", postgresAddress),
    readDatabaseUrl: reader.connection("READ_DATABASE_URL", postgresAddress),
    redisUrl: reader.connection("REDIS_URL", {
      protocols: ["redis:", "rediss:"],
      example: "redis://host:6379",
    }),
    accounts,
    dataDir: resolve(reader.text("TIEOUT_DATA_DIR") ?? ".tieout"),
    files: readFiles(reader, problems),
    host: reader.text("HOST") ?? "127.0.0.1",
    port: reader.integer("PORT", { fallback: 8080, min: 0, max: 65_535 }),
    workPort: reader.integer("WORK_PORT", { fallback: null, min: 0, max: 65_535 }),
    publicUrl: readPublicUrl(reader, problems),
    oidc: readOidc(reader, problems),
    trustedProxies: readNetworks(reader, problems, "TRUSTED_PROXIES"),
    auditSigningKey: reader.secret("AUDIT_SIGNING_KEY"),
    auditHeadsFile: reader.text("AUDIT_HEADS_FILE"),
    webhooks: {
      signingKey: reader.secret("WEBHOOK_SIGNING_KEY"),
      allowedNetworks: readNetworks(reader, problems, "WEBHOOK_ALLOWED_NETWORKS"),
      upstreamSecrets: readUpstreamSecrets(reader, problems, accounts),
    },
    mail: {
      smtpUrl: reader.connection("SMTP_URL", {
        protocols: ["smtp:", "smtps:"],
        example: "smtps://user:password@mail.example:465",
      }),
      from: reader.text("ALERTS_FROM"),
    },
    erasureKey: reader.secret("ERASURE_KEY"),
    conformance: {
      apiSecret: reader.secret("CONFORMANCE_API_SECRET"),
      otherApiSecret: reader.secret("CONFORMANCE_OTHER_API_SECRET"),
    },
    sync: {
      start: reader.instant("SYNC_START"),
      lagMs: reader.durationMs("SYNC_LAG", "30s"),
      lookbackMs: reader.durationMs("SYNC_LOOKBACK", "7d"),
      intervalMs: reader.durationMs("SYNC_INTERVAL", "60s"),
      concurrency: reader.integer("SYNC_CONCURRENCY", { fallback: 16, min: 1, max: 256 }),
      quoteSharePercent: reader.integer("QUOTE_SHARE_PERCENT", { fallback: 2, min: 0, max: 25 }),
    },
    backup: readBackup(reader),
    lake: readLake(reader),
    retention: readRetention(reader, problems),
    logLevel: reader.oneOf("LOG_LEVEL", logLevels, "info"),
    trace: readTrace(reader, problems),
    warnings,
  };

  if (config.mail.smtpUrl && config.mail.from === null)
    problems.push("ALERTS_FROM: missing; e-mail needs a sender, such as tieout@example.com");
  if (config.readDatabaseUrl && !config.databaseUrl) {
    problems.push("READ_DATABASE_URL: needs DATABASE_URL as well; a replica alone cannot be written to");
  }
  if (problems.length > 0) throw configError(problems);
  return config;
}

function readPublicUrl(reader: Reader, problems: string[]): string | null {
  const value = reader.text("PUBLIC_URL");
  if (value === null) return null;
  if (isSafeUrl(value)) return withoutTrailingSlash(value);
  problems.push(`PUBLIC_URL: ${unsafeUrl(value)}`);
  return null;
}

function readNetworks(reader: Reader, problems: string[], name: string): string[] {
  const given = (reader.text(name) ?? "").split(/\s*,\s*/).filter((entry) => entry !== "");
  const wrong = given.filter((entry) => parseNetwork(entry) === null);
  if (wrong.length === 0) return given;
  const found = wrong.map((entry) => quote(entry)).join(", ");
  problems.push(`${name}: expected addresses or networks with commas, such as 10.0.0.0/8, found ${found}`);
  return [];
}

/** Also without an account: a process that only answers requests needs no key of the aggregator. */
function readUpstreamSecrets(
  reader: Reader,
  problems: string[],
  accounts: readonly AccountConfig[] | null,
): ReadonlyMap<string, Secret> {
  const direct = reader.secretText("UPSTREAM_WEBHOOK_SECRET");
  if (direct !== null && !isWebhookSecret(direct))
    problems.push("UPSTREAM_WEBHOOK_SECRET: expected whsec_ and 24 to 64 bytes in base64 (not shown)");
  const ofAccounts = (accounts ?? []).flatMap(({ name, webhookSecret }) =>
    webhookSecret === null ? [] : [[name, webhookSecret] as const],
  );
  return new Map([...(direct === null ? [] : [["default", secret(direct)] as const]), ...ofAccounts]);
}

function readAccounts(reader: Reader, problems: string[], warnings: string[]): AccountConfig[] | null {
  const file = reader.text("TIEOUT_ACCOUNTS_FILE");
  const baseUrl = reader.text("UPSTREAM_BASE_URL");
  const legacyBaseUrl = reader.text("UPSTREAM_LEGACY_BASE_URL");
  const apiKey = reader.secretText("UPSTREAM_API_KEY");
  const apiSecret = reader.secretText("UPSTREAM_API_SECRET");
  const anyDirect = [baseUrl, legacyBaseUrl, apiKey, apiSecret].some((value) => value !== null);

  if (file !== null) {
    if (anyDirect) problems.push("TIEOUT_ACCOUNTS_FILE: given together with UPSTREAM_…; keep one of the two");
    return readAccountsFile(file, problems, warnings);
  }
  if (!anyDirect) return null;

  const given = { UPSTREAM_BASE_URL: baseUrl, UPSTREAM_API_KEY: apiKey, UPSTREAM_API_SECRET: apiSecret };
  for (const [name, value] of Object.entries(given)) {
    if (value === null && !problems.some((said) => said.startsWith(name)))
      problems.push(`${name}: missing; an aggregator needs its address, its key and its secret`);
  }
  for (const [name, value] of Object.entries({
    UPSTREAM_BASE_URL: baseUrl,
    UPSTREAM_LEGACY_BASE_URL: legacyBaseUrl,
  })) {
    if (value !== null && !isSafeUrl(value)) problems.push(`${name}: ${unsafeUrl(value)}`);
  }
  if (baseUrl === null || apiKey === null || apiSecret === null) return null;
  return [
    {
      name: "default",
      baseUrl: withoutTrailingSlash(baseUrl),
      legacyBaseUrl: legacyBaseUrl === null ? null : withoutTrailingSlash(legacyBaseUrl),
      apiKey: secret(apiKey),
      apiSecret: secret(apiSecret),
      credentialsAdvice: reader.secretAdvice("UPSTREAM_API_SECRET", "UPSTREAM_API_KEY"),
      syncStart: null,
      webhookSecret: null,
    },
  ];
}
