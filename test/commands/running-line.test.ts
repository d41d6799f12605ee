import { createServer } from "node:http";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { startTieout, withDataDir } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("what takes long says in a log, too, what it is doing; what is quick says nothing of it", async () => {
  const holder = new Client({ connectionString: database.url.reveal() });
  await holder.connect();
  onTestFinished(() => holder.end());
  await withDataDir(async (dataDir) => {
    const env = { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: dataDir };
    const lake = ["lake", "--dir", join(dataDir, "..", "lake")];
    const quick = await Promise.all([startTieout(["verify"], env).finished, startTieout(lake, env).finished]);
    for (const { stderr } of quick) expect(stderr).not.toMatch(/\(\d+ s\)/);

    await holder.query("begin; lock table tieout.statements, tieout.transactions in access exclusive mode");
    const slow = [startTieout(["verify"], env), startTieout(lake, env)];
    await Promise.all([
      slow[0]?.says(/^Checking: .*statements.* \(5 s\)$/m),
      slow[1]?.says(/lake: looking for what is new in \w+ \(5 s\)$/m),
    ]);
    await holder.query("rollback");
    for (const { code } of await Promise.all(slow.map(({ finished }) => finished))) expect(code).toBe(0);
  });
});

test("so does a backup into a bucket that does not answer", async () => {
  const port = await freePort();
  const silent = createServer(() => undefined).listen(port, "127.0.0.1");
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  await withDataDir(async (dataDir) => {
    await startTieout(["migrate"], { TIEOUT_DATA_DIR: dataDir }).finished;
    const backup = startTieout(["backup"], {
      TIEOUT_DATA_DIR: dataDir,
      FILES_URL: "s3://kept/tieout",
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_REGION: "eu-central-1",
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    });
    expect(await backup.says(/^Copying \(5 s\)$/m)).not.toBeNull();
    await backup.stop("SIGINT");
  });
});
