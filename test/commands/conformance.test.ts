import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpServer } from "../support/http-server.ts";
import { runTieout, withDataDir } from "../support/run-tieout.ts";

let sandbox: RunningSandbox;
let account: string[];
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, now: Date.now, transactions: 500, apiSecret: "canary" });
  account = ["--api-key", sandbox.apiKey, "--api-secret", "canary"];
});
afterAll(() => sandbox.close());

const run = (...args: string[]) => runTieout(["conformance", ...args]);

describe("tieout conformance", () => {
  test("prints the table of a server that conforms, and exits 0", async () => {
    const earlier = ["--legacy-base-url", sandbox.legacyUrl];
    const only = ["--only", "supported,checkout,gateways"];
    const { code, stdout, stderr } = await run("--base-url", sandbox.url, ...earlier, ...account, ...only);
    expect(stdout).toMatch(/^GET \/supported\n {2}pass {4}supported\.is-json\n/);
    expect(stdout).toMatch(
      /\nhttp:\/\/127\.0\.0\.1:\d+: \d+ pass, 0 differ, \d+ not applicable, in [\d.]+ s\n$/,
    );
    expect(stdout).toMatch(/n\/a +checkout\.\S+ +writes; needs --allow-writes/);
    expect(stderr).toBe(`Checking ${sandbox.url} …\n`);
    expect(stdout + stderr).not.toContain("canary");
    expect(code).toBe(0);
  });

  test("exits 4 when something differs, and says it while it runs", async () => {
    const wrong = await startHttpServer(() => ({ body: { message: {} } }));
    const only = ["--only", "supported"];
    const { code, stdout, stderr } = await run("--base-url", wrong.url, ...account, ...only);
    await wrong.close();
    expect(stdout).toMatch(/^ {2}DIFFER {2}supported\.lists-crypto-and-fiat$/m);
    expect(stderr).toContain("Differs: supported.lists-crypto-and-fiat\n");
    expect(code).toBe(4);
  });

  test("prints the report as JSON, with the secret from a file and only the groups asked for", async () => {
    await withDataDir(async (file) => {
      await writeFile(file, "canary\n");
      const secret = ["--api-key", sandbox.apiKey, "--api-secret-file", file];
      const only = ["--only", "transaction, supported", "--json"];
      const { code, stdout } = await run("--base-url", `${sandbox.url}/`, ...secret, ...only);
      const report = JSON.parse(stdout) as { baseUrl: string; counts: object; results: { group: string }[] };
      expect(report).toMatchObject({ baseUrl: sandbox.url, legacyBaseUrl: null, counts: { differ: 0 } });
      expect([...new Set(report.results.map(({ group }) => group))]).toEqual(["supported", "transaction"]);
      expect(code).toBe(0);
    });
  });

  test("with --allow-writes also tries checkouts and purchases", async () => {
    const only = ["--only", "checkout.wrapped-in-message,steps.form.gives-the-next-step"];
    const flags = ["--allow-writes", ...only, "--legacy-base-url", sandbox.legacyUrl];
    const { code, stdout } = await run("--base-url", sandbox.url, ...account, ...flags);
    expect(stdout).toMatch(/pass +checkout\./);
    expect(stdout).toMatch(/pass +steps\./);
    expect(code).toBe(0);
  });
});

test("prints the report as a page", async () => {
  const flags = ["--only", "supported", "--html"];
  const { code, stdout } = await run("--base-url", sandbox.url, ...account, ...flags);
  expect(stdout).toMatch(/^<!doctype html>\n/);
  expect(stdout).toContain("<h2>Differences</h2>\n<p>None.</p>");
  expect(stdout).not.toContain("canary");
  expect(code).toBe(0);
});

describe("a suite that cannot begin says why", () => {
  test("nothing given: every missing thing is named", async () => {
    const { code, stdout, stderr } = await run();
    expect(stderr).toMatch(
      /^tieout: 3 problems:\n {2}--base-url: missing; .+\n {2}--api-key: missing; .+\n {2}--api-secret: missing; .+\n$/,
    );
    expect([code, stdout]).toEqual([2, ""]);
  });

  test.each([
    ["no address", ["--base-url", "aggregator"], /^tieout: --base-url: expected an https address/],
    [
      "plain http to another machine",
      ["--base-url", "http://203.0.113.7"],
      /^tieout: --base-url: expected an https/,
    ],
    [
      "a password in the address",
      ["--base-url", "https://u:canary@h"],
      /^tieout: --base-url: .+found "https:\/\/…@h"/,
    ],
    [
      "an unknown group",
      ["--base-url", "http://127.0.0.1", "--only", "refunds"],
      /^tieout: --only: expected a check or some of supported,.+ found "refunds"\n$/,
    ],
    [
      "a second account without its secret",
      ["--base-url", "http://127.0.0.1", "--other-api-key", "pk"],
      /^tieout: --other-api-secret: missing; the secret of that account\n$/,
    ],
    [
      "a second secret without its key",
      ["--base-url", "http://127.0.0.1", "--other-api-secret", "canary"],
      /^tieout: --other-api-key: missing; /,
    ],
    [
      "a secret among the arguments, for a server elsewhere",
      ["--base-url", "https://aggregator.example"],
      /^tieout: --api-secret: everyone on this machine can read arguments; use --api-secret-file\n$/,
    ],
    [
      "two kinds of report",
      ["--base-url", "http://127.0.0.1", "--json", "--html"],
      /^tieout: --html: given together with --json; keep one\n$/,
    ],
    [
      "an earlier address that is none",
      ["--base-url", "http://127.0.0.1", "--legacy-base-url", "x"],
      /^tieout: --legacy-base-url: /,
    ],
  ])("%s", async (_, flags, says) => {
    const { code, stdout, stderr } = await run(...flags, ...account);
    expect(stderr).toMatch(says);
    expect(stderr).not.toContain("canary");
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("a secret given twice, and a file that is not there", async () => {
    const file = ["--api-secret-file", join("/absent", "secret")];
    const { code, stderr } = await run("--base-url", sandbox.url, ...account, ...file);
    expect(stderr).toBe(
      "tieout: 2 problems:\n  --api-secret: given twice, directly and as --api-secret-file; keep one\n" +
        "  --api-secret-file: cannot read /absent/secret (ENOENT)\n",
    );
    expect(code).toBe(2);
  });

  test("nobody answers: exit code 1", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await run("--base-url", url, ...account);
    expect(stderr).toMatch(/\ntieout: http:\/\/127\.0\.0\.1:\d+ does not answer \(.+\); is it running\?\n$/);
    expect([code, stdout]).toEqual([1, ""]);
  });
});
