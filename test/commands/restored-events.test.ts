import { join } from "node:path";
import { expect, test } from "vitest";
import { runTieout, withDataDir } from "../support/run-tieout.ts";

test("after a restore, no event has the id of another that was sent since the backup", async () => {
  await withDataDir(async (dataDir) => {
    const settings = { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8", BACKUP_DIR: join(dataDir, "kept") };
    const before = { ...settings, TIEOUT_DATA_DIR: dataDir };
    const after = { ...settings, TIEOUT_DATA_DIR: join(dataDir, "restored") };
    const made = await runTieout(["webhooks", "create", "--url", "http://127.0.0.1:9/", "--json"], before);
    const { id } = JSON.parse(made.stdout) as { id: string };
    const backup = (await runTieout(["backup"], before)).stdout.trim();
    const happen = async (env: Record<string, string>) => {
      const { stderr } = await runTieout(["webhooks", "test", id], env);
      return Number(/evt_(\d+)/.exec(stderr)?.[1]);
    };
    const sent = [await happen(before), await happen(before)];
    expect((await runTieout(["backup", "restore", backup], after)).code).toBe(0);
    expect(await happen(after)).toBeGreaterThan(Math.max(...sent));
  });
});
