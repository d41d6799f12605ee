import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { holdDataFolder } from "../../src/store/embedded/hold-data-folder.ts";
import { keepServerRunning } from "../../src/store/embedded/keep-running.ts";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { openFolder } from "../support/open-folder.ts";
import { waitFor } from "../support/wait-for.ts";

const asRoot = process.getuid?.() === 0;
let folder = "";
let dataDir = "";

beforeAll(async () => {
  folder = await openFolder("tieout-embedded-");
  dataDir = join(folder, "data");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the embedded Postgres", () => {
  test("is made once, and finds its data at the next start", async () => {
    const first = await start();
    expect(first).toMatchObject({ made: true, server: { started: true } });
    await query(first.url, "create table kept as select 42 as answer");
    await first.leave();
    expect(isAlive(first.server.pid)).toBe(false);

    const second = await start();
    expect(second.made).toBe(false);
    expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    await second.leave();
  });

  test.each([
    [
      "postmaster.pid",
      /bogus data in lock file "postmaster\.pid": "garbage": make sure that no Postgres runs on that folder, delete \S+postmaster\.pid, and start again \(see /,
    ],
    ["global/pg_control", /: its files are damaged.* go back to a backup with tieout backup restore \(see /],
  ])("says what helps when %s holds rubbish", async (name, says) => {
    const postgres = await start();
    await postgres.leave();
    const file = join(postgres.engine.cluster, name);
    const kept = await readFile(file).catch(() => null);
    const owner = await stat(join(file, ".."));
    await writeFile(file, "garbage\n".padEnd(kept?.length ?? 8, "x"));
    await chown(file, owner.uid, owner.gid);
    try {
      await expect(start()).rejects.toThrow(says);
    } finally {
      if (kept === null) await rm(file);
      else await writeFile(file, kept);
    }
  });

  test("keeps its passwords to itself, and the service does not know the superuser's", async () => {
    const passwords: string[] = [];
    for (const name of ["postgres-password", "owner-password", "service-password"]) {
      const { mode } = await stat(join(dataDir, name));
      expect(mode & 0o777).toBe(0o600);
      passwords.push(await readFile(join(dataDir, name), "utf8"));
    }
    for (const password of passwords) expect(password.length).toBeGreaterThan(24);
    expect(new Set(passwords).size).toBe(3);
    const postgres = await start();
    const asSuperuser = new URL(postgres.url);
    asSuperuser.username = "postgres";
    await expect(query(asSuperuser.href, "select 1")).rejects.toThrow("password authentication failed");
    await postgres.leave();
  });

  test("serves as an ordinary role, in UTF-8, from this machine only", async () => {
    const postgres = await start();
    expect(
      await query(
        postgres.url,
        `select rolsuper, current_setting('server_encoding') as encoding, current_setting('listen_addresses') as listens,
                current_setting('fsync') as fsync
         from pg_roles where rolname = current_user`,
      ),
    ).toEqual([{ rolsuper: false, encoding: "UTF8", listens: "127.0.0.1", fsync: "on" }]);
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal);
    expect(outside ? await answers(outside.address, postgres.server.port) : false).toBe(false);
    expect(await answers("127.0.0.1", postgres.server.port)).toBe(true);
    await postgres.leave();
  });

  test("that a killed process left running is used, not started over", async () => {
    const left = await start();
    const found = await start();
    expect(found.server).toMatchObject({ pid: left.server.pid, started: false });
    await found.leave();
    expect(isAlive(left.server.pid)).toBe(false);
  });

  test("starts again after it was killed itself, whoever has its process number now", async () => {
    const killed = await start();
    process.kill(killed.server.pid, "SIGKILL");
    await waitFor("it is gone", () => !isAlive(killed.server.pid));
    const pidFile = join(killed.engine.cluster, "postmaster.pid");
    const lines = (await readFile(pidFile, "utf8")).split("\n");
    await writeFile(pidFile, [String(process.pid), ...lines.slice(1)].join("\n"));

    const again = await start();
    expect(await query(again.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    await again.leave();
  });

  test("is brought back at its port when it ends while the service runs", async () => {
    const postgres = await start();
    const { pid, port } = postgres.server;
    const lost: string[] = [];
    const keeper = keepServerRunning(postgres, (error) => lost.push(error.message));
    process.kill(pid, "SIGKILL");
    await waitFor("another server runs", () => postgres.server.pid !== pid);
    keeper.stop();
    expect(postgres.server.port).toBe(port);
    expect(lost[0]).toContain("ended: starting it again");
    expect(await query(postgres.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    await postgres.leave();
  });

  test("is left running while another command uses it", async () => {
    const postgres = await start();
    const other = new Client({ connectionString: postgres.url, application_name: "tieout:main:1" });
    await other.connect();
    await postgres.leave();
    expect(isAlive(postgres.server.pid)).toBe(true);
    await other.end();
    await postgres.leave();
    expect(isAlive(postgres.server.pid)).toBe(false);
  });

  test("says which password file does not fit", async () => {
    const file = join(dataDir, "postgres-password");
    const right = await readFile(file, "utf8");
    const postgres = await start();
    await writeFile(file, "wrong");
    await expect(start()).rejects.toMatchObject({
      message: expect.stringContaining("does not belong to it") as string,
    });
    await writeFile(file, right);
    await postgres.leave();
  });
});

describe("making a database", () => {
  test("clears away what a killed one left, and leaves nothing when there is no room", async () => {
    const full = join(folder, "full");
    await mkdir(full, { mode: 0o711 });
    await mkdir(join(full, "postgres.partial-999999999-ab"));
    const { stderr, status } = spawnSync(
      "sh",
      // No file may grow beyond 1 MB: initdb meets a full disk, whoever runs this test.
      ["-c", `ulimit -f 2048; trap '' XFSZ; exec "$0" dist/tieout.js migrate`, process.execPath],
      { env: { PATH: process.env["PATH"], TIEOUT_DATA_DIR: full }, encoding: "utf8" },
    );
    expect(stderr).toContain("no room left to make the database");
    expect(stderr.trim()).toMatch(/^tieout: .*$/);
    expect(status).toBe(1);
    expect((await readdir(full)).filter((name) => name !== "postgres-password")).toEqual([]);
  });

  test("works where only its owner may enter", async () => {
    const home = join(folder, "home");
    await mkdir(home, { mode: 0o700 });
    await chmod(home, 0o700);
    const postgres = await startEmbeddedPostgres(join(home, "data"));
    expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await postgres.leave();
    // As root, Postgres runs as someone else, who cannot enter: its data is then kept elsewhere, always in one place.
    expect(postgres.engine.movedTo === null).toBe(!asRoot);
    const again = await startEmbeddedPostgres(join(home, "data"));
    expect(again).toMatchObject({ made: false, engine: { cluster: postgres.engine.cluster } });
    await again.leave();
    if (again.engine.movedTo) await rm(again.engine.movedTo, { recursive: true });
  });

  test("is done once when two commands start together", async () => {
    const shared = join(folder, "shared");
    const both = await Promise.all([startEmbeddedPostgres(shared), startEmbeddedPostgres(shared)]);
    expect(both[0].server.pid).toBe(both[1].server.pid);
    expect(await query(both[0].url, "select 1 as one")).toEqual([{ one: 1 }]);
    await both[1].leave();
  });
});

describe("the hold on a data folder", () => {
  test("is refused while its process lives, by number, and free again afterwards", async () => {
    const hold = await holdDataFolder(dataDir);
    await expect(holdDataFolder(dataDir)).rejects.toMatchObject({
      code: "data_folder_held",
      message: expect.stringContaining(`in use by process ${process.pid}`) as string,
    });
    await hold.release();
    const again = await holdDataFolder(dataDir);
    await again.release();
  });

  test.each([
    ["is dead", { pid: 999_999_999, started: "1", token: "t" }],
    ["has a number that another process has now", { pid: process.pid, started: "1", token: "t" }],
  ])("is taken over from a process that %s", async (_, holder) => {
    await writeFile(join(dataDir, "tieout.pid"), JSON.stringify(holder));
    const hold = await holdDataFolder(dataDir);
    expect(await readFile(join(dataDir, "tieout.pid"), "utf8")).toContain(`"pid":${process.pid}`);
    await hold.release();
  });

  test("goes to one of several that find a dead one", async () => {
    // It takes one who looks, and is slow to take, while another is already there: one round seldom shows it.
    for (let round = 0; round < 10; round++) {
      await writeFile(
        join(dataDir, "tieout.pid"),
        JSON.stringify({ pid: 999_999_999, started: null, token: "t" }),
      );
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => holdDataFolder(dataDir)));
      const won = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(won).toHaveLength(1);
      await won[0]?.release();
    }
  });
});

function start(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres(dataDir);
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}
