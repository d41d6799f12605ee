import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askDuckDb } from "../support/duckdb.ts";
import { runTieout, startTieout, withDataDir } from "../support/run-tieout.ts";
import { waitFor } from "../support/wait-for.ts";

test("the workers keep the lake of LAKE_DIR up to date, and the command finds nothing left to write", async () => {
  await withDataDir(async (dataDir) => {
    const folder = join(dataDir, "..", "lake");
    const env = { TIEOUT_DATA_DIR: dataDir, PORT: "0", LAKE_DIR: folder, LAKE_INTERVAL: "2s" };
    const service = startTieout(["up"], env);
    try {
      const url = await service.ready();
      await waitFor(
        "transactions are in the lake",
        async () => (await readdir(join(folder, "transactions")).catch(() => [])).length > 0,
        { timeoutMs: 120_000 },
      );
      const rows = async () => {
        const views = await readFile(join(folder, "duckdb.sql"), "utf8").catch(() => "");
        if (!views.includes("reporting.transactions")) return 0;
        const [row] = await askDuckDb(views, "select count(*)::int as n from reporting.transactions");
        return Number(row?.["n"]);
      };
      await waitFor("they can be asked for", async () => (await rows()) > 0, { timeoutMs: 60_000 });
      const ready = (await (await fetch(`${url}/readyz`)).json()) as {
        checks: Record<string, { age_seconds?: number }>;
      };
      expect(JSON.stringify(ready)).toMatch(/"lake"/);
    } finally {
      await service.stop();
    }
    const kept = startTieout(["lake", "--json"], env);
    const first = JSON.parse((await kept.finished).stdout) as { folder: string };
    expect(first.folder).toBe(folder);
    const before = (await stat(join(folder, "manifest.json"))).mtimeMs;
    const again = await runTieout(["lake", "--dir", folder], env);
    expect(again.stderr).toContain("0 new files");
    expect((await stat(join(folder, "manifest.json"))).mtimeMs).toBe(before);
  });
});

test("without a folder the command says where to name one", async () => {
  const { code, stderr } = await runTieout(["lake"], {});
  expect([code, stderr]).toEqual([2, expect.stringContaining("--dir /data/lake, or set LAKE_DIR")]);
});
