import { generateKeyPairSync } from "node:crypto";
import { appendFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAuditHeads, readHeads } from "../../src/commands/audit-heads-file.ts";
import { witnessAudit } from "../../src/commands/witness-audit.ts";
import { readConfig } from "../../src/config.ts";
import { secret } from "../../src/core/secret.ts";
import { createLog } from "../../src/log.ts";
import { recordAudit } from "../../src/store/people/audit-log.ts";
import { verify } from "../../src/sync/verify.ts";
import { openFolder } from "../support/open-folder.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();
let dataDir = "";
let said = "";
const log = createLog({ level: "trace", destination: { write: (line: string) => void (said += line) } });
const config = () => ({ ...readConfig({}), dataDir });
const file = () => join(dataDir, "audit-heads.jsonl");

beforeEach(async () => {
  dataDir = await openFolder("tieout-witness-");
  said = "";
  await tamper("truncate tieout.audit_log");
  await database.db.query("delete from tieout.heartbeats");
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function tamper(...statements: string[]): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.query("alter table tieout.audit_log disable trigger user");
    for (const statement of statements) await tx.query(statement);
    await tx.query("alter table tieout.audit_log enable trigger user");
  });
}

async function write(entries: number): Promise<void> {
  for (let n = 1; n <= entries; n++)
    await database.db.transaction((tx) =>
      recordAudit(tx, { actor: "a person", action: "test", subject: `s${n}` }),
    );
}

/** As `tieout verify` does it. */
async function problems(): Promise<string[]> {
  const { heads, mismatches } = await readHeads(await openAuditHeads(config()));
  const report = await verify(database.db, { auditHeads: heads });
  return [...report.mismatches, ...mismatches].map(({ subject, problem }) => `${subject}: ${problem}`);
}

/** Entries one by one, each waited for in the file. */
async function witnessed(entries: number): Promise<void> {
  const witness = await witnessAudit({ config: config(), log, now: Date.now }, database.db);
  for (let n = 1; n <= entries; n++) {
    await write(1);
    await waitFor("it is written down", async () =>
      (await readFile(file(), "utf8").catch(() => "")).includes(`"head":"${n}:`),
    );
  }
  await witness.stop();
}

test("every entry is written down outside the database as soon as it is there, in private", async () => {
  await witnessed(3);
  expect((await readFile(file(), "utf8")).trim().split("\n")).toHaveLength(3);
  for (const name of ["audit-heads.jsonl", "audit-key.pem"])
    expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
  expect(await problems()).toEqual([]);
});

test("a witness that starts again goes on, and writes nothing twice", async () => {
  await witnessed(2);
  const again = await witnessAudit({ config: config(), log, now: Date.now }, database.db);
  await write(1);
  await waitFor("it is written down", async () => (await readFile(file(), "utf8")).includes('"head":"3:'));
  await again.stop();
  expect((await readFile(file(), "utf8")).trim().split("\n")).toHaveLength(3);
});

test("a line that a full disk cut off spoils no other, and accuses nobody", async () => {
  await witnessed(1);
  const [whole = ""] = (await readFile(file(), "utf8")).split("\n");
  for (const [at, piece] of [whole.slice(0, 120), whole.slice(0, 5), whole.slice(0, -1)].entries()) {
    await appendFile(file(), piece);
    expect(await problems()).toEqual([]);
    const witness = await witnessAudit({ config: config(), log, now: Date.now }, database.db);
    await write(1);
    await waitFor("it is written down", async () =>
      (await readFile(file(), "utf8")).includes(`"head":"${at + 2}:`),
    );
    await witness.stop();
  }
  expect(await problems()).toEqual([]);
  expect((await readHeads(await openAuditHeads(config()))).heads.map(({ number }) => number)).toEqual([
    1, 2, 3, 4,
  ]);
});

const rechain = `do $$
  declare entry tieout.audit_log; previous bytea := sha256('');
  begin
    for entry in select * from tieout.audit_log order by number loop
      update tieout.audit_log set previous_hash = previous where number = entry.number;
      update tieout.audit_log as e set hash = sha256(e.previous_hash || convert_to(tieout.audit_entry_text(e), 'UTF8'))
      where number = entry.number returning hash into previous;
    end loop;
  end $$`;

describe("although the chain is whole, verify names", () => {
  const gone = (number: number) =>
    `audit entry ${number}: it was the newest once, and is gone or another one now: the log was cut off`;

  test("entries that were deleted after they had been witnessed", async () => {
    await witnessed(6);
    await tamper("delete from tieout.audit_log where number > 3");
    expect(await problems()).toEqual([gone(4), gone(5), gone(6)]);
  });

  test("an entry that was rewritten, with the chain made anew behind it", async () => {
    await witnessed(5);
    await tamper("update tieout.audit_log set actor = 'someone else' where number = 3", rechain);
    expect(await problems()).toEqual([gone(3), gone(4), gone(5)]);
    const witness = await witnessAudit({ config: config(), log, now: Date.now }, database.db);
    await witness.stop();
    expect(said).toContain("audit_log_cut_off");
  });

  test("lines of the file that someone without the key has written", async () => {
    await witnessed(2);
    const lines = (await readFile(file(), "utf8")).trim().split("\n");
    const forged = JSON.stringify({
      ...(JSON.parse(lines[0] ?? "{}") as object),
      head: `1:${"ab".repeat(32)}`,
    });
    await writeFile(file(), `${forged}\n${lines[1]}\n`);
    await appendFile(file(), "not even JSON\n");
    expect(await problems()).toEqual([
      `line 1 of ${file()}: its signature does not fit what it says`,
      `line 3 of ${file()}: its signature does not fit what it says`,
    ]);
  });
});

test("the key may come from outside, and has to be one", async () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
  const heads = join(dataDir, "elsewhere.jsonl");
  const given = { ...config(), auditSigningKey: secret(pem), auditHeadsFile: heads };
  await write(1);
  const witness = await witnessAudit({ config: given, log, now: Date.now }, database.db);
  await waitFor("it is written down", async () =>
    (await readFile(heads, "utf8").catch(() => "")).includes('"head":"1:'),
  );
  await witness.stop();
  expect((await readHeads(await openAuditHeads(given))).heads).toHaveLength(1);
  // Another key than the one that signed.
  expect((await readHeads({ ...(await openAuditHeads(config())), path: heads })).mismatches).toHaveLength(1);
  // With several lines, another key is said once, and no line is accused.
  await appendFile(heads, await readFile(heads));
  expect((await readHeads({ ...(await openAuditHeads(config())), path: heads })).mismatches).toEqual([
    {
      subject: heads,
      problem:
        "none of its 2 signatures was made with this key: verify with the AUDIT_SIGNING_KEY that signed them",
    },
  ]);
  await expect(openAuditHeads({ ...given, auditSigningKey: secret("canary") })).rejects.toThrow(
    /^(?!.*canary).*Ed25519/,
  );
});
