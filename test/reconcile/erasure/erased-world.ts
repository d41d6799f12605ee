import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { statementActions } from "../../../src/commands/statement-actions.ts";
import { createErasureKey } from "../../../src/core/erasure.ts";
import { describeErasure, keepSubject } from "../../../src/reconcile/erasure/approved-erasure.ts";
import { verifyReceipts } from "../../../src/reconcile/receipts/verify-receipts.ts";
import { verifyBooks } from "../../../src/reconcile/verify-books.ts";
import { verifyStatements } from "../../../src/reconcile/statement/verify-statements.ts";
import { zip } from "../../../src/report/xlsx/zip.ts";
import { addAttachment } from "../../../src/store/books/attachments.ts";
import type { Database } from "../../../src/store/database.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { insertApproval, settleApproval } from "../../../src/store/people/approvals.ts";
import { recordAudit } from "../../../src/store/people/audit-log.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { verify } from "../../../src/sync/verify.ts";
import { leaseWindow } from "../../support/a-window.ts";
import { aPerson } from "../../support/people.ts";
import { takeReceipts } from "../../web/receipt-file.ts";
import { type SeededTransaction, seedPage } from "../../web/seed-page.ts";
import { statementFile } from "../../web/statement-file.ts";

export const key = createErasureKey(Buffer.alloc(32, 7));
export const accountId = 1;
export const email = "anna@customers.example";

/** Thirty days of records, a statement with e-mail addresses in it, and the wallet in every corner where one can be. */
export async function seedErasable(
  db: Database,
): Promise<{ wallet: string; subject: SeededTransaction; short: SeededTransaction }> {
  const completed = await seedPage(db, Date.now());
  const own = completed.filter(({ provider }) => provider === "moonpay");
  // The third is short in the statement: it has a discrepancy of its own.
  const [subject, , short, , neighbour] = own;
  if (!subject || !short || !neighbour) throw new Error("the seed has too few orders of moonpay");
  const { wallet } = subject;
  // The seed's own windows claim rows that are not there.
  await db.query("delete from tieout.sync_windows where added = 118");
  await db.query(
    `update tieout.accounts as a
     set covered = coalesce((select range_agg(tstzrange(range_from, range_to)) from tieout.sync_windows as w
                             where w.account_id = a.id and w.state = 'sealed'), '{}')`,
  );
  const shouted = `0x${wallet.slice(2).toUpperCase()}`;
  await arrive(db, [
    statusOf(subject, { walletAddress: shouted, customerEmail: email, partnerContext: "order-77" }),
    { transactionId: "unreadable", status: "paid", inAmount: "12,50", walletAddress: wallet },
  ]);
  // The neighbour's line names the subject's wallet: a discrepancy that quotes it.
  await takeFile(db, "moonpay.csv", withEmails(completed).replace(neighbour.wallet, wallet));
  await db.query(
    `insert into tieout.idempotency_keys values ('12345678', 'k', '', now(), 200, 'text/plain', 'to ' || $1)`,
    [wallet],
  );
  await db.transaction((tx) =>
    recordAudit(tx, {
      actor: "test",
      action: "export.requested",
      subject: "exp_1",
      after: { filter: { wallet } },
    }),
  );
  await db.query(
    `insert into tieout.exports (id, report, format, parameters, actor, wallets, link_secret, state, as_of, totals, files, expires_at)
     values ('exp_1', 'transactions', 'csv', jsonb_build_object('wallet', $1::text), 'test', true, '', 'succeeded', now(), '{}',
             '[{"storedAs": "exp_1-1.csv"}]', now() + interval '1 day')`,
    [wallet],
  );
  await quoteElsewhere(db, wallet, short);
  return { wallet, subject, short };
}

/** Someone asks for it and someone else agrees, as the program has it done; returns the approval. */
export async function agreeOn(
  db: Database,
  { kind, value }: { kind: "wallet" | "transaction"; value: string },
  reason = "request 4711",
): Promise<{ approvalId: number; proposedBy: number; approvedBy: number }> {
  const proposedBy = await aPerson(db, "accountant", { name: "Anna" });
  const approvedBy = await aPerson(db, "controller", { name: "Ben" });
  const approvalId = await db.transaction(async (tx) => {
    const described = describeErasure(key, { accountId, kind, value }, {});
    const id = await insertApproval(tx, { kind: "erase", accountId, ...described, proposedBy, reason });
    await keepSubject(tx, key, { approvalId: id, value });
    await settleApproval(tx, id, { state: "approved", decidedBy: approvedBy, vouchedBy: null, reason: null });
    return id;
  });
  return { approvalId, proposedBy, approvedBy };
}

/** What people keep beside the books: a bank's file, files beside discrepancies, and the words of a proposal. */
async function quoteElsewhere(db: Database, wallet: string, short: SeededTransaction): Promise<void> {
  await takeReceipts(db, [
    ["2026-03-24", "20", `refund to ${wallet.toUpperCase().replace("0X", "0x")}`],
    ["2026-03-25", "100", "PO-2026-11"],
  ]);
  const [ids] = await db.query<{ own: number; other: number }>(
    `select (select min(id)::int from tieout.discrepancies where transaction_id = $1) as own,
            (select min(id)::int from tieout.discrepancies where transaction_id is distinct from $1) as other`,
    [short.id],
  );
  const sheet: Buffer[] = [];
  for await (const piece of zip([{ name: "a.xml", body: () => [Buffer.from(`<c>${wallet}</c>`)] }]))
    sheet.push(piece);
  for (const [discrepancyId, fileName, kind, content] of [
    [ids?.own ?? 0, "passport.png", "png", Buffer.from("\x89PNG a passport", "latin1")],
    [ids?.other ?? 0, `of ${wallet}.txt`, "text", Buffer.from(`she wrote from ${wallet}, twice`)],
    [ids?.other ?? 0, "sheet.xlsx", "zip", Buffer.concat(sheet)],
    [ids?.other ?? 0, "other.txt", "text", Buffer.from("about someone else")],
  ] as const) {
    const sha256 = createHash("sha256").update(content).digest();
    const file = { accountId, discrepancyId, fileName, kind, byteCount: content.length, sha256, content };
    await addAttachment(db, file, { actor: "test", requestId: "test" });
  }
  const proposedBy = await aPerson(db, "accountant");
  await db.transaction(async (tx) => {
    const words = { kind: "reopen", subject: "a month", accountId, details: { of: wallet } } as const;
    const approval = await insertApproval(tx, { ...words, proposedBy, reason: `refunds to ${wallet}` });
    await settleApproval(tx, approval, {
      state: "withdrawn",
      decidedBy: proposedBy,
      vouchedBy: null,
      reason: wallet,
    });
  });
}

export function statusOf(one: SeededTransaction, change: Record<string, unknown>): Record<string, unknown> {
  return {
    transactionId: one.id,
    onramp: one.provider,
    onrampTransactionId: one.providerId,
    transactionType: "buy",
    status: "completed",
    statusDate: new Date(Date.parse(one.at) + 60_000).toISOString(),
    sourceCurrency: one.currency,
    inAmount: one.amount,
    targetCurrency: one.asset,
    outAmount: one.crypto,
    transactionHash: one.hash,
    ...change,
  };
}

export function withEmails(completed: readonly SeededTransaction[]): string {
  return statementFile(completed)
    .trimEnd()
    .split("\n")
    .map((line, at) => `${line},${at === 0 ? "Customer e-mail" : email}`)
    .join("\n")
    .concat("\n");
}

/** A page of the aggregator, kept as a walker keeps it. */
export async function arrive(
  db: Database,
  raw: readonly Record<string, unknown>[],
  keep = async (
    lease: Awaited<ReturnType<typeof leaseWindow>>,
    page: Parameters<typeof recordPage>[2],
  ): Promise<unknown> => recordPage(db, lease, page),
): Promise<unknown> {
  const lease = await leaseWindow(db, accountId, { kind: "deep" });
  const counts = await keep(lease, { ...preparePage(raw), nextCursor: null });
  await db.query(
    `update tieout.sync_windows set state = 'sealed', sealed_at = clock_timestamp(), lease_until = null where id = $1`,
    [lease.windowId],
  );
  await db.query(
    `update tieout.accounts as a
     set covered = (select range_agg(tstzrange(range_from, range_to)) from tieout.sync_windows as w
                    where w.account_id = a.id and w.state = 'sealed')
     where id = $1`,
    [accountId],
  );
  return counts;
}

export async function takeFile(db: Database, name: string, text: string) {
  const folder = await mkdtemp(join(tmpdir(), "tieout-erase-"));
  try {
    const path = join(folder, "file");
    await writeFile(path, text);
    return await statementActions(db, async () => key).take(
      { name, path },
      {
        account: { id: accountId, name: "acme-eu" },
        provider: "moonpay",
        profileName: null,
        replaces: null,
        acceptReason: null,
        wallets: true,
        actor: "test",
        requestId: "test",
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every place in every table, files unpacked, in which a text stands in any case. */
export async function findEverywhere(db: Database, text: string): Promise<string[]> {
  const columns = await db.query<{ relation: string; name: string; type: string }>(
    `select format('%I.%I', table_schema, table_name) as relation, column_name as name, data_type as type
     from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
       and data_type in ('text', 'jsonb', 'json', 'bytea', 'ARRAY', 'character varying')`,
  );
  const found: string[] = [];
  for (const { relation, name, type } of columns) {
    const value = type === "bytea" ? `encode("${name}", 'escape')` : `"${name}"::text`;
    const [row] = await db.query<{ rows: number }>(
      `select count(*)::int as rows from ${relation} where position(lower($1) in lower(${value})) > 0`,
      [text],
    );
    if (row && row.rows > 0) found.push(`${relation}.${name}`);
  }
  const files = await db.query<{ statement_id: number; content: Buffer }>(
    "select statement_id::int, content from tieout.statement_files",
  );
  for (const { statement_id, content } of files) {
    if (gunzipSync(content).toString("utf8").toLowerCase().includes(text.toLowerCase()))
      found.push(`file of statement ${statement_id}`);
  }
  const bankFiles = await db.query<{ file_id: number; content: Buffer }>(
    "select file_id::int, content from tieout.receipt_file_bytes",
  );
  for (const { file_id, content } of bankFiles) {
    if (gunzipSync(content).toString("utf8").toLowerCase().includes(text.toLowerCase()))
      found.push(`file of receipts ${file_id}`);
  }
  return found;
}

export async function problemsOf(db: Database): Promise<string[]> {
  const { mismatches } = await verify(db);
  return [...mismatches, ...(await verifyStatements(db)), ...(await verifyReceipts(db))].map(
    ({ subject, problem }) => `${subject}: ${problem}`,
  );
}

/** The same of the books of the one provider that has a statement. */
export async function bookProblems(db: Database) {
  return verifyBooks(db, { accountId, provider: "moonpay" });
}
