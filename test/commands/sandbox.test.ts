import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { checkoutIntentResponse } from "../../src/sandbox/current/checkout-schemas.ts";
import { type Running, runTieout, startTieout, withDataDir } from "../support/run-tieout.ts";
import { waitFor } from "../support/wait-for.ts";

/** Stopped after each test, also after one that failed before it came to that. */
const running = new Set<Running>();
afterEach(async () => {
  await Promise.all(Array.from(running, (each) => each.stop("SIGKILL")));
  running.clear();
});

const withSecret = { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" };

describe("tieout sandbox", () => {
  test("says both addresses and the key, serves both surfaces, and stops at Ctrl-C", async () => {
    await withDataDir(async (dataDir) => {
      const sandbox = startTieout(["sandbox", "--port", "0"], { TIEOUT_DATA_DIR: dataDir });
      running.add(sandbox);
      await sandbox.says(/Ready\. Stop with Ctrl-C\.\n/);
      const { stderr, stdout } = sandbox.output();
      const [, url = ""] = /^Current surface: (http:\/\/127\.0\.0\.1:\d+)$/m.exec(stderr) ?? [];
      expect(stderr).toContain(
        `Legacy surface: ${url}/legacy\nStart page: ${url}/\nKey: pk_sandbox\nSecret: sk_sandbox\n`,
      );
      expect(stderr).toMatch(/^History: 10,000 transactions from \S+ to \S+, seed "tieout"$/m);
      expect(stderr).toContain(`Checkouts: kept in ${join(dataDir, "sandbox")}\n`);
      expect(stdout).toBe("");
      expect((await fetch(`${url}/supported`)).status).toBe(200);
      expect((await fetch(`${url}/legacy/gateways`)).status).toBe(200);

      const stopped = await sandbox.stop("SIGINT");
      expect(stopped.code).toBe(0);
      expect(stopped.stderr).toMatch(/Stopping …\nStopped\.\n$/);
      await expect(fetch(`${url}/supported`)).rejects.toThrow("fetch failed");
    });
  });

  test("takes its key, secret, country, dialect and faults from the command line, and tells the secret to nobody", async () => {
    await withDataDir(async (dataDir) => {
      const secretFile = `${dataDir}-secret`;
      await writeFile(secretFile, "canary\n");
      const flags = [
        ["--api-key", "pk_mine"],
        ["--api-secret-file", secretFile],
        ["--country", "DE"],
        ["--transactions", "60"],
        ["--from", "2026-01-01"],
        ["--to", "2026-02-01"],
        ["--dialect", "pages=single,last-cursor=null"],
        ["--latency-ms", "1"],
      ];
      const { sandbox, baseUrl } = await start(flags.flat(), dataDir);
      const own = { authorization: "pk_mine", "x-service-secret": "canary" };
      const page = await ask(`${baseUrl}/transactions`, own);
      expect(page).toMatchObject({ transactions: [{ apiKey: "pk_mine" }], limit: 50 });
      expect(await ask(`${baseUrl}/transactions?transactionIds=none`, own)).toMatchObject({ cursor: null });
      expect(await ask(`${baseUrl}/legacy/gateways`, {})).toMatchObject({ localization: { country: "DE" } });
      expect((await fetch(`${baseUrl}/transactions`, { headers: withSecret })).status).toBe(401);
      const { code, stdout, stderr } = await sandbox.stop();
      expect(code).toBe(0);
      expect(stderr).toContain("Key: pk_mine\nSecret: as given\n");
      expect(stdout + stderr).not.toContain("canary");
    });
  });

  test("runs several times side by side, each with checkouts of its own", async () => {
    await withDataDir(async (dataDir) => {
      const all = await Promise.all([start(["--seed", "a"], dataDir), start(["--seed", "b"], dataDir)]);
      const paid = await checkoutAndPay(all[0].baseUrl);
      expect(await statusesOf(all[0].baseUrl, paid)).not.toEqual([]);
      expect(await statusesOf(all[1].baseUrl, paid)).toEqual([]);
      expect(all.map((each) => each.dataDir).toSorted()).toEqual([
        join(dataDir, "sandbox"),
        join(dataDir, "sandbox-2"),
      ]);
      const refused = await runTieout(["sandbox", "--port", "0", "--data-dir", all[0].dataDir]);
      expect(refused.stderr).toBe(
        `tieout: another sandbox uses ${all[0].dataDir}: stop that one, or choose another folder with --data-dir\n`,
      );
      expect(refused.code).toBe(1);
      await Promise.all(all.map(({ sandbox }) => sandbox.stop()));
    });
  });

  test("keeps what people did through kill -9", async () => {
    await withDataDir(async (dataDir) => {
      const flags = ["--data-dir", dataDir, "--time-scale", "100000"];
      const first = await start(flags, dataDir);
      const paid = await checkoutAndPay(first.baseUrl);
      await waitFor(
        "it is completed",
        async () => (await statusesOf(first.baseUrl, paid)).at(-1) === "completed",
      );
      await first.sandbox.stop("SIGKILL");
      // What a process leaves that is killed while it writes.
      const journal = join(dataDir, "checkouts.jsonl");
      const kept = await readFile(journal, "utf8");
      await writeFile(journal, `${kept}{"purchase":{"transacti`);

      const second = await start(flags, dataDir);
      expect(await statusesOf(second.baseUrl, paid)).toEqual(["new", "pending", "paid", "completed"]);
      const { stderr } = await second.sandbox.stop();
      expect(stderr).toMatch(/^Warning: \S+checkouts\.jsonl: dropped an unfinished last line of 23 bytes$/m);
      expect(await readFile(journal, "utf8")).toBe(kept);
    });
  });
});

describe("a sandbox that cannot start says why", () => {
  test("wrong values: one line each, exit code 2", async () => {
    const { code, stdout, stderr } = await runTieout(["sandbox", "--port", "x", "--country", "UK"]);
    expect(stderr).toMatch(/^tieout: 2 problems:\n {2}--port: .+\n {2}--country: .+\n$/);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("an unknown flag", async () => {
    const { code, stderr } = await runTieout(["sandbox", "--sead", "1"]);
    expect(stderr).toBe("tieout: unknown option '--sead'\n(Did you mean --seed?)\n");
    expect(code).toBe(2);
  });

  test("a wrong configuration: exit code 3", async () => {
    const { code, stderr } = await runTieout(["sandbox"], { LOG_LEVEL: "loud" });
    expect(stderr).toMatch(/^tieout: 1 problem in the configuration:\n {2}LOG_LEVEL: /);
    expect(code).toBe(3);
  });

  test("a port that is taken, and the folder is free again", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    await withDataDir(async (dataDir) => {
      const flags = ["sandbox", "--port", String(port), "--data-dir", dataDir];
      const { code, stderr } = await runTieout(flags);
      expect(stderr).toBe(`tieout: port ${port} is taken; choose another with --port\n`);
      expect(code).toBe(1);
      const { sandbox } = await start(["--data-dir", dataDir], dataDir);
      await sandbox.stop();
    });
    taken.close();
  });

  test("a data folder that cannot be made", async () => {
    await withDataDir(async (dataDir) => {
      await writeFile(dataDir, "");
      const { code, stderr } = await runTieout(["sandbox", "--port", "0", "--data-dir", join(dataDir, "x")]);
      expect(stderr).toBe(
        `tieout: the data folder ${join(dataDir, "x")} cannot be written (ENOTDIR): make it writable, or choose another with --data-dir\n`,
      );
      expect(code).toBe(1);
    });
  });
});

interface Started {
  sandbox: Running;
  baseUrl: string;
  dataDir: string;
}

/** Started as a script would: the addresses come from the line on stdout. */
async function start(flags: string[], dataDir: string): Promise<Started> {
  const args = ["sandbox", "--port", "0", "--transactions", "10", "--json", ...flags];
  const sandbox = startTieout(args, { TIEOUT_DATA_DIR: dataDir });
  running.add(sandbox);
  await sandbox.says(/Ready\./);
  const line = await waitFor("its line on stdout", () => /^\{.*\}\n$/.exec(sandbox.output().stdout)?.[0]);
  const { baseUrl, dataDir: folder } = JSON.parse(line) as { baseUrl: string; dataDir: string };
  return { sandbox, baseUrl, dataDir: folder };
}

async function ask(url: string, headers: Record<string, string>): Promise<unknown> {
  return (await fetch(url, { headers })).json();
}

async function checkoutAndPay(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/checkout/intent`, {
    method: "POST",
    headers: { authorization: "pk_sandbox", "content-type": "application/json" },
    body: JSON.stringify({
      onramp: "coinbase",
      source: "usd",
      destination: "usdc_base",
      amount: 50,
      wallet: { address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F" },
    }),
  });
  const { transactionId, url } = checkoutIntentResponse.parse(await response.json()).message
    .transactionInformation;
  await fetch(url, { method: "POST", body: new URLSearchParams({ decision: "pay" }) });
  return transactionId;
}

async function statusesOf(baseUrl: string, transactionId: string): Promise<string[]> {
  const url = `${baseUrl}/transactions?transactionIds=${transactionId}`;
  const { transactions } = (await ask(url, withSecret)) as { transactions: { status: string }[] };
  return transactions.map(({ status }) => status);
}
