import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { chmod, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import { startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { makeEarlierLedger } from "../support/earlier-ledger.ts";
import { freePort } from "../support/free-port.ts";
import { runTieout, startProcess, withDataDir } from "../support/run-tieout.ts";
import { openTestDatabase, useTestDatabase } from "../support/test-database.ts";
import { openTestFolder } from "../support/test-folder.ts";

const database = useTestDatabase();
const readOnly = useTestDatabase();
const earlier = useTestDatabase({ template: "template0" });

/** One line for a person: what, why, what to do; and the documented exit code. */
describe("bad input gets one clear line", () => {
  test.each([
    ["an unknown command", ["upp"], /^tieout: unknown command 'upp'\n\(Did you mean up\?\)$/],
    [
      "a command that others have",
      ["status"],
      /^tieout: unknown command 'status'\n\(tieout doctor says what works/,
    ],
    [
      "an unknown flag",
      ["migrate", "--jsno"],
      /^tieout: unknown option '--jsno'\n\(Did you mean --json\?\)$/,
    ],
    [
      "an argument too many",
      ["up", "now"],
      /^tieout: too many arguments for 'up'\. Expected 0 arguments but got 1\.?/,
    ],
    [
      "a file that never ends",
      ["rates", "import", "/dev/zero"],
      /^tieout: \/dev\/zero is larger than 50 MB$/,
    ],
    [
      "a folder in place of a file",
      ["rates", "import", "/usr"],
      /^tieout: cannot read \/usr \(EISDIR\): it is a folder$/,
    ],
    [
      "a folder to write a workbook to",
      ["discrepancies", "export", "--out", "/usr"],
      /^tieout: --out: \/usr is a folder: name a file in it$/,
    ],
    ["a folder in place of a pack", ["close", "verify", "/usr"], /^tieout: \/usr is not a file$/],
  ])("%s", async (_, args, says) => {
    const { code, stdout, stderr } = await runTieout(args);
    expect(stderr.trim()).toMatch(says);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("no command at all prints the help", async () => {
    const { code, stderr } = await runTieout([]);
    expect(stderr).toContain("Usage: tieout");
    expect(code).toBe(2);
  });

  test("a wrong configuration names every problem, and no secret", async () => {
    const { code, stderr } = await runTieout(["up"], {
      PORT: "x",
      DATABASE_URL: "mysql://u:canary@h/d",
      SYNC_LAG: "5",
    });
    expect(stderr).toMatch(
      /^tieout: 3 problems in the configuration:\n {2}DATABASE_URL: .+\n {2}PORT: .+\n {2}SYNC_LAG: .+\n$/,
    );
    expect(stderr).not.toContain("canary");
    expect(code).toBe(3);
  });

  test.each([
    [
      "nobody listens",
      async () => change({ port: String(await freePort()) }),
      "does not answer: start it, or correct DATABASE_URL",
    ],
    [
      "a wrong password",
      async () => change({ password: "canary" }),
      "refused the password: correct user and password in DATABASE_URL",
    ],
    ["no such database", async () => change({ pathname: "/absent" }), "does not exist: create it"],
  ])("a database where %s", async (_, url, says) => {
    const env = { DATABASE_URL: await url(), PORT: "0", ...(await tempDataDir()) };
    const commands = ["up", "serve", "work", "migrate", "doctor"];
    const results = await Promise.all(commands.map((command) => runTieout([command], env)));
    for (const { code, stderr } of results) {
      expect(lastLine(stderr), stderr).toMatch(
        /^tieout: the database at postgres:\/\/127\.0\.0\.1:\d+\/\w+ /,
      );
      expect(lastLine(stderr)).toContain(says);
      expect(stderr).not.toContain("canary");
      expect(code).toBe(1);
    }
  });

  test("doctor names every dead part at once, and checks the others", async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const env = {
      DATABASE_URL: change({ password: "canary" }),
      READ_DATABASE_URL: change({ password: "canary" }),
      REDIS_URL: `redis://${nobody}`,
      ...(await tempDataDir()),
    };
    const { code, stdout, stderr } = await runTieout(["doctor"], env);
    expect(stdout).toMatch(/^FAILING {2}database +the database at .* refused the password: /m);
    expect(stdout).toMatch(/^FAILING {2}queue +the Redis at .* does not answer: start it/m);
    expect(stdout).toMatch(/^ok {7}files/m);
    expect(lastLine(stderr)).toContain("refused the password");
    expect(code).toBe(1);
    const without = await runTieout(["doctor"], { ...env, DATABASE_URL: database.url.reveal() });
    expect(without.stdout).toMatch(/^FAILING {2}queue/m);
    expect(without.stdout).toMatch(/^ok {7}migrations/m);
    expect(without.stdout).toMatch(/^warning {2}replica +.* user and password in READ_DATABASE_URL$/m);
    expect(without.code).toBe(1);
  });

  test("a database that nobody migrated, for a process that may not", async () => {
    const { code, stderr } = await runTieout(["serve"], {
      DATABASE_URL: change({ pathname: "/postgres" }),
      PORT: "0",
    });
    expect(lastLine(stderr)).toMatch(
      /^tieout: the database is at version 0, this program needs \d+: run tieout migrate$/,
    );
    expect(code).toBe(1);
  });

  test("a database that takes no writes, also one that was set so while its disk is full", async () => {
    const name = new URL(readOnly.url.reveal()).pathname.slice(1);
    await readOnly.db.query(`alter database ${name} set default_transaction_read_only = on`);
    const env = { DATABASE_URL: readOnly.url.reveal(), PORT: "0", ...(await tempDataDir()) };
    const says =
      "takes no writes: promote it if it is a replica, make room if its disk is full, or correct DATABASE_URL";
    for (const command of [["sync", "--once"], ["serve"], ["rebuild"]]) {
      const { code, stderr } = await runTieout(command, env);
      expect([lastLine(stderr), code]).toEqual([`tieout: the database ${says}`, 1]);
    }
    const doctor = await runTieout(["doctor"], env);
    expect(doctor.stdout).toMatch(new RegExp(`^FAILING {2}writes +the database ${says}$`, "m"));
    expect(doctor.code).toBe(1);
  });

  test("a user who does not own the database, for a command that takes its owner", async () => {
    await database.db.query(
      "create role not_the_owner login password 'canary'; grant tieout_service to not_the_owner",
    );
    onTestFinished(() => database.db.query("drop role not_the_owner").then(() => undefined));
    const url = Object.assign(new URL(database.url.reveal()), {
      username: "not_the_owner",
      password: "canary",
    });
    const account = { name: "default", baseUrl: "https://a.example", syncStart: "2026-01-01T00:00:00Z" };
    await ensureAccounts(database.db, [account], "test");
    const { code, stderr } = await runTieout(["reader", "add", "anna", "--accounts", "default"], {
      DATABASE_URL: url.href,
    });
    expect(lastLine(stderr)).toMatch(
      /^tieout: the database does not permit this: the user in DATABASE_URL must own/,
    );
    expect(code).toBe(1);
  });

  test("a database that an earlier tieout made", async () => {
    await makeEarlierLedger(earlier.db);
    const env = { DATABASE_URL: earlier.url.reveal(), PORT: "0", ...(await tempDataDir()) };
    const commands = ["up", "serve", "work", "migrate", "doctor"];
    const results = await Promise.all(commands.map((command) => runTieout([command], env)));
    for (const { code, stderr } of results) {
      expect(lastLine(stderr)).toMatch(
        /^tieout: this database was made by an earlier tieout and cannot be upgraded: create an empty one and set DATABASE_URL to it; /,
      );
      expect(code).toBe(1);
    }
  });

  test("a data folder that an earlier tieout made", async () => {
    await withDataDir(async (dataDir) => {
      const postgres = await startEmbeddedPostgres(dataDir, { throwAway: true });
      const embedded = openTestDatabase(secret(postgres.url));
      await makeEarlierLedger(embedded);
      await embedded.close();
      await postgres.leave();
      for (const command of ["up", "doctor"]) {
        const { code, stderr } = await runTieout([command], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
        expect(lastLine(stderr)).toContain(`move ${postgres.engine.cluster} away, or set TIEOUT_DATA_DIR`);
        expect(code).toBe(1);
      }
      // The advice works: with the folder moved away, the next start makes a new one.
      await rename(postgres.engine.cluster, `${postgres.engine.cluster}-earlier`);
      expect(await runTieout(["migrate"], { TIEOUT_DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    });
  });

  test("a port that is taken, before anything else was made", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    const port = await new Promise<number>((resolve) => {
      taken.once("listening", () => resolve((taken.address() as { port: number }).port));
    });
    await withDataDir(async (dataDir) => {
      const { code, stderr } = await runTieout(["up"], { PORT: String(port), TIEOUT_DATA_DIR: dataDir });
      expect(stderr).toBe(
        `tieout: port ${port} is taken: stop the program that listens there, or set PORT to another\n`,
      );
      expect(code).toBe(1);
      expect(await readdir(dataDir)).toEqual([]);
    });
    taken.close();
  });

  test("a data folder that cannot be written", async () => {
    const folder = await openTestFolder("tieout-bad-");
    const file = join(folder, "file");
    await writeFile(file, "");
    const { code, stderr } = await runTieout(["up"], { PORT: "0", TIEOUT_DATA_DIR: join(file, "data") });
    expect(stderr).toMatch(
      /^tieout: the data folder .+ cannot be written \(ENOTDIR\): make it writable, or set TIEOUT_DATA_DIR/,
    );
    expect(code).toBe(1);
  });

  test("a data folder that belongs to someone else", async () => {
    const folder = await openTestFolder("tieout-bad-");
    const closed = join(folder, "closed");
    await mkdir(closed);
    await chmod(closed, 0o555);
    const running = asOrdinaryUser(["up"], { PORT: "0", TIEOUT_DATA_DIR: join(closed, "data") });
    const { code, stderr } = await running.finished;
    expect(stderr).toMatch(/^tieout: the data folder .+ cannot be written \(EACCES\)/m);
    expect(code).toBe(1);
  });

  test("a Redis that is down", async () => {
    const { code, stderr } = await runTieout(["up"], {
      DATABASE_URL: database.url.reveal(),
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      PORT: "0",
      ...(await tempDataDir()),
    });
    expect(lastLine(stderr)).toMatch(
      /^tieout: the Redis at redis:\/\/127\.0\.0\.1:\d+ does not answer: start it/,
    );
    expect(code).toBe(1);
  });
});

test("the stack is shown only to those who ask", async () => {
  const env = { DATABASE_URL: change({ pathname: "/absent" }), PORT: "0" };
  expect((await runTieout(["migrate"], env)).stderr).not.toContain("    at ");
  expect((await runTieout(["migrate"], { ...env, LOG_LEVEL: "debug" })).stderr).toContain("    at ");
});

test("help shows examples for every command", async () => {
  const { stdout } = await runTieout(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}(\w+)(?: \[options\])? /gm)].map((found) => found[1] ?? "");
  expect(commands).toContain("doctor");
  for (const command of commands.filter((name) => name !== "help")) {
    const help = await runTieout([command, "--help"]);
    expect(help.stdout).toMatch(/Examples:\n {2}.*tieout.*\n {2}.*tieout/);
  }
});

function change(parts: Partial<Record<"port" | "password" | "pathname", string>>): string {
  return Object.assign(new URL(inject("superuserUrl")), { pathname: "/postgres", ...parts }).href;
}

async function tempDataDir(): Promise<{ TIEOUT_DATA_DIR: string }> {
  return { TIEOUT_DATA_DIR: join(await openTestFolder("tieout-bad-"), "data") };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** Root may write anywhere, so as root this test lends itself an ordinary user. */
function asOrdinaryUser(args: string[], env: Record<string, string>) {
  if (process.getuid?.() !== 0) return startProcess(process.execPath, ["dist/tieout.js", ...args], env);
  const uid = spawnSync("id", ["-u", "nobody"], { encoding: "utf8" }).stdout.trim();
  return startProcess(
    "setpriv",
    [`--reuid=${uid}`, "--clear-groups", process.execPath, "dist/tieout.js", ...args],
    env,
  );
}
