import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DAY } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import { openFolder } from "../support/open-folder.ts";
import { runTieout, startTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

/** What a person sets, and what each of these tests changes of it. */
async function environment(database: { url: { reveal(): string } }, over: Record<string, string> = {}) {
  const { sandbox } = await openFrozenSandbox({ transactions: 60 });
  const env = {
    DATABASE_URL: database.url.reveal(),
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: sandbox.apiKey,
    UPSTREAM_API_SECRET: sandbox.apiSecret,
    SYNC_START: formatInstant(Date.now() - 4 * DAY),
    LOG_LEVEL: "silent",
    PORT: "0",
    ...over,
  };
  return { sandbox, env, wrong: { ...env, UPSTREAM_API_SECRET: "wrong" } };
}

const told =
  /key refused with "GET \/transactions: answered 401.*": correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY/;

describe("sync --once", () => {
  const database = useTestDatabase();

  test("has not been run yet: doctor asks by itself, and says what is wrong", async () => {
    const { env, wrong } = await environment(database);
    const connections = async (given: typeof env) => {
      const { code, stdout } = await runTieout(["doctor"], given);
      return `${/^.*connections.*$/m.exec(stdout)?.[0]}, ends with ${code}`;
    };
    expect(await connections(wrong)).toMatch(
      /^FAILING {2}connections +account default: .*answered 401.*: correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY, and start again, ends with 1$/,
    );
    expect(await connections({ ...env, UPSTREAM_BASE_URL: "http://127.0.0.1:9" })).toMatch(
      /^warning {2}connections +account default: .*: check UPSTREAM_BASE_URL or the account's baseUrl, and the network, ends with 0$/,
    );
    expect(await connections(env)).toMatch(/^ok {7}connections +accounts 1, ends with 0$/);
  });

  test("with a wrong secret ends with 1 and the variable; doctor says the same; corrected, it ends with 0", async () => {
    const { env, wrong } = await environment(database);
    const refused = await runTieout(["sync", "--once"], wrong);
    expect(refused.code).toBe(1);
    expect(refused.stdout.trim().split("\n")).toHaveLength(1);
    expect(refused.stdout).toMatch(/^default: NOT complete, .*; missing 20\S+Z to 20\S+Z: /);
    expect(refused.stdout).toMatch(told);
    expect(refused.stdout + refused.stderr).not.toContain("wrong\n");

    const doctor = await runTieout(["doctor"], env);
    expect(doctor.stdout).toMatch(
      /^warning {2}aggregator +account default: key refused since 20\S+Z: refused with/m,
    );
    expect(doctor.stdout).toContain("correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY");

    const read = await runTieout(["sync", "--once"], env);
    expect([read.code, read.stdout]).toEqual([
      0,
      expect.stringMatching(
        /^default: complete, [\d,]+ new status rows from [\d,]+ records on \d+ pages, [\d,]+ status rows in all$/m,
      ),
    ]);
    expect((await runTieout(["doctor"], env)).stdout).toMatch(/^ok {7}aggregator/m);
    const again = await runTieout(["sync", "--once"], env);
    expect(again.stdout).toMatch(
      /^default: complete, 0 new status rows from [\d,]+ records .*, \d\d+ status rows in all$/m,
    );
  });

  test("of an account in the accounts file names the file and the entry", async () => {
    const { sandbox, env } = await environment(database);
    const folder = await openFolder("tieout-accounts-");
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "accounts.json");
    const { UPSTREAM_BASE_URL: baseUrl, UPSTREAM_API_KEY: apiKey, DATABASE_URL, LOG_LEVEL } = env;
    await writeFile(
      file,
      JSON.stringify([{ name: "eu", baseUrl, apiKey, apiSecret: `${sandbox.apiSecret}x` }]),
    );
    const { code, stdout } = await runTieout(["sync", "--once"], {
      DATABASE_URL,
      LOG_LEVEL,
      TIEOUT_ACCOUNTS_FILE: file,
    });
    expect(code).toBe(1);
    expect(stdout).toContain(`correct apiSecret or apiKey of account "eu" in ${file} (TIEOUT_ACCOUNTS_FILE)`);
  });

  test("prints what is missing, and why, as JSON too", async () => {
    const { wrong } = await environment(database);
    const { code, stdout } = await runTieout(["sync", "--once", "--json"], wrong);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ account: "default", unfinished: { code: "refused" } }]);
  });

  test("with cursors that sometimes lead back ends with 0", async () => {
    const { sandbox, env } = await environment(database);
    sandbox.switches.faults = { ...noFaults, "cursor-loop": 0.3 };
    const { code, stdout } = await runTieout(["sync", "--once"], env);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^default: complete/)]);
  });
});

describe("up", () => {
  const database = useTestDatabase();

  test("with a wrong secret says so on the terminal and in /readyz; started again with the right one, it reads at once", async () => {
    const { env, wrong } = await environment(database, { SYNC_INTERVAL: "10m" });
    const refused = startTieout(["up"], wrong);
    onTestFinished(async () => void (await refused.stop("SIGKILL")));
    const url = await refused.ready();
    await refused.says(
      /Waiting: account default: key refused since 20\S+Z: refused with .*correct UPSTREAM_API_SECRET/,
    );
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      status: "ready",
      checks: {
        aggregator: {
          state: "failing",
          critical: false,
          reason: expect.stringContaining("correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY") as string,
        },
      },
    });
    await refused.stop();

    const corrected = startTieout(["up"], env);
    onTestFinished(async () => void (await corrected.stop("SIGKILL")));
    const address = await corrected.ready();
    await corrected.says(/In sync: default/, { timeoutMs: 40_000 });
    await waitFor("it is ready without a warning", async () => {
      const { checks } = (await (await fetch(`${address}/readyz`)).json()) as {
        checks: Record<string, { state: string }>;
      };
      return checks["aggregator"]?.state === "ok";
    });
    await corrected.stop();
  });
});
