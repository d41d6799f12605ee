import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, test } from "vitest";
import { erase, previewErasure } from "../../../src/reconcile/erasure/erase.ts";
import { rememberErased } from "../../../src/store/erasure/erased-subjects.ts";
import { createPageRecorder } from "../../../src/store/transactions/page-recorder.ts";
import { keepPage } from "../../../src/sync/keep-page.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import type { SeededTransaction } from "../../web/seed-page.ts";
import {
  accountId,
  agreeOn,
  arrive,
  bookProblems,
  email,
  findEverywhere,
  key,
  problemsOf,
  seedErasable,
  statusOf,
  takeFile,
  withEmails,
} from "./erased-world.ts";

const database = useTestDatabase();
let wallet: string;
let subject: SeededTransaction;
let figures: unknown;

let agreed = { approvalId: 0, proposedBy: 0, approvedBy: 0 };

/** What finance reports, and what may not move. */
const readFigures = () =>
  database.db.query(
    `select (select jsonb_agg(to_jsonb(m) - 'record_hash' order by m.id) from tieout.matches as m) as matches,
            (select jsonb_agg(to_jsonb(p) order by p.id) from tieout.payouts as p) as payouts,
            (select jsonb_agg(jsonb_build_object('code', d.code, 'state', d.state, 'value', d.value) order by d.id)
             from tieout.discrepancies as d) as discrepancies`,
  );

beforeAll(async () => {
  ({ wallet, subject } = await seedErasable(database.db));
});

describe("before", () => {
  test("the wallet is in every corner, and verify is green", async () => {
    const places = await findEverywhere(database.db, wallet);
    for (const place of [
      "tieout.audit_log.after",
      "tieout.discrepancies.actual_text",
      "tieout.discrepancy_events.facts",
      "tieout.exports.parameters",
      "tieout.findings.actual_text",
      "tieout.idempotency_keys.body",
      "tieout.quarantined_records.raw",
      "tieout.statement_lines.wallet_address",
      "tieout.statement_rows.original_text",
      "tieout.transactions.wallet_address",
      "file of statement 1",
      "file of receipts 1",
      "tieout.receipt_rows.original_text",
      "tieout.receipt_lines.remittance",
      "tieout.attachments.content",
      "tieout.attachments.file_name",
      "tieout.approvals.details",
      "tieout.approval_events.reason",
    ])
      expect(places).toContain(place);
    expect(await problemsOf(database.db)).toEqual([]);
  });

  test("what two people have not agreed on is refused by the database, and a preview changes nothing", async () => {
    const named = { accountId, kind: "wallet", value: wallet } as const;
    const deps = { database: database.db, key };
    const other = await agreeOn(database.db, { kind: "wallet", value: "bc1qsomebodyelse" });
    for (const approvalId of [other.approvalId, 0])
      await expect(erase(deps, { ...named, approvalId })).rejects.toThrow("needs the approval");
    await expect(
      database.db.query(
        `insert into tieout.erasures (account_id, kind, digest, key_id, approval_id, reason, proposed_by, approved_by, counts)
         values (1, 'wallet', '\\x00', 'x', $1, 'x', 'anna', 'ben', '{}')`,
        [other.approvalId],
      ),
    ).rejects.toThrow("needs the approval");
    const { counts } = await previewErasure(deps, named);
    expect(counts).toMatchObject({ transactions: 1, transaction_statuses: 3, statements: 1, exports: 1 });
    expect(counts["statement_rows"]).toBeGreaterThanOrEqual(4);
    expect(await findEverywhere(database.db, wallet)).toContain("tieout.transactions.wallet_address");
  });
});

describe("after erasing a wallet", () => {
  beforeAll(async () => {
    figures = await readFigures();
    const shouted = wallet.toUpperCase().replace("0X", "0x");
    agreed = await agreeOn(database.db, { kind: "wallet", value: shouted });
    await erase(
      { database: database.db, key },
      { accountId, kind: "wallet", value: shouted, approvalId: agreed.approvalId },
    );
  });

  test("it stands nowhere, and verify stays green", async () => {
    expect(await findEverywhere(database.db, wallet)).toEqual([]);
    expect(await problemsOf(database.db)).toEqual([]);
    expect(await bookProblems(database.db)).toEqual([]);
    expect(await readFigures()).toEqual(figures);
  });

  test("columns that no profile knows go with it, and only of its rows", async () => {
    const rows = await database.db.query<{ erased: boolean; email: string }>(
      `select wallet_address like 'erased:%' as erased, extra ->> 'Customer e-mail' as email
       from tieout.statement_lines where extra ? 'Customer e-mail'`,
    );
    expect(new Set(rows.map(({ erased, email: kept }) => `${erased} ${kept}`))).toEqual(
      new Set(["true erased", `false ${email}`]),
    );
    const [latest] = await database.db.query<{ extra: object }>(
      "select extra from tieout.transactions where account_id = 1 and transaction_id = $1",
      [subject.id],
    );
    // Our own reference stays: statements are matched by it.
    expect(latest?.extra).toEqual({
      erased: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      partnerContext: "order-77",
    });
  });

  test("the audit log says who asked and who agreed, and not what it was", async () => {
    const [entry] = await database.db.query<{ after: object; reason: string }>(
      "select after, reason from tieout.audit_log where action = 'data.erased'",
    );
    expect(entry).toMatchObject({
      reason: "request 4711",
      after: {
        kind: "wallet",
        approval: `apr_${agreed.approvalId}`,
        proposed_by: `person:${agreed.proposedBy}`,
        approved_by: `person:${agreed.approvedBy}`,
        account: "acme-eu",
      },
    });
  });

  test("an approval erases once, and what it was about is no longer kept", async () => {
    const again = { accountId, kind: "wallet", value: wallet, approvalId: agreed.approvalId } as const;
    await expect(erase({ database: database.db, key }, again)).rejects.toThrow("approval_erases_once");
    const kept = await database.db.query("select from tieout.erasure_requests where approval_id = $1", [
      agreed.approvalId,
    ]);
    expect(kept).toEqual([]);
  });

  test("a text beside a discrepancy loses only what names it, an archive goes as a whole, others stay", async () => {
    const files = await database.db.query<{ text: string; fits: boolean }>(
      `select encode(content, 'escape') as text, sha256 = sha256(content) and byte_count = length(content) as fits
       from tieout.attachments order by id`,
    );
    expect(files.map(({ fits }) => fits)).toEqual([true, true, true, true]);
    expect(files.map(({ text }) => text)).toEqual([
      expect.stringContaining("PNG a passport"),
      expect.stringMatching(/^she wrote from erased:[0-9a-f]{32}, twice$/),
      expect.stringMatching(/^erased [0-9a-f]{64}\n$/),
      "about someone else",
    ]);
  });

  test("the aggregator's next page does not bring it back, whoever keeps it", async () => {
    // Knows nothing yet of the erasure, like a worker that was running all the time.
    const deps = {
      database: database.db,
      recordPage: createPageRecorder(database.db),
      erasures: rememberErased(database.db, async () => key),
    };
    const again = [
      statusOf(subject, {
        walletAddress: `0x${wallet.slice(2).toUpperCase()}`,
        customerEmail: email,
        partnerContext: "order-77",
      }),
      { transactionId: "unreadable", status: "paid", inAmount: "12,50", walletAddress: wallet },
    ];
    const keep: Parameters<typeof arrive>[2] = (lease, page) => keepPage(deps, lease, page, null);
    // Read before: nothing new. A newer status: a new row, without the wallet.
    expect(await arrive(database.db, again, keep)).toMatchObject({ added: 0 });
    const newer = statusOf(subject, {
      statusDate: new Date().toISOString(),
      status: "failed",
      walletAddress: wallet,
      note: "of Anna",
    });
    expect(await arrive(database.db, [newer], keep)).toMatchObject({ added: 1 });
    expect(await findEverywhere(database.db, wallet)).toEqual([]);
    expect(await findEverywhere(database.db, "of Anna")).toEqual([]);
    expect(await problemsOf(database.db)).toEqual([]);
  });

  test("a page of someone who knows of no erasure is refused whole", async () => {
    await expect(arrive(database.db, [statusOf(subject, { walletAddress: wallet })])).rejects.toThrow(
      "is not known here",
    );
    await database.db.query("delete from tieout.sync_windows where state = 'walking'");
  });

  test("neither does another file, nor the same one", async () => {
    const text = withEmails([subject]);
    const { statement } = await takeFile(database.db, "again.csv", text);
    expect(await findEverywhere(database.db, wallet)).toEqual([]);
    expect(await problemsOf(database.db)).toEqual([]);
    expect(await takeFile(database.db, "again.csv", text)).toMatchObject({
      state: "already_imported",
      statement: { id: statement.id },
    });
  });

  test("nor one that is JSON, of which only text is kept then", async () => {
    const records = parse(withEmails([subject]), { columns: true });
    const { statement } = await takeFile(database.db, "again.json", JSON.stringify(records));
    expect(statement).toMatchObject({ encoding: "json", rowsRejected: 2 });
    expect(await findEverywhere(database.db, wallet)).toEqual([]);
    expect(await problemsOf(database.db)).toEqual([]);
  });

  test("without the key nothing is kept, and the message says what is missing", async () => {
    const missing = rememberErased(database.db, async () => null);
    await expect(missing.current()).rejects.toThrow("the erasure key is missing");
  });
});

/** What the owner of the tables can do behind the service's back; taken back after it was looked at. */
describe("an erased row that is then changed is found", () => {
  async function afterTampering(statement: string): Promise<string[]> {
    await database.db.query("create table public.kept as select s.* from tieout.transaction_statuses as s");
    const run = (text: string) =>
      database.db.transaction(async (tx) => {
        await tx.query("set local session_replication_role = replica");
        await tx.query(text);
      });
    const backs: Record<string, string> = {};
    for (const relation of [
      "transaction_statuses",
      "statement_files",
      "receipt_file_bytes",
      "erasure_seals",
      "audit_log",
    ]) {
      await database.db.query(`create table public.kept_${relation} as table tieout.${relation}`);
      backs[relation] =
        `delete from tieout.${relation}; insert into tieout.${relation} table public.kept_${relation}`;
    }
    try {
      await run(statement);
      return await problemsOf(database.db);
    } finally {
      for (const [relation, back] of Object.entries(backs)) {
        await run(back);
        await database.db.query(`drop table public.kept_${relation}`);
      }
      await database.db.query("drop table public.kept");
    }
  }

  test.each([
    [
      "another amount",
      "update tieout.transaction_statuses set in_amount = 1 where wallet_address like 'erased:%'",
      /its content does not give its hash/,
    ],
    [
      "another wallet",
      "update tieout.transaction_statuses set wallet_address = '0xmine' where wallet_address like 'erased:%'",
      /its content does not give its hash/,
    ],
    [
      "an audit entry",
      "update tieout.audit_log set after = '{}' where number::text in (select row_key from tieout.erasure_seals where relation = 'audit_log')",
      /audit entry \d+: it does not fit/,
    ],
    [
      "an audit entry, with a seal that fits",
      `update tieout.audit_log set after = '{}' where number::text in (select row_key from tieout.erasure_seals where relation = 'audit_log');
       update tieout.erasure_seals as s set seal = sha256(convert_to(tieout.audit_entry_text(a), 'UTF8'))
       from tieout.audit_log as a where s.relation = 'audit_log' and s.row_key = a.number::text`,
      /erasure \d+: its seals are not those/,
    ],
    [
      "a bank's file",
      "update tieout.receipt_file_bytes set content = decode('1f8b080000000000000303000000000000000000', 'hex')",
      /receipts 1: its bytes/,
    ],
    [
      "the file",
      "update tieout.statement_files set content = decode('1f8b080000000000000303000000000000000000', 'hex') where statement_id = 1",
      /statement 1: its bytes/,
    ],
  ])("%s", async (_, statement, problem) => {
    expect((await afterTampering(statement)).join("\n")).toMatch(problem);
    expect(await problemsOf(database.db)).toEqual([]);
  });

  test("and the tables refuse it outside an erasure, whoever asks", async () => {
    for (const statement of [
      "update tieout.transaction_statuses set wallet_address = null",
      "update tieout.statement_rows set original_text = ''",
      "update tieout.receipt_rows set original_text = ''",
      "update tieout.attachments set content = ''",
      "update tieout.erasures set reason = 'another'",
      "delete from tieout.erasure_seals",
    ])
      await expect(database.db.query(statement)).rejects.toThrow("append-only");
  });
});
