import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordHash } from "../../src/core/record-hash.ts";
import { keepEvidence } from "../support/chaos-evidence.ts";
import { compareWithLedger, readLedger } from "../support/ledger-oracle.ts";
import { openFolder } from "../support/open-folder.ts";
import { keepServedPages } from "../support/served-pages.ts";
import { syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, syncToEnd } from "../support/use-sync.ts";

const database = useTestDatabase();

test("a run that ends badly leaves behind what was lost, the windows of its time, and what was served when", async () => {
  const served = keepServedPages();
  const { sandbox } = await openFrozenSandbox({ transactions: 40, onAnswer: served.onAnswer });
  const account = await addAccount(database.db, sandbox);
  await syncToEnd(syncDeps(database.db), account);
  // Something is in the ledger that nobody ever served.
  const { records, malformed } = await readLedger(sandbox);
  const [first] = records;
  if (!first) throw new Error("an empty ledger proves nothing");
  const lost = { ...first, status: "canceled" };
  const ledger = { records: [...records, lost], malformed };
  const verdict = await compareWithLedger(database.db, account.id, ledger);
  expect(verdict.lost).toEqual([`${lost.transactionId}|${recordHash(lost)}`]);

  const root = await openFolder("tieout-evidence-");
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = await keepEvidence(
    { seed: "chaos-7", say: () => undefined },
    {
      database: database.db,
      accountId: account.id,
      served,
      ledger,
      troubles: ["2026-01-01T00:00:00.000Z kill of worker 2"],
      report: { verdict },
    },
    root,
  );
  expect(folder).toContain("chaos-7");
  expect((await readdir(folder)).toSorted()).toEqual([
    "pages.jsonl",
    "run.json",
    `transaction-${lost.transactionId}.json`,
    "windows.jsonl",
  ]);
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name), "utf8")) as unknown;
  expect(await read("run.json")).toMatchObject({
    plan: { seed: "chaos-7" },
    report: { verdict: { lost: verdict.lost } },
    troubles: ["2026-01-01T00:00:00.000Z kill of worker 2"],
  });
  const page = {
    query: expect.stringContaining("startDateTime") as string,
    status: 200,
    sending: "whole",
    records: expect.arrayContaining([
      `${first.transactionId} ${first.status} ${first.statusDate}`,
    ]) as string[],
  };
  const someOf = (part: object) => expect.arrayContaining([expect.objectContaining(part)]) as unknown[];
  expect(await read(`transaction-${lost.transactionId}.json`)).toMatchObject({
    lost: [
      {
        isCovered: true,
        windows: [{ state: "sealed", worker: "test", cursor: null }],
        servedPages: someOf(page),
      },
    ],
    servedPages: someOf(page),
    ourStatusRows: someOf({ record_hash: recordHash(first) }),
  });
});
