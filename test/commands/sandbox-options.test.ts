import { describe, expect, test } from "vitest";
import { readSandboxFlags, type SandboxFlags } from "../../src/commands/sandbox-options.ts";
import { plainDialect } from "../../src/sandbox/transactions/dialect.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { plainAccount } from "../../src/sandbox/accounts/account.ts";
import { sandboxDefaults } from "../../src/sandbox/options.ts";
import { noTrouble } from "../../src/sandbox/trouble/trouble.ts";

const now = () => Date.parse("2026-11-15T02:30:00Z");
const off = {
  live: false,
  json: false,
  control: false,
  trustProxy: false,
  quoteErrors: false,
  echoFields: false,
};
const read = (flags: Partial<SandboxFlags>) => readSandboxFlags({ ...off, ...flags }, now);
const plain = (apiKey: string, apiSecret: string) => plainAccount("default", { apiKey, apiSecret });

describe("the flags of the sandbox", () => {
  test("may all be left out", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 4010,
      accounts: [plain("pk_sandbox", "sk_sandbox")],
      seed: "tieout",
      transactions: 10_000,
      fromMs: Date.parse("2026-08-17T00:00:00Z"),
      toMs: Date.parse("2026-11-15T00:00:00Z"),
      live: false,
      dialect: plainDialect,
      faults: noFaults,
      trouble: noTrouble,
      control: false,
      timeScale: 60,
      sessionSeconds: 600,
      defaultCountry: "US",
      trustForwardedFor: false,
      quoteErrors: false,
      extraFields: false,
    });
  });

  test("mean what they say", () => {
    const plan = read({
      host: "0.0.0.0",
      port: "0",
      publicUrl: "https://sandbox.example/",
      apiKey: "k",
      apiSecret: "s",
      seed: "7",
      transactions: "10000000",
      from: "2026-01-01",
      to: "2026-02-01T12:00:00+02:00",
      live: true,
      latencyMs: "20",
      faults: "429=0.05, reset = 0.01",
      dialect: "last-cursor=null,window=creation",
      timeScale: "0.5",
      country: "de",
      sessionLife: "90s",
      control: true,
      trustProxy: true,
      countryHeader: "CF-IPCountry",
      quoteErrors: true,
      echoFields: true,
      webhookUrl: "http://127.0.0.1:9000/events",
      addressCountries: "127.0.0.2=DE",
    });
    const webhook = { url: "http://127.0.0.1:9000/events", secret: sandboxDefaults.webhookSecret };
    expect(plan).toEqual({
      host: "0.0.0.0",
      port: 0,
      publicUrl: "https://sandbox.example",
      accounts: [{ ...plain("k", "s"), webhook }],
      seed: "7",
      transactions: 10_000_000,
      fromMs: Date.parse("2026-01-01T00:00:00Z"),
      toMs: Date.parse("2026-02-01T10:00:00Z"),
      live: true,
      dialect: { ...plainDialect, "last-cursor": "null", window: "creation" },
      faults: { ...noFaults, "429": 0.05, reset: 0.01, "latency-ms": 20 },
      trouble: noTrouble,
      control: true,
      timeScale: 0.5,
      sessionSeconds: 90,
      defaultCountry: "DE",
      countries: expect.anything(),
      trustForwardedFor: true,
      countryHeader: "CF-IPCountry",
      quoteErrors: true,
      extraFields: true,
    });
  });

  test.each<[string, Partial<SandboxFlags>, string | RegExp]>([
    [
      "a port that is none",
      { port: "http" },
      '--port: expected a whole number from 0 to 65535, found "http"',
    ],
    ["a port too high", { port: "65536" }, '--port: expected a whole number from 0 to 65535, found "65536"'],
    ["an empty key", { apiKey: "" }, /^--api-key: expected 1 to 512 visible ASCII characters/],
    ["a secret with a space", { apiSecret: "canary bird" }, /^--api-secret: expected 1 to 512 visible/],
    [
      "a secret file that is not there",
      { apiSecretFile: "/absent" },
      "--api-secret-file: cannot read /absent (ENOENT)",
    ],
    ["an empty seed", { seed: "" }, "--seed: expected 1 to 200 characters"],
    [
      "a negative history",
      { transactions: "-1" },
      /^--transactions: expected a whole number from 0 to 1000000000/,
    ],
    ["half a transaction", { transactions: "1.5" }, /^--transactions: .+ found "1.5"$/],
    ["a history in words", { transactions: "1e7" }, /^--transactions: .+ found "1e7"$/],
    [
      "a time without its zone",
      { from: "2026-01-01T00:00:00" },
      /^--from: not a day or a time: "2026-01-01T00:00:00"/,
    ],
    ["a day that does not exist", { to: "2026-02-30" }, /^--to: not a day or a time: "2026-02-30"/],
    ["a day before 1970", { from: "1969-12-31" }, /^--from: expected a day or a time since 1970/],
    [
      "an end before the start",
      { from: "2026-02-01", to: "2026-01-01" },
      "--from: must lie before the end of the history, 2026-01-01T00:00:00.000Z",
    ],
    [
      "a start after today without an end",
      { from: "2027-01-01" },
      "--from: must lie before the end of the history, 2026-11-15T00:00:00.000Z; give --to as well",
    ],
    ["a negative latency", { latencyMs: "-5" }, /^--latency-ms: expected a whole number from 0 to 600000/],
    [
      "two latencies",
      { latencyMs: "5", faults: "latency-ms=9" },
      "--latency-ms: given twice, also in --faults; keep one",
    ],
    ["an unknown fault", { faults: "gremlins=1" }, /^--faults: none is called "gremlins"; there are .*429/],
    ["a fault without a rate", { faults: "reset" }, '--faults: reset is a share between 0 and 1, not ""'],
    ["a rate above 1", { faults: "reset=5" }, '--faults: reset is a share between 0 and 1, not "5"'],
    [
      "an unknown switch",
      { dialect: "accent=irish" },
      /^--dialect: no switch "accent"; there are last-cursor/,
    ],
    [
      "an unknown word",
      { dialect: "order=sideways" },
      /^--dialect: order is one of ascending, .+, not "sideways"$/,
    ],
    ["time that stands still", { timeScale: "0" }, /^--time-scale: expected a number from 0.001 to 1000000/],
    ["a country nobody serves", { country: "UK" }, /^--country: expected one of .* GB .*, found "UK"$/],
    [
      "a public address that is none",
      { publicUrl: "here" },
      '--public-url: expected an http or https address, found "here"',
    ],
    [
      "endpoints that do not exist",
      { faults: "moon:429=1" },
      /^--faults: no endpoints are called "moon"; there are all, /,
    ],
    [
      "a fault of pages for quotes",
      { faults: "quotes:late=1" },
      /^--faults: none is called "late" for quotes/,
    ],
    [
      "an outage of nobody",
      { faults: "outage=mars" },
      /^--faults: outage is one or more of moonpay, .+ not "mars"$/,
    ],
    ["a session without end", { sessionLife: "2d" }, /^--session-life: expected a duration from 1s to 1d/],
    [
      "a header of anyone",
      { countryHeader: "cf-ipcountry" },
      "--country-header: needs --trust-proxy: anyone can send a header",
    ],
    [
      "an address that is none",
      { addressCountries: "localhost=DE" },
      '--address-countries: expected an address or a range such as 10.1.0.0/16, found "localhost"',
    ],
    [
      "a country that is none",
      { addressCountries: "10.0.0.0/8=UK" },
      '--address-countries: 10.0.0.0/8 is in "UK", which is not an ISO 3166-1 code',
    ],
    [
      "a weak secret",
      { webhookUrl: "http://a", webhookSecret: "whsec_AAAA" },
      /^--webhook-secret: expected whsec_/,
    ],
    ["accounts that are not there", { accounts: "/absent" }, /--accounts: cannot read \/absent \(ENOENT\)/],
    ["no folder", { dataDir: "" }, "--data-dir: expected a folder"],
  ])("%s is named", (_, flags, says) => {
    const { message } = problemOf(flags);
    expect(message).toMatch(says);
    expect(message).not.toContain("\n");
  });

  test("every problem is named at once, and no secret", () => {
    const flags = { port: "x", apiSecret: "canary bird", faults: "a=1,reset=2", dialect: "b=c" };
    const error = problemOf(flags);
    expect(error).toMatchObject({ code: "usage" });
    expect(error.message.split("\n").map((line) => line.split(": ")[0]?.trim())).toEqual([
      "5 problems:",
      "--port",
      "--api-secret",
      "--dialect",
      "--faults",
      "--faults",
    ]);
    expect(error.message).not.toContain("canary");
  });
});

function problemOf(flags: Partial<SandboxFlags>): Error {
  try {
    read(flags);
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was refused");
}
