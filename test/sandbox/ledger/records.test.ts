import { expect, test } from "vitest";
import { decimalFromUnits, parseDecimal } from "../../../src/core/decimal.ts";
import { looksLikeAddress } from "../../../src/sandbox/world/address-form.ts";
import { quoteBuy, quoteSell } from "../../../src/sandbox/world/quote.ts";
import { writeRecord, type SandboxRecord } from "../../../src/sandbox/record.ts";
import { afterAllMs, aLedger, world } from "./a-ledger.ts";

const ledger = aLedger({ transactions: 4000 });
const view = ledger.at(afterAllMs);
const rows = Array.from({ length: 4000 }, (_, index) => ledger.history.rowsOfTransaction(index)).flat();
const records = rows.map((row) => view.recordOf(row));
const completed = records.filter(({ status }) => status === "completed");

test("the quick JSON of a record is what writeRecord writes", () => {
  for (const row of rows) expect(view.textOf(row)).toBe(writeRecord(view.recordOf(row)));
});

test("what was paid and received follows from the world's own quotes", () => {
  for (let index = 0; index < 400; index++) {
    const { lane, lifecycle, createdMs } = ledger.history.transactionOf(index);
    if (lifecycle.delivered < 0) continue;
    const { given, payout, networkFee, processingFee, completedMs } = ledger.settlementOf(index);
    const { provider, fiat, asset, method, type } = lane;
    const sells = type === "sell";
    const amount = decimalFromUnits(given, sells ? asset.decimals : fiat.minorUnits);
    const order = { provider, fiat, asset, method, amount, atMs: completedMs };
    const quote = sells ? quoteSell(world, order) : quoteBuy(world, order);
    expect(decimalFromUnits(payout, sells ? fiat.minorUnits : asset.decimals)).toBe(quote.payout);
    expect(decimalFromUnits(networkFee, fiat.minorUnits)).toBe(quote.networkFee);
    expect(decimalFromUnits(processingFee, fiat.minorUnits)).toBe(quote.transactionFee);
    expect(createdMs).toBeLessThanOrEqual(completedMs);
  }
});

test("amounts are canonical decimals above zero, and nothing has more decimals than its currency", () => {
  for (const { inAmount, outAmount, sourceCurrency, targetCurrency, status } of records) {
    expect(parseDecimal(inAmount)).toBe(inAmount);
    expect(Number(inAmount)).toBeGreaterThan(0);
    expect(places(inAmount)).toBeLessThanOrEqual(decimalsOf(sourceCurrency));
    expect(places(outAmount)).toBeLessThanOrEqual(decimalsOf(targetCurrency));
    if (status === "completed") expect(Number(outAmount)).toBeGreaterThan(0);
  }
  expect(Math.max(...completed.map(({ outAmount }) => places(outAmount)))).toBeGreaterThanOrEqual(18);
});

test("before delivery the amount received is 0 or an estimate, depending on the provider", () => {
  const early = records.filter(({ status }) => status === "pending");
  expect(early.some(({ outAmount }) => outAmount === "0")).toBe(true);
  expect(early.some(({ outAmount }) => outAmount !== "0")).toBe(true);
});

test("a chain hash and a provider's id come only when they can", () => {
  for (const record of records) {
    if (record.status === "completed") expect(record.transactionHash).not.toBe("");
    if (["new", "pending", "paid", "canceled"].includes(record.status))
      expect(record.transactionHash).toBe("");
    if (record.status === "new") expect(record.onrampTransactionId).toBe("");
    else expect(record.onrampTransactionId).not.toBe("");
  }
});

test("a provider's id belongs to one transaction, and stays with it", () => {
  const owners = new Map<string, string>();
  for (const { onramp, onrampTransactionId, transactionId } of records) {
    if (onrampTransactionId === "") continue;
    const key = `${onramp} ${onrampTransactionId}`;
    expect(owners.get(key) ?? transactionId).toBe(transactionId);
    owners.set(key, transactionId);
  }
});

test("ids, hashes and addresses have the form they have in the field", () => {
  const forms: Record<string, RegExp> = {
    moonpay: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    transfi: /^OR-\d{16}$/,
    banxa: /^[0-9a-f]{32}$/,
    guardarian: /^\d{10}$/,
    stripe: /^cos_1[1-9A-Za-z]{23}$/,
  };
  for (const record of records) {
    const form = forms[record.onramp];
    if (form && record.onrampTransactionId !== "") expect(record.onrampTransactionId).toMatch(form);
    const network = networkOf(record);
    expect(looksLikeAddress(network.family, record.walletAddress), record.walletAddress).toBe(true);
    if (record.transactionHash !== "")
      expect(record.transactionHash).toMatch(hashForms[network.family] ?? /./);
  }
});

test("MoonPay pays in batches, so that transactions share a hash", () => {
  const many = aLedger({ transactions: 40_000 });
  const at = many.at(afterAllMs);
  const hashes = new Map<string, Set<string>>();
  for (let index = 0; index < 4000; index++) {
    for (const row of many.history.rowsOfTransaction(index)) {
      const { onramp, transactionHash, transactionId } = at.recordOf(row);
      if (transactionHash === "") continue;
      const sharing = hashes.get(transactionHash) ?? new Set();
      hashes.set(transactionHash, sharing.add(transactionId));
      if (onramp !== "moonpay") expect(sharing.size).toBe(1);
    }
  }
  expect(Math.max(...[...hashes.values()].map((ids) => ids.size))).toBeGreaterThan(1);
});

test("statuses that lie in the future have not happened", () => {
  const { dateMs, transactionId } = ledger.history.rowsOfTransaction(100).at(-1)!;
  const before = ledger.at(dateMs - 1).rowsOfId(transactionId);
  expect(ledger.at(dateMs).rowsOfId(transactionId)).toHaveLength(before.length + 1);
  const now = ledger.at(dateMs);
  const bucket = now.bucketOf(dateMs);
  for (const row of [bucket - 1, bucket, bucket + 1].flatMap((each) => now.rowsOf("status", each))) {
    expect(row.dateMs).toBeLessThanOrEqual(dateMs);
  }
});

const hashForms: Record<string, RegExp> = {
  evm: /^0x[0-9a-f]{64}$/,
  utxo: /^[0-9a-f]{64}$/,
  tron: /^[0-9a-f]{64}$/,
  stellar: /^[0-9a-f]{64}$/,
  cardano: /^[0-9a-f]{64}$/,
  xrp: /^[0-9A-F]{64}$/,
  cosmos: /^[0-9A-F]{64}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{88}$/,
  base58: /^[1-9A-HJ-NP-Za-km-z]{44}$/,
  hex0x: /^0x[0-9a-f]{64}$/,
  ton: /^[A-Za-z0-9+/]{43}=$/,
  algorand: /^[A-Z2-7]{52}$/,
  tezos: /^o[1-9A-HJ-NP-Za-km-z]{50}$/,
  hedera: /^0\.0\.\d+-\d+-\d+$/,
  filecoin: /^bafy[a-z2-7]{58}$/,
};

function networkOf({ transactionType, sourceCurrency, targetCurrency }: SandboxRecord) {
  const asset = world.assetById.get(transactionType === "sell" ? sourceCurrency : targetCurrency);
  return world.networkById.get(asset?.network ?? "")!;
}

function decimalsOf(currency: string): number {
  return world.fiatById.get(currency)?.minorUnits ?? world.assetById.get(currency)!.decimals;
}

function places(amount: string): number {
  return amount.split(".")[1]?.length ?? 0;
}
