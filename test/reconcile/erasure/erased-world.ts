import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { statementActions } from "../../../src/commands/statement-actions.ts";
import { createErasureKey } from "../../../src/core/erasure.ts";
import { verifyBooks } from "../../../src/reconcile/verify-books.ts";
import { verifyStatements } from "../../../src/reconcile/statement/verify-statements.ts";
import type { Database } from "../../../src/store/database.ts";
import { recordPage } from "../../../src/store/transactions/record-page.ts";
import { recordAudit } from "../../../src/store/people/audit-log.ts";
import { preparePage } from "../../../src/sync/page.ts";
import { verify } from "../../../src/sync/verify.ts";
import { leaseWindow } from "../../support/a-window.ts";
import { type SeededTransaction, seedPage } from "../../web/seed-page.ts";
import { statementFile } from "../../web/statement-file.ts";

export const key = createErasureKey(Buffer.alloc(32, 7));
export const accountId = 1;
export const email = "anna@customers.example";

/** Thirty days of records, a statement with e-mail addresses in it, and the wallet in every corner where one can be. */
export async function seedErasable(db: Database): Promise<{ wallet: string; subject: SeededTransaction }> {
  const completed = await seedPage(db, Date.now());
  const own = completed.filter(({ provider }) => provider === "moonpay");
  const [subject, , , , neighbour] = own;
  if (!subject || !neighbour) throw new Error("the seed has too few orders of moonpay");
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
  return { wallet, subject };
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
  return found;
}

export async function problemsOf(db: Database): Promise<string[]> {
  const { mismatches } = await verify(db);
  return [...mismatches, ...(await verifyStatements(db))].map(
    ({ subject, problem }) => `${subject}: ${problem}`,
  );
}

/** The same of the books of the one provider that has a statement. */
export async function bookProblems(db: Database) {
  return verifyBooks(db, { accountId, provider: "moonpay" });
}
