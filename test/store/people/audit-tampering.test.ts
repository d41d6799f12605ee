import { beforeEach, describe, expect, test } from "vitest";
import { keepAuditHead, parseAuditHead } from "../../../src/store/people/audit-head.ts";
import { recordAudit } from "../../../src/store/people/audit-log.ts";
import { verify } from "../../../src/sync/verify.ts";
import { useTestDatabase } from "../../support/test-database.ts";

const database = useTestDatabase();

/** What someone with the rights of the owner can do behind the service's back. */
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
      recordAudit(tx, { actor: "a person", action: "test", subject: `s${n}`, after: { n } }),
    );
}

async function problems(heads: readonly string[] = []): Promise<string[]> {
  const auditHeads = heads.flatMap((head) => parseAuditHead(head) ?? []);
  const { mismatches } = await verify(database.db, { auditHeads });
  return mismatches.map(({ subject, problem }) => `${subject}: ${problem}`);
}

const cutOff = (number: number) =>
  `audit entry ${number}: it was the newest once, and is gone or another one now: the log was cut off`;
const broken = (number: number) => `audit entry ${number}: it does not fit the chain of hashes`;

beforeEach(async () => {
  await tamper("truncate tieout.audit_log");
  await database.db.query("delete from tieout.heartbeats");
  await write(5);
});

test("a log that nobody touched is in order, however often its head is kept", async () => {
  const { head } = await keepAuditHead(database.db);
  expect(head).toMatch(/^5:[0-9a-f]{64}$/);
  await write(2);
  expect((await keepAuditHead(database.db)).head).toMatch(/^7:/);
  expect(await problems([head ?? ""])).toEqual([]);
  expect(await database.db.query("select job from tieout.heartbeats")).toEqual([{ job: "audit-witness" }]);
});

describe("verify reports", () => {
  test.each<[string, string[], string[]]>([
    ["an edited entry", ["update tieout.audit_log set actor = 'nobody' where number = 3"], [broken(3)]],
    [
      "an edited entry whose own hash was made anew",
      [
        "update tieout.audit_log set actor = 'nobody' where number = 3",
        "update tieout.audit_log as e set hash = sha256(e.previous_hash || convert_to(tieout.audit_entry_text(e), 'UTF8')) where number = 3",
      ],
      [broken(4)],
    ],
    [
      "a deleted entry",
      ["delete from tieout.audit_log where number = 3"],
      // Its number is missing, and so every later one stands at the wrong place.
      [broken(4), broken(5)],
    ],
    [
      "entries in another order",
      [
        "update tieout.audit_log set number = 99 where number = 2",
        "update tieout.audit_log set number = 2 where number = 3",
        "update tieout.audit_log set number = 3 where number = 99",
      ],
      [broken(2), broken(3), broken(4)],
    ],
  ])("%s", async (_, statements, expected) => {
    await tamper(...statements);
    expect(await problems()).toEqual(expected);
  });

  test("a log whose end was cut off, by the head that was kept, and by one from the service's log", async () => {
    const { head } = await keepAuditHead(database.db);
    await tamper("delete from tieout.audit_log where number > 3");
    expect(await problems()).toEqual([cutOff(5)]);
    await database.db.query("delete from tieout.heartbeats");
    expect(await problems()).toEqual([]); // nobody is left in here who knows
    expect(await problems([head ?? ""])).toEqual([cutOff(5)]);
  });

  test("a log that was emptied", async () => {
    await keepAuditHead(database.db);
    await tamper("truncate tieout.audit_log");
    expect(await problems()).toEqual([cutOff(5)]);
    expect(await keepAuditHead(database.db)).toMatchObject({
      head: null,
      problems: [{ subject: "audit entry 5" }],
    });
  });

  test("a log that was cut off and written on, although its chain is whole; the proof is not replaced", async () => {
    const { head } = await keepAuditHead(database.db);
    await tamper("delete from tieout.audit_log where number > 3");
    await write(4);
    expect(await problems([head ?? ""])).toEqual([cutOff(5), cutOff(5)]);
    const later = await keepAuditHead(database.db);
    expect(later).toMatchObject({ problems: [{ subject: "audit entry 5" }] });
    expect(await problems()).toEqual([cutOff(5)]);
  });
});
