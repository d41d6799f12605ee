import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { runTieout, startProcess, withDataDir } from "../support/run-tieout.ts";

test.each([
  ["tieout", "keys", "list"],
  ["tieout", "people", "list"],
  ["tieout", "webhooks", "list"],
  ["tieout", "statement", "list"],
  ["tieout", "receipt", "show", "rcl_1"],
  ["tieout", "close", "status"],
  ["tieout", "export", "transactions"],
  ["tieout", "verify"],
  ["tieout", "backup"],
  ["tieout", "erase", "--wallet", "0x1", "--dry-run"],
])("%s %s says that nothing is here yet, and makes no database", async (_, ...args) => {
  await withDataDir(async (dataDir) => {
    const { code, stdout, stderr } = await runTieout(args, { TIEOUT_DATA_DIR: dataDir });
    expect(stderr).toBe(
      `tieout: nothing is here yet: there is no database in ${dataDir}. Run tieout up, which makes one, or say where it is with TIEOUT_DATA_DIR or DATABASE_URL\n`,
    );
    expect([code, stdout]).toEqual([1, ""]);
    expect(existsSync(dataDir)).toBe(false);
  });
});

test("what is to be in it before the first start still makes it, and then it can be read", async () => {
  await withDataDir(async (dataDir) => {
    const env = { TIEOUT_DATA_DIR: dataDir };
    expect(await runTieout(["keys", "create", "--name", "ci", "--role", "viewer"], env)).toMatchObject({
      code: 0,
    });
    const listed = await runTieout(["keys", "list"], env);
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining("ci")]);
  });
});

test("a data folder in which nothing can be made is refused at once", async () => {
  const args = ["-s", "KILL", "30", process.execPath, "dist/tieout.js", "up"];
  const env = { PORT: "0", TIEOUT_DATA_DIR: "/proc/nowhere/data" };
  const { code, stderr } = await startProcess("timeout", args, env).finished;
  expect(stderr).toContain(
    "tieout: the data folder /proc/nowhere/data cannot be written (ENOENT): make it writable",
  );
  expect(code).toBe(1);
});
