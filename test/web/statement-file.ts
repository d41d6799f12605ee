import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statementActions } from "../../src/commands/statement-actions.ts";
import type { Database } from "../../src/store/database.ts";
import type { SeededTransaction } from "./seed-page.ts";

/** Imports it into the first account, as the page would. */
export async function takeStatement(db: Database, completed: readonly SeededTransaction[]): Promise<void> {
  await takeFile(db, { name: "moonpay-2026-11.csv", text: statementFile(completed), provider: null });
}

interface SentFile {
  name: string;
  text: string;
  /** `null`: the header tells. */
  provider: string | null;
  replaces?: number | null;
}

export async function takeFile(
  db: Database,
  { name, text, provider, replaces = null }: SentFile,
  account = { id: 1, name: "acme-eu" },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-statement-"));
  try {
    const path = join(folder, "file");
    await writeFile(path, text);
    await statementActions(db).take(
      { name, path },
      {
        account,
        provider,
        profileName: null,
        replaces,
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

const columns = [
  "id",
  "externalTransactionId",
  "status",
  "baseCurrency.code",
  "baseCurrencyAmount",
  "currency.code",
  "quoteCurrencyAmount",
  "feeAmount",
  "networkFeeAmount",
  "extraFeeAmount",
  "cryptoTransactionId",
  "walletAddress",
  "createdAt",
  "updatedAt",
  "payout_id",
];

/**
 * A statement of MoonPay over what it completed, with one of each trouble: an amount that is short by 5, an order that we
 * have no record of, two rows that cannot be read, and one whose reference is a script.
 */
export function statementFile(transactions: readonly SeededTransaction[]): string {
  const own = transactions.filter(({ provider }) => provider === "moonpay");
  const rows = own.map((one, at) => row(one, { short: at === 2 ? 5 : 0, payout: "PO-2026-11" }));
  const [first] = own;
  if (first === undefined) throw new Error("the seed has no order of moonpay");
  const stranger = {
    ...first,
    providerId: "0000feed-0000-4000-a000-000000000001",
    hash: `0x${"ab".repeat(32)}`,
  };
  const broken = { ...first, providerId: "0000feed-0000-4000-a000-000000000002" };
  rows.push(
    row(stranger, { reference: "<script>window.hacked = true</script>", payout: "PO-2026-11" }),
    row(broken, { amount: '"1,200.50"' }),
    row({ ...broken, providerId: "0000feed-0000-4000-a000-000000000003" }, { createdAt: "yesterday" }),
  );
  return `${columns.join(",")}\n${rows.join("\n")}\n`;
}

/** Orders with one reference, as from a shop that does not number them. */
export function fileOfOneReference(
  transactions: readonly SeededTransaction[],
  reference: string,
  payout: string,
): string {
  const rows = transactions.map((one) => row(one, { reference, payout }));
  return `${columns.join(",")}\n${rows.join("\n")}\n`;
}

function row(
  one: SeededTransaction,
  change: { short?: number; reference?: string; amount?: string; createdAt?: string; payout?: string },
): string {
  const fee = one.currency === "jpy" ? 100 : 1;
  const share = one.currency === "jpy" ? 50 : 0.5;
  const net = Number(one.amount) - fee - share - (change.short ?? 0);
  return [
    one.providerId,
    change.reference ?? "",
    "completed",
    one.currency,
    change.amount ?? net.toFixed(one.currency === "jpy" ? 0 : 2),
    one.asset,
    one.crypto,
    fee,
    "0",
    share,
    one.hash,
    one.wallet,
    change.createdAt ?? one.at,
    change.createdAt ?? one.at,
    change.payout ?? "",
  ].join(",");
}
