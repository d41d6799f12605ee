import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig, variableNames } from "../src/config.ts";
import { DAY, MINUTE, SECOND } from "../src/core/duration.ts";
import { TieoutError } from "../src/core/errors.ts";

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-config-"));
});

afterAll(() => rm(folder, { recursive: true }));

describe("the configuration", () => {
  test("is complete without any variable", () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      databaseUrl: null,
      readDatabaseUrl: null,
      redisUrl: null,
      accounts: null,
      host: "127.0.0.1",
      port: 8080,
      sync: {
        start: null,
        lagMs: 30 * SECOND,
        lookbackMs: 7 * DAY,
        intervalMs: 60 * SECOND,
        concurrency: 16,
        quoteSharePercent: 2,
      },
      logLevel: "info",
    });
    expect(config.dataDir).toMatch(/\.tieout$/);
  });

  test("reads every variable", () => {
    const config = readConfig({
      DATABASE_URL: "postgres://u:p@db/t",
      READ_DATABASE_URL: "postgres://u:p@replica/t",
      REDIS_URL: "redis://cache:6379",
      UPSTREAM_BASE_URL: "https://api.example/",
      UPSTREAM_LEGACY_BASE_URL: "https://old.example",
      UPSTREAM_API_KEY: "pk",
      UPSTREAM_API_SECRET: "sk",
      TIEOUT_DATA_DIR: "/data",
      HOST: "0.0.0.0",
      PORT: "9000",
      PUBLIC_URL: "https://tieout.example/",
      OIDC_ISSUER: "https://login.example",
      OIDC_CLIENT_ID: "books",
      OIDC_CLIENT_SECRET: "c",
      OIDC_ROLES: "finance=accountant, heads=controller",
      TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      AUDIT_SIGNING_KEY: "pem",
      AUDIT_HEADS_FILE: "/heads.jsonl",
      WEBHOOK_SIGNING_KEY: "signing",
      WEBHOOK_ALLOWED_NETWORKS: "10.1.0.0/16",
      UPSTREAM_WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      SMTP_URL: "smtps://u:p@mail.example",
      ALERTS_FROM: "tieout@example.com",
      ERASURE_KEY: "hex",
      BACKUP_DIR: "/backups",
      BACKUP_INTERVAL: "12h",
      BACKUP_KEEP: "3",
      LAKE_DIR: "/lake",
      LAKE_INTERVAL: "15m",
      RETAIN_EXPORTS: "2d",
      RETAIN_STATEMENT_FILES: "400d",
      CONFORMANCE_API_SECRET: "a",
      CONFORMANCE_OTHER_API_SECRET: "b",
      SYNC_START: "2026-01-01T00:00:00+01:00",
      SYNC_LAG: "2m",
      SYNC_LOOKBACK: "3d",
      SYNC_INTERVAL: "500ms",
      SYNC_CONCURRENCY: "4",
      QUOTE_SHARE_PERCENT: "5",
      LOG_LEVEL: "debug",
    });
    expect(config.databaseUrl?.reveal()).toBe("postgres://u:p@db/t?sslmode=verify-full");
    expect(config.readDatabaseUrl?.reveal()).toBe("postgres://u:p@replica/t?sslmode=verify-full");
    expect(config.publicUrl).toBe("https://tieout.example");
    expect(config.oidc).toMatchObject({ issuer: "https://login.example", clientId: "books" });
    expect(config.oidc?.clientSecret?.reveal()).toBe("c");
    expect(config.trustedProxies).toEqual(["10.0.0.0/8", "::1"]);
    expect([config.auditSigningKey?.reveal(), config.auditHeadsFile]).toEqual(["pem", "/heads.jsonl"]);
    expect([config.webhooks.signingKey?.reveal(), config.webhooks.allowedNetworks]).toEqual([
      "signing",
      ["10.1.0.0/16"],
    ]);
    expect(config.webhooks.upstreamSecrets.get("default")?.reveal()).toMatch(/^whsec_/);
    expect([config.mail.smtpUrl?.reveal(), config.mail.from]).toEqual([
      "smtps://u:p@mail.example",
      "tieout@example.com",
    ]);
    expect(config.erasureKey?.reveal()).toBe("hex");
    expect(config.backup).toEqual({ folder: "/backups", intervalMs: DAY / 2, keep: 3 });
    expect(config.lake).toEqual({ folder: "/lake", scheduled: true, intervalMs: 15 * MINUTE });
    expect(config.retention).toEqual({ statementFilesMs: 400 * DAY, exportsMs: 2 * DAY });
    expect(config.conformance.apiSecret?.reveal()).toBe("a");
    expect(config.conformance.otherApiSecret?.reveal()).toBe("b");
    expect(config.redisUrl?.reveal()).toBe("redis://cache:6379");
    expect(config.accounts?.[0]).toMatchObject({ name: "default", baseUrl: "https://api.example" });
    expect(config.accounts?.[0]?.legacyBaseUrl).toBe("https://old.example");
    expect(config).toMatchObject({ dataDir: "/data", host: "0.0.0.0", port: 9000, logLevel: "debug" });
    expect(config.sync).toEqual({
      start: "2025-12-31T23:00:00.000Z",
      lagMs: 120_000,
      lookbackMs: 3 * DAY,
      intervalMs: 500,
      concurrency: 4,
      quoteSharePercent: 5,
    });
  });

  test("files go to a bucket, with the variables that Amazon's own programs read", () => {
    const bucket = {
      FILES_URL: "s3://books.example/tieout/eu/",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "canary",
      AWS_SESSION_TOKEN: "canary",
      AWS_DEFAULT_REGION: "eu-west-1",
      AWS_ENDPOINT_URL: "https://store.example",
    };
    const { files, lake } = readConfig(bucket);
    expect(files).toMatchObject({
      kind: "s3",
      bucket: "books.example",
      prefix: "tieout/eu",
      region: "eu-west-1",
      endpoint: "https://store.example",
    });
    expect(inspect(files, { depth: 9, showHidden: true })).not.toContain("canary");
    expect(lake).toMatchObject({ folder: null, scheduled: false });
    expect(readConfig({ ...bucket, LAKE_INTERVAL: "1h" }).lake.scheduled).toBe(true);
    const nearer = { AWS_REGION: "eu-central-1", AWS_ENDPOINT_URL_S3: "https://s3.store.example" };
    expect(readConfig({ ...bucket, ...nearer }).files).toMatchObject({
      region: "eu-central-1",
      endpoint: "https://s3.store.example",
    });
    expect(readConfig({ FILES_URL: "file:///shared/tieout/" }).files).toEqual({
      kind: "folder",
      folder: "/shared/tieout",
    });
    // Set for other programs: no business of ours.
    expect(readConfig({ AWS_ENDPOINT_URL: "http://elsewhere", AWS_ACCESS_KEY_ID: "id" }).files).toBeNull();
  });

  test.each([
    [
      { FILES_URL: "s3://id:canary@bucket/x" },
      'FILES_URL: expected s3://bucket/prefix, or file:///folder, found "s3://…@bucket/x"',
    ],
    [{ FILES_URL: "s3://bucket/../x" }, "FILES_URL: expected s3://bucket/prefix"],
    [{ FILES_URL: "/shared" }, "FILES_URL: expected s3://bucket/prefix"],
    [
      { FILES_URL: "s3://bucket", AWS_ACCESS_KEY_ID: "id" },
      "AWS_SECRET_ACCESS_KEY: missing; a bucket in FILES_URL needs a key and its secret",
    ],
    [
      { FILES_URL: "s3://bucket", AWS_ENDPOINT_URL: "http://store.example" },
      "AWS_ENDPOINT_URL: expected an https address",
    ],
  ])("%j is a problem with files", (env, problem) => {
    const message = problemsOf(env);
    expect(message).toContain(problem);
    expect(message).not.toContain("canary");
  });

  test("a sign-in service needs an address of ours, a client and roles that exist", () => {
    const message = problemsOf({
      OIDC_ISSUER: "http://login.example",
      OIDC_CLIENT_ID: "x",
      OIDC_ROLES: "a=king",
    });
    for (const name of ["OIDC_ISSUER", "PUBLIC_URL", "OIDC_ROLES"]) expect(message).toContain(`  ${name}: `);
    expect(problemsOf({ OIDC_ISSUER: "https://login.example" })).toContain("OIDC_CLIENT_ID");
  });

  test("keeps the bytes of statements for 30 days at least, and for ever unless told otherwise", () => {
    expect(problemsOf({ RETAIN_STATEMENT_FILES: "29d" })).toContain(
      'RETAIN_STATEMENT_FILES: expected 30d or more, found "29d"',
    );
    expect(readConfig({}).retention.statementFilesMs).toBeNull();
  });

  test("reports all problems at once, by name", () => {
    const message = problemsOf({
      DATABASE_URL: "mysql://root:hunter2@db/t",
      PORT: "70000",
      SYNC_LAG: "2",
      SYNC_START: "yesterday",
      LOG_LEVEL: "loud",
      UPSTREAM_BASE_URL: "http://api.example",
    });
    expect(message).toMatch(/^8 problems in the configuration:/);
    for (const name of ["DATABASE_URL", "PORT", "SYNC_LAG", "SYNC_START", "LOG_LEVEL", "UPSTREAM_BASE_URL"]) {
      expect(message).toContain(`  ${name}: `);
    }
    expect(message).toContain('SYNC_LAG: expected a duration such as 30s, found "2"');
    expect(message).not.toContain("hunter2");
  });

  test.each(["sslmode=no-verify", "application_name=x&uselibpqcompat=true&sslmode=require"])(
    "refuses a database address that accepts any certificate (%s)",
    (option) => {
      const message = problemsOf({ DATABASE_URL: `postgres://anna:hunter2@db/t?${option}` });
      expect(message).toContain("DATABASE_URL: says not to check the server's certificate");
      expect(message).not.toContain("hunter2");
    },
  );

  test.each([
    ["postgres://u:p@db.example/t", "?sslmode=verify-full"],
    ["postgres://u:p@10.0.0.7:5432/t?application_name=x", "&sslmode=verify-full"],
    ["postgres://u:p@localhost.evil.example/t", "?sslmode=verify-full"],
    // This machine, or asked for in so many words.
    ["postgres://u:p@127.0.0.1:5432/t", ""],
    ["postgres://u:p@localhost/t", ""],
    ["postgres://u:p@[::1]/t", ""],
    ["postgres://u:p@socket/t?host=/var/run/postgresql", ""],
    ["postgres://u:p@db.example/t?sslmode=disable", ""],
    ["postgres://u:p@db.example/t?sslmode=verify-full&sslrootcert=package.json", ""],
  ])("a database elsewhere is spoken to over TLS: %s", (given, added) => {
    const config = readConfig({ DATABASE_URL: given, READ_DATABASE_URL: given });
    expect(config.databaseUrl?.reveal()).toBe(given + added);
    expect(config.readDatabaseUrl?.reveal()).toBe(given + added);
  });

  test("checks the certificate under every name for encrypted, and names a file that cannot be read", () => {
    for (const mode of ["prefer", "require", "verify-ca"]) {
      const { databaseUrl } = readConfig({ DATABASE_URL: `postgres://u:p@db.example/t?sslmode=${mode}` });
      expect(databaseUrl?.reveal()).toBe("postgres://u:p@db.example/t?sslmode=verify-full");
    }
    const address = "postgres://u:canary@db.example/t?sslmode=verify-full&sslrootcert=/absent.crt";
    expect(() => readConfig({ DATABASE_URL: address })).toThrow(
      "1 problem in the configuration:\n  DATABASE_URL: cannot read /absent.crt of sslrootcert (ENOENT)",
    );
  });

  test("names every proxy that is neither an address nor a network", () => {
    const message = problemsOf({ TRUSTED_PROXIES: "10.0.0.0/8,proxy.example, 10.0.0.0/33,*" });
    for (const wrong of ["proxy.example", "10.0.0.0/33", "*"]) expect(message).toContain(`"${wrong}"`);
    expect(message).not.toContain('"10.0.0.0/8"');
  });

  test("takes secrets from files, and refuses both at once", async () => {
    const file = join(folder, "secret");
    await writeFile(file, "postgres://u:fromfile@db/t\n");
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl?.reveal()).toBe(
      "postgres://u:fromfile@db/t?sslmode=verify-full",
    );
    expect(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: "postgres://x/y" })).toContain("given twice");
    expect(problemsOf({ REDIS_URL_FILE: join(folder, "absent") })).toContain("REDIS_URL_FILE: cannot read");
    const upstream = {
      UPSTREAM_BASE_URL: "https://a.example",
      UPSTREAM_API_KEY: "k",
      UPSTREAM_API_SECRET: "s",
    };
    const { UPSTREAM_API_SECRET: _, ...byFile } = { ...upstream, UPSTREAM_API_SECRET_FILE: file };
    const adviceOf = (given: NodeJS.ProcessEnv) => readConfig(given).accounts?.[0]?.credentialsAdvice;
    expect(adviceOf(upstream)).toBe("correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY, and start again");
    expect(adviceOf(byFile)).toContain(
      "the file is read again within seconds, the variable at the next start",
    );
    const twice = problemsOf({ ...upstream, UPSTREAM_API_SECRET_FILE: file });
    expect(twice.match(/UPSTREAM_API_SECRET: [a-z ]+/g)).toEqual(["UPSTREAM_API_SECRET: given twice"]);
  });

  test("never prints a secret", () => {
    const config = readConfig({
      DATABASE_URL: "postgres://u:canary-1@db/t",
      REDIS_URL: "redis://:canary-2@cache",
      UPSTREAM_BASE_URL: "https://api.example",
      UPSTREAM_API_KEY: "canary-3",
      UPSTREAM_API_SECRET: "canary-4",
    });
    const printed = [
      inspect(config, { depth: 9, showHidden: true }),
      JSON.stringify(config),
      config.redisUrl?.toString(),
    ];
    expect(printed.join()).not.toContain("canary");
  });

  test("knows the name of every variable it reads", () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    expect([...asked].filter((name) => !variableNames.includes(name))).toEqual([]);
    expect(variableNames.filter((name) => !asked.has(name))).toEqual([]);
  });
});

describe("the file of accounts", () => {
  test("holds several accounts", async () => {
    const file = await accountsFile([
      {
        name: "eu",
        baseUrl: "https://eu.example",
        apiKey: "a",
        apiSecret: "b",
        syncStart: "2026-01-01T00:00:00Z",
      },
      { name: "us", baseUrl: "http://127.0.0.1:9/", apiKey: "c", apiSecretFile: await writeSecret("d") },
    ]);
    const accounts = readConfig({ TIEOUT_ACCOUNTS_FILE: file }).accounts ?? [];
    expect(accounts.map(({ name, baseUrl, syncStart }) => [name, baseUrl, syncStart])).toEqual([
      ["eu", "https://eu.example", "2026-01-01T00:00:00.000Z"],
      ["us", "http://127.0.0.1:9", null],
    ]);
    expect(accounts[1]?.apiSecret.reveal()).toBe("d");
  });

  test("is warned about when it holds secrets and everyone on the machine can read it", async () => {
    const account = { name: "a", baseUrl: "https://a.example", apiKey: "k" };
    const open = await accountsFile([{ ...account, apiSecret: "canary" }]);
    const warningsOf = (file: string) => readConfig({ TIEOUT_ACCOUNTS_FILE: file }).warnings.join();
    await chmod(open, 0o644);
    expect(warningsOf(open)).toContain(`${open} holds secrets and every user of this machine can read it`);
    expect(warningsOf(open)).not.toContain("canary");
    await chmod(open, 0o600);
    expect(warningsOf(open)).toBe("");
    const apart = await accountsFile([{ ...account, apiSecretFile: await writeSecret("d") }]);
    await chmod(apart, 0o644);
    expect(warningsOf(apart)).toBe("");
  });

  test("is refused with the place of every problem, without its secrets", async () => {
    const file = await accountsFile([
      { name: "EU!", baseUrl: "http://eu.example", apiKey: "canary", apiSecret: "canary" },
      { name: "us", baseUrl: "https://us.example", apiKey: "canary" },
      { name: "x", baseUrl: "https://x.example", apiKey: "canary", apiSecret: "canary", colour: "red" },
    ]);
    const message = problemsOf({ TIEOUT_ACCOUNTS_FILE: file });
    expect(message).toContain("[0].name: use 1 to 40");
    expect(message).toContain("[0].baseUrl: expected an https address");
    expect(message).toContain("[1]: give either apiSecret or apiSecretFile");
    expect(message).toContain("[2]: has no field colour");
    expect(message).not.toContain("canary");
    const typed = await accountsFile([{ name: 5, baseUrl: "https://eu.example" }]);
    const words = problemsOf({ TIEOUT_ACCOUNTS_FILE: typed });
    expect(words).toContain("[0].name: must be a text, not a number");
    expect(words).toContain("[0].apiKey: is missing");
  });

  test("is refused when it is not JSON, without quoting it", async () => {
    const file = join(folder, "broken.json");
    await writeFile(file, '[{"apiSecret": "canary"');
    const message = problemsOf({ TIEOUT_ACCOUNTS_FILE: file });
    expect(message).toContain("is not JSON");
    expect(message).not.toContain("canary");
  });

  test("does not mix with a single account, nor hold a name twice", async () => {
    const one = { name: "a", baseUrl: "https://a.example", apiKey: "k", apiSecret: "s" };
    const file = await accountsFile([one, one]);
    expect(problemsOf({ TIEOUT_ACCOUNTS_FILE: file })).toContain('two accounts are named "a"');
    expect(problemsOf({ TIEOUT_ACCOUNTS_FILE: file, UPSTREAM_API_KEY: "k" })).toContain(
      "keep one of the two",
    );
  });
});

function problemsOf(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof TieoutError && error.code === "config_invalid") return error.message;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

async function accountsFile(accounts: object[]): Promise<string> {
  const file = join(folder, `accounts-${accounts.length}.json`);
  await writeFile(file, JSON.stringify(accounts));
  return file;
}

async function writeSecret(value: string): Promise<string> {
  const file = join(folder, "api-secret");
  await writeFile(file, `${value}\n`);
  return file;
}
