import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DAY } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { seedErasable } from "../reconcile/erasure/erased-world.ts";
import { startHttpServer } from "../support/http-server.ts";
import { aRecord } from "../support/model-aggregator.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-verify-"));
  await seedErasable(database.db);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const verify = (...args: string[]) =>
  runTieout(["verify", ...args], { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder });

test("what nobody touched is sound, and no check of it has a time limit", async () => {
  // One name more, which no transaction has, where the statement that asks for names has a limit.
  await database.db.query(`
    alter function tieout.names_of rename to names_without_limit;
    create function tieout.names_of(
      transaction_id text, provider_transaction_id text, reference text, transaction_hash text, wallet_address text
    ) returns table (kind text, key text)
    language sql stable as $$
      select * from tieout.names_without_limit($1, $2, $3, $4, $5)
      union all
      select 'limit', current_setting('statement_timeout') where current_setting('statement_timeout') <> '0'
    $$`);
  const { code, stdout } = await verify();
  expect(stdout).toMatch(/^[\d,]+ status rows recomputed, 0 mismatches, 0 findings\n$/);
  expect(code).toBe(0);
});

test("what is wrong in several places is all told, and leaves the exit code that scripts look for", async () => {
  await database.db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query(
      "update tieout.transactions set country = 'changed' where transaction_id = (select min(transaction_id) from tieout.transactions)",
    );
    await tx.query("update tieout.statements set sha256 = sha256('')");
    await tx.query("update tieout.matches set in_actual = 1 where in_actual is not null");
    await tx.query("update tieout.receipt_files set sha256 = sha256('')");
  });
  const { code, stdout } = await verify("--json");
  const { mismatches } = JSON.parse(stdout) as { mismatches: { subject: string }[] };
  const kinds = mismatches.map(({ subject }) => subject.replace(/ .*/, ""));
  expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
    "transaction",
    "statement",
    "match",
    "receipts",
  ]);
  expect(code).toBe(4);
});

test.each([
  [
    "a word that only Postgres understands",
    ["--from", "yesterday"],
    '--from: not a day or a time: "yesterday"',
  ],
  ["a day that does not exist", ["--to", "2026-02-30"], '--to: not a day or a time: "2026-02-30"'],
  [
    "a period that is empty",
    ["--from", "2026-11-01", "--to", "2026-10-01"],
    "--to: must be later than --from",
  ],
])("%s proves nothing, and is refused", async (_, period, says) => {
  const { code, stdout, stderr } = await verify(...period);
  expect(stderr).toContain(`tieout: ${says}`);
  expect([code, stdout]).toEqual([2, ""]);
});

describe("--deep", () => {
  const empty = useTestDatabase();

  test("says that it could not read everything again; what lay in between is told by the next one", async () => {
    const statusDate = formatInstant(Date.now() - DAY);
    const records = ["stays", "changes", "goes"].map((transactionId) =>
      aRecord({ transactionId, statusDate }),
    );
    let refuses = false;
    const server = await startHttpServer(({ query }) => {
      if (refuses) return { status: 401 };
      const ids = query.get("transactionIds")?.split(",");
      const from = query.get("startDateTime") ?? "";
      const to = query.get("endDateTime") ?? "9999";
      const isInside = statusDate >= from && statusDate < to;
      const transactions = records.filter(({ transactionId }) => ids?.includes(transactionId) ?? isInside);
      return { body: { transactions, limit: 50 } };
    });
    onTestFinished(() => server.close());
    const env = {
      DATABASE_URL: empty.url.reveal(),
      TIEOUT_DATA_DIR: folder,
      UPSTREAM_BASE_URL: server.url,
      UPSTREAM_API_KEY: "key",
      UPSTREAM_API_SECRET: "secret",
      SYNC_START: formatInstant(Date.now() - 2 * DAY),
    };
    const deep = () => runTieout(["verify", "--deep"], env);
    expect((await runTieout(["sync", "--once"], env)).code).toBe(0);
    expect(await deep()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/0 mismatches, 0 findings\n$/),
    });

    refuses = true;
    const refused = await deep();
    expect(refused.stdout).toMatch(
      /1 mismatch, 0 findings\n {2}account default: not read again to the end: key refused .*UPSTREAM_API_SECRET/,
    );
    expect(refused.code).toBe(4);

    refuses = false;
    records.splice(1, 2, aRecord({ transactionId: "changes", statusDate, country: "fr" }));
    const { stdout, code } = await deep();
    expect(stdout).toMatch(
      /, 0 mismatches, 2 findings\n {2}transaction changes: changed\n {2}transaction goes: vanished\n$/,
    );
    expect(code).toBe(4);
  });
});
