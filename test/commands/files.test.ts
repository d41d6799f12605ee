import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import { secret } from "../../src/core/secret.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { readText } from "../../src/store/files/files.ts";
import { aKey } from "../api/an-api.ts";
import { keepAccount, keepTransactions } from "../report/books.ts";
import { openFolder } from "../support/open-folder.ts";
import { type Running, runTieout, startTieout } from "../support/run-tieout.ts";
import { startS3, type TestS3 } from "../support/s3-server.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

let folder = "";
let postgres: EmbeddedPostgres;
let s3: TestS3;
let db: Database;
const running: Running[] = [];

beforeAll(async () => {
  folder = await openFolder("tieout-files-");
  [s3, postgres] = await Promise.all([
    startS3(),
    startEmbeddedPostgres(join(folder, "data"), { throwAway: true }),
  ]);
  const migrated = await runTieout(["migrate"], { DATABASE_URL: postgres.url });
  if (migrated.code !== 0) throw new Error(migrated.stderr);
  db = openTestDatabase(secret(Object.assign(new URL(postgres.superuserUrl), { pathname: "/tieout" }).href));
});

afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await db.close();
  await postgres.leave();
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

const environment = (name: string) => ({
  ...s3.env,
  DATABASE_URL: postgres.serviceUrl,
  TIEOUT_DATA_DIR: join(folder, name),
});

test("an export outlives the machine that wrote it, and another hands it out", async () => {
  const { sandbox, fromMs } = await openFrozenSandbox({ transactions: 20 });
  const start = (command: string, more: Record<string, string>) => {
    const started = startTieout([command], { ...environment(command), ...more });
    running.push(started);
    return started;
  };
  const worker = start("work", {
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: "pk_sandbox",
    UPSTREAM_API_SECRET: "sk_sandbox",
    SYNC_START: formatInstant(fromMs),
  });
  const api = start("serve", { PORT: "0" });
  const url = await api.ready();
  const authorization = `Bearer ${await aKey(db, "accountant")}`;
  await waitFor("something is read", async () => {
    const rows = await db.query("select 1 from tieout.transactions limit 1");
    return rows.length > 0;
  });

  const made = await fetch(`${url}/v1/exports`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ report: "transactions", parameters: { partial: true } }),
  });
  expect(made.status).toBe(202);
  const { id } = (await made.json()) as { id: string };
  const read = async () => {
    const answer = await fetch(`${url}/v1/exports/${id}`, { headers: { authorization } });
    return (await answer.json()) as { state: string; download_url: string | null };
  };
  await waitFor("it is written", async () => (await read()).state === "succeeded", { timeoutMs: 60_000 });
  await worker.stop("SIGKILL");
  const written = await readdir(join(folder, "work"));
  expect(written).not.toContain("exports");
  await rm(join(folder, "work"), { recursive: true });

  const download = await fetch(url + (await read()).download_url);
  expect([download.status, download.headers.get("content-disposition")]).toEqual([
    200,
    expect.stringContaining("transactions_v1"),
  ]);
  expect((await download.text()).split("\n").length).toBeGreaterThan(1);
  const unsigned = new URL(url + (await read()).download_url);
  unsigned.searchParams.set("signature", "x");
  expect((await fetch(unsigned)).status).toBe(403);

  // The API goes on without the bucket, and says what is the matter.
  await s3.kill();
  const away = await fetch(url + (await read()).download_url);
  expect([away.status, away.headers.get("retry-after")]).toEqual([503, "5"]);
  await s3.start();
  expect((await fetch(url + (await read()).download_url)).status).toBe(200);
  await api.stop();
});

test("doctor says where files go, and what keeps them from it", async () => {
  const well = await runTieout(["doctor"], environment("doctor"));
  expect(well.stdout).toMatch(/^ok {7}files {9}in s3:\/\/kept\/tieout\/exports$/m);
  const wrong = await runTieout(["doctor"], { ...environment("doctor"), AWS_SECRET_ACCESS_KEY: "canary" });
  expect(wrong.stdout).toMatch(
    /^warning {2}files {9}the bucket kept refused writing .* correct AWS_SECRET_ACCESS_KEY$/m,
  );
  expect(wrong.stdout + wrong.stderr).not.toContain("canary");
});

test("the lake goes below FILES_URL, and a second run writes nothing; a folder that is asked for wins", async () => {
  await keepTransactions(db, await keepAccount(db, "lake"), [{ transaction_id: "lake-1" }]);
  const first = await runTieout(["lake", "--json"], environment("lake"));
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ folder: "s3://kept/tieout/lake" });
  const files = s3.files().within("lake");
  const manifest = await readText(files, "manifest.json");
  const names = await files.list("");
  expect(names.length).toBeGreaterThan(4);
  const again = await runTieout(["lake", "--json"], environment("lake"));
  expect(JSON.parse(again.stdout)).toMatchObject({ files: 0, rows: 0, removed: 0 });
  expect([await files.list(""), await readText(files, "manifest.json")]).toEqual([names, manifest]);

  const apart = join(folder, "apart");
  const asked = await runTieout(["lake", "--json", "--dir", apart], environment("lake"));
  expect(JSON.parse(asked.stdout)).toMatchObject({ folder: apart });
  expect(await readdir(apart)).toContain("manifest.json");
});
