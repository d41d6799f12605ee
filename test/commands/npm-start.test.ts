import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { type Running, runTieout, startProcess, startTieout, withDataDir } from "../support/run-tieout.ts";
import { waitFor } from "../support/wait-for.ts";

describe("npm start", () => {
  test("begins on an empty folder, survives kill -9 with its data, and ends without leaving a process", async () => {
    await withDataDir(async (dataDir) => {
      const first = npmStart(dataDir);
      const url = await first.ready();
      await becomesReady(url);
      await insertAccount(dataDir);
      await first.stop("SIGKILL");
      const postgres = await postmaster(dataDir);
      expect(isAlive(postgres.pid)).toBe(true);

      const second = npmStart(dataDir);
      await becomesReady(await second.ready());
      expect(await accounts(dataDir)).toContain("kept");
      expect((await postmaster(dataDir)).pid).toBe(postgres.pid);

      const begun = performance.now();
      const { stderr } = await second.stop("SIGTERM");
      expect(performance.now() - begun).toBeLessThan(5_000);
      expect(stderr).toContain("Stopped.");
      expect(await processesOf(dataDir)).toEqual([]);
    });
  });

  test("says in a few lines what it does, and ends with the address", async () => {
    await withDataDir(async (dataDir) => {
      const running = startTieout(["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
      const url = await running.ready();
      const lines = running
        .output()
        .stderr.trim()
        .split("\n")
        .filter((line) => !line.startsWith("{"));
      expect(lines.length).toBeLessThanOrEqual(8);
      expect(lines.at(-1)).toBe(`Ready: open ${url}  (stop with Ctrl-C)`);
      expect((await fetch(url)).status).toBe(200);
      const stopped = await running.stop("SIGINT");
      expect([stopped.code, stopped.stdout]).toEqual([0, ""]);
    });
  });

  test("is refused a second time on the same folder, by the number of the process that holds it", async () => {
    await withDataDir(async (dataDir) => {
      const running = startTieout(["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
      const url = await running.ready();
      const { code, stderr } = await runTieout(["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
      expect(stderr).toMatch(`is in use by process ${running.child.pid}: stop that one`);
      expect(code).toBe(1);

      // Other commands may use the database meanwhile, and leave it running.
      const doctor = await runTieout(["doctor", "--json"], { TIEOUT_DATA_DIR: dataDir });
      expect(JSON.parse(doctor.stdout)).toMatchObject({
        status: "ready",
        checks: { heartbeat: { state: "ok" } },
      });
      expect(doctor.code).toBe(0);
      // Although the port was told to the first one only.
      const { stdout: link } = await runTieout(["people", "link"], { TIEOUT_DATA_DIR: dataDir });
      expect(link).toMatch(`${url}/sign-in?link=`);
      expect(isAlive((await postmaster(dataDir)).pid)).toBe(true);
      await running.stop();
      expect(await processesOf(dataDir)).toEqual([]);
    });
  });

  test("stays when its database is killed, and is ready again by itself", async () => {
    await withDataDir(async (dataDir) => {
      const running = startTieout(["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
      const url = await running.ready();
      process.kill((await postmaster(dataDir)).pid, "SIGKILL");
      await saidAtEnd(running, async () => {
        await waitFor(
          "it says that it is not ready",
          async () => (await fetch(`${url}/readyz`)).status === 503,
        );
        expect((await fetch(`${url}/livez`)).status).toBe(200);
        await becomesReady(url);
      });
      await running.stop();
      expect(await processesOf(dataDir)).toEqual([]);
    });
  });
});

describe("serve and work", () => {
  test("run apart, and the API says when no worker works", async () => {
    await withDataDir(async (dataDir) => {
      const env = { TIEOUT_DATA_DIR: dataDir, PORT: "0" };
      const api = startTieout(["serve"], env);
      const url = await api.ready();
      expect(await heartbeatState(url)).toBe("failing");
      expect((await fetch(`${url}/readyz`)).status).toBe(200);

      const worker = startTieout(["work"], env);
      await worker.says(/Ready\./);
      await waitFor("the heartbeat", async () => (await heartbeatState(url)) === "ok");
      await api.stop();
      expect(isAlive((await postmaster(dataDir)).pid)).toBe(true);
      await worker.stop();
      expect(await processesOf(dataDir)).toEqual([]);
    });
  });
});

test("doctor reports each check on a line of its own", async () => {
  await withDataDir(async (dataDir) => {
    const { code, stdout, stderr } = await runTieout(["doctor"], { TIEOUT_DATA_DIR: dataDir });
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => line.slice(9, 23).trim())).toEqual([
      "machine",
      "database",
      "writes",
      "migrations",
      "clock",
      "aggregator",
      "dates",
      "queue",
      "backup",
      "lake",
      "heartbeat",
      "connections",
      "files",
      "notify_queue",
      "notifications",
    ]);
    expect(stdout).toMatch(/^warning {2}heartbeat {5}no worker has run yet: start one with tieout work$/m);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await processesOf(dataDir)).toEqual([]);
  });
});

function npmStart(dataDir: string): Running {
  return startProcess("npm", ["start"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
}

/** A process that is gone answers nothing: what it said last is then all that is known. */
async function saidAtEnd(running: Running, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw new Error(`it said: ${running.output().stderr.slice(-4_000)}`, { cause: error });
  });
}

async function becomesReady(url: string): Promise<void> {
  await waitFor("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200);
}

async function heartbeatState(url: string): Promise<string | undefined> {
  const report = (await (await fetch(`${url}/readyz`)).json()) as {
    checks?: { heartbeat?: { state: string } };
  };
  return report.checks?.heartbeat?.state;
}

async function postmaster(dataDir: string): Promise<{ pid: number; port: number }> {
  const lines = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n");
  return { pid: Number(lines[0]), port: Number(lines[3]) };
}

async function withClient<T>(dataDir: string, use: (client: Client) => Promise<T>): Promise<T> {
  const password = await readFile(join(dataDir, "owner-password"), "utf8");
  const { port } = await postmaster(dataDir);
  const client = new Client({ host: "127.0.0.1", port, user: "tieout", password, database: "tieout" });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function insertAccount(dataDir: string): Promise<void> {
  const statement =
    "insert into tieout.accounts (name, base_url, sync_start) values ('kept', 'https://x.example', now())";
  await withClient(dataDir, (client) => client.query(statement));
}

function accounts(dataDir: string): Promise<string[]> {
  return withClient(dataDir, async (client) => {
    const { rows } = await client.query<{ name: string }>("select name from tieout.accounts");
    return rows.map(({ name }) => name);
  });
}

/** Processes that work on this folder: what a start may not leave behind. */
async function processesOf(dataDir: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(dataDir));
}
