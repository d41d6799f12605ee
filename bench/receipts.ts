/**
 * A bank's file of many lines, imported and matched with many payouts, beside a COPY of the same lines into a table of the
 * same shape: how much reading, keeping every row and matching costs. Exits with 1 above 20 s for the usual size.
 */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { finished } from "node:stream/promises";
import { parseArgs } from "node:util";
import { from as copyFrom } from "pg-copy-streams";
import { importReceipts } from "../src/reconcile/receipts/import-receipts.ts";
import { secret } from "../src/core/secret.ts";
import { openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import { openFolder } from "../test/support/open-folder.ts";

const { values } = parseArgs({
  options: { lines: { type: "string", default: "100000" }, payouts: { type: "string", default: "10000" } },
});
const lines = Number(values.lines);
const payouts = Number(values.payouts);
const secondsMax = 20;
const print = (text: string) => process.stdout.write(`${text}\n`);
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
};

const folder = await openFolder("tieout-receipts-");
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
const database = openDatabase(secret(postgres.superuserUrl), {
  part: "receipts",
  connectionsMax: 4,
  statementTimeoutMs: 600_000,
  onError: () => undefined,
});
try {
  await migrateDatabase(database, resolve("migrations"));
  const [account] = await database.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit)
     values ('bench', 'http://127.0.0.1', '2026-01-01', 100) returning id`,
  );
  const accountId = account?.id ?? 0;
  await database.query(
    `insert into tieout.payouts (account_id, provider, payout_ref, currency, payout_date, line_count, gross, fees, refunds, chargebacks,
       chargeback_reversals, commissions, adjustments, reserves, net_computed, net_declared, difference, status, first_seen_at,
       last_changed_at)
     select $1, 'moonpay', 'PO-BENCH-' || lpad(n::text, 7, '0'), 'EUR', '2026-10-24', 1, 0, 0, 0, 0, 0, 100, 0, 0, 100, 100, 0,
            'tied', now(), now()
     from generate_series(1, $2::int) as n`,
    [accountId, payouts],
  );
  const file = Buffer.from(camtOf(lines, payouts));
  const source = {
    name: "bank.xml",
    async *bytes() {
      for (let at = 0; at < file.length; at += 65_536) yield file.subarray(at, at + 65_536);
    },
  };
  const asked = {
    account: { id: accountId, name: "bench" },
    format: null,
    profileName: null,
    encoding: null,
    given: { bankAccount: null, currency: null },
    acceptReason: null,
    actor: "bench",
  };
  let matched = 0;
  const seconds = await timed(async () => {
    const { counts } = await importReceipts({ database }, source, asked);
    matched = counts?.matched ?? 0;
  });
  const plain = await timed(() => copyPlain());
  print(
    `${lines.toLocaleString("en")} lines (${(file.length / 1e6).toFixed(0)} MB of camt.053), ${payouts.toLocaleString("en")} payouts: ` +
      `imported and matched in ${seconds.toFixed(1)} s (${matched.toLocaleString("en")} matches); COPY of the same lines ${plain.toFixed(1)} s; ratio ${(seconds / plain).toFixed(1)}`,
  );
  if (seconds > secondsMax) process.exitCode = 1;
} finally {
  await database.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}

async function copyPlain(): Promise<void> {
  await database.session(async (client) => {
    await client.query("create table public.plain (like tieout.receipt_lines including indexes)");
    const out = await client.query<{ line: string }>(
      "select (l.*)::text as line from tieout.receipt_lines as l limit 0",
    );
    if (out.rows.length > 0) throw new Error("nothing was asked for");
    const rows = await client.query<{ text: string }>(
      `select concat_ws(e'\\t', id, account_id, line_key, occurrence, version, '\\\\x' || encode(content_hash, 'hex'), file_id, row_no,
         imported_at, bank_account, value_date, coalesce(booking_date::text, '\\N'), effective_at, amount, currency, direction, is_reversal,
         coalesce(reference, '\\N'), coalesce(end_to_end_id, '\\N'), coalesce(bank_reference, '\\N'), coalesce(hash, '\\N'),
         coalesce(remittance, '\\N'), coalesce(counterparty, '\\N'), charges, '\\N', '\\N', keys::text) as text
       from tieout.receipt_lines`,
    );
    const text = rows.rows.map((row) => `${row.text}\n`).join("");
    const stream = client.query(copyFrom("copy public.plain from stdin"));
    stream.end(text);
    await finished(stream);
  });
}

/** One line in ten settles a payout; the others are the rest of a company's account. */
function camtOf(count: number, named: number): string {
  const every = Math.max(1, Math.floor(count / named));
  const entries: string[] = [];
  for (let n = 1; n <= count; n++) {
    const payout = n % every === 0 ? n / every : 0;
    const reference =
      payout > 0 ? `PO-BENCH-${String(payout).padStart(7, "0")}` : `INVOICE ${n} OF CUSTOMER ${n % 977}`;
    entries.push(
      `<Ntry><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-10-25</Dt></BookgDt>` +
        `<ValDt><Dt>2026-10-25</Dt></ValDt><AcctSvcrRef>B${n}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Payer ${n % 977}</Nm></Dbtr></RltdPties>` +
        `<RmtInf><Ustrd>${reference}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n`,
    );
  }
  const balance = (code: string, amount: string) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?><Document><BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><IBAN>DE1</IBAN></Id></Acct>` +
    `${balance("OPBD", "0.00")}${balance("CLBD", `${count * 100}.00`)}\n${entries.join("")}</Stmt></BkToCstmrStmt></Document>\n`
  );
}
