import { hashVersion, recordHash } from "../../src/core/record-hash.ts";
import { emptyObject } from "../../src/core/canonical-json.ts";
import { decimal } from "../../src/core/decimal.ts";
import { parseInstant } from "../../src/core/instant.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";
import type { Database } from "../../src/store/database.ts";
import {
  type HashedRecord,
  recordPage,
  type RejectedRecord,
} from "../../src/store/transactions/record-page.ts";
import { claimWindow } from "../../src/store/windows/window-leases.ts";
import { sealWindow } from "../../src/store/windows/sync-windows.ts";

export async function anAccount(database: Database, name: string): Promise<number> {
  const [row] = await database.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start)
     values ($1, 'http://127.0.0.1:1', '2026-01-01T00:00:00Z')
     returning id`,
    [name],
  );
  return row?.id ?? 0;
}

/** Number `n` of a series of records: a minute apart, in turn of several providers, currencies and statuses. */
export function aRecord(n: number, more: Partial<TransactionRecord> = {}): TransactionRecord {
  const at = new Date(Date.parse("2026-03-01T00:00:00Z") + n * 60_000).toISOString();
  return {
    transactionId: `01TX${String(n).padStart(10, "0")}`,
    status: pick(["completed", "pending", "failed"], n),
    statusDate: instant(at),
    transactionType: n % 2 === 0 ? "buy" : "sell",
    provider: pick(["moonpay", "transak", "banxa"], n),
    providerTransactionId: `prov-${n}`,
    paymentMethod: "creditcard",
    country: pick(["de", "fr"], n),
    sourceCurrency: pick(["eur", "usd"], n),
    inAmount: decimal(`${n}.25`),
    targetCurrency: "btc",
    outAmount: decimal("0.000000000000000001"),
    transactionHash: n % 3 === 0 ? `0xhash${n}` : "",
    walletAddress: `bc1qwallet${String(n).padStart(6, "0")}end`,
    apiKey: "pk_test",
    extra: emptyObject,
    ...more,
  };
}

export function instant(text: string): TransactionRecord["statusDate"] {
  const read = parseInstant(text);
  if (read === null) throw new Error(`no instant: ${text}`);
  return read;
}

/** Keeps records as the sync keeps them: through a window, which is sealed afterwards. */
export async function keep(
  database: Database,
  accountId: number,
  records: readonly TransactionRecord[],
  rejections: readonly RejectedRecord[] = [],
  kind: "backfill" | "live" = "backfill",
): Promise<void> {
  await database.query(
    `insert into tieout.sync_windows (account_id, kind, range_from, range_to)
     values ($1, $2, '2026-01-01T00:00:00Z', '2026-06-01T00:00:00Z')`,
    [accountId, kind],
  );
  const lease = await claimWindow(database, { accountId, worker: "test", leaseMs: 60_000, requestsMax: 99 });
  if (!lease) throw new Error("no window to claim");
  for (let from = 0; from === 0 || from < records.length; from += 500) {
    const page = records.slice(from, from + 500).map(hashed);
    await recordPage(database, lease, {
      records: page,
      rejections: from === 0 ? rejections : [],
      nextCursor: null,
    });
  }
  await sealWindow(database, lease, "absent");
}

function hashed(record: TransactionRecord): HashedRecord {
  return { record, recordHash: recordHash(record), hashVersion, receivedStatus: null };
}

function pick<T>(choices: readonly [T, ...T[]], n: number): T {
  return choices[n % choices.length] ?? choices[0];
}
