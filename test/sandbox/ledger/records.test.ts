import { expect, test } from "vitest";
import { decimalFromUnits, parseDecimal } from "../../../src/core/decimal.ts";
import { looksLikeAddress } from "../../../src/sandbox/world/address-form.ts";
import { quoteBuy, quoteSell } from "../../../src/sandbox/world/quote.ts";
import { writeRecord, type SandboxRecord } from "../../../src/sandbox/record.ts";
import { afterAllMs, aLedger, world } from "./a-ledger.ts";

const ledger = aLedger({ transactions: 4000 });
const view = ledger.at(afterAllMs, "bare");
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
  for (const { inAmount, outAmount, sourceCurrency, targetCurrency } of records) {
    expect(parseDecimal(inAmount)).toBe(inAmount);
    expect(Number(inAmount)).toBeGreaterThan(0);
    expect(places(inAmount)).toBeLessThanOrEqual(decimalsOf(sourceCurrency));
    expect(places(outAmount)).toBeLessThanOrEqual(decimalsOf(targetCurrency));
  }
  expect(completed.every(({ outAmount }) => Number(outAmount) > 0)).toBe(true);
  expect(Math.max(...completed.map(({ outAmount }) => places(outAmount)))).toBeGreaterThanOrEqual(18);
});

test("before delivery the amount received is 0 or an estimate, depending on the provider", () => {
  const early = records.filter(({ status }) => status === "pending");
  expect(early.some(({ outAmount }) => outAmount === "0")).toBe(true);
  expect(early.some(({ outAmount }) => outAmount !== "0")).toBe(true);
});

test("a chain hash and a provider's id come only when they can", () => {
  expect(new Set(withHash(["completed"]))).toEqual(new Set([true]));
  expect(new Set(withHash(["new", "pending", "paid", "canceled"]))).toEqual(new Set([false]));
  for (const { status, onrampTransactionId } of records)
    expect(onrampTransactionId === "").toBe(status === "new");
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
  const odd = records.filter((record) => {
    const network = networkOf(record);
    const { onrampTransactionId: id, transactionHash: hash } = record;
    return (
      (id !== "" && !(forms[record.onramp] ?? /./).test(id)) ||
      (hash !== "" && !(hashForms[network.family] ?? /^$/).test(hash)) ||
      !looksLikeAddress(network, record.walletAddress)
    );
  });
  expect(odd).toEqual([]);
});

test("MoonPay pays in batches, so that transactions share a hash", () => {
  const many = aLedger({ transactions: 40_000 });
  const at = many.at(afterAllMs);
  const hashes = new Map<string, Set<string>>();
  const shared = new Set<string>();
  for (let index = 0; index < 4000; index++) {
    for (const row of many.history.rowsOfTransaction(index)) {
      const { onramp, transactionHash, transactionId } = at.recordOf(row);
      if (transactionHash === "") continue;
      const sharing = hashes.get(transactionHash) ?? new Set();
      hashes.set(transactionHash, sharing.add(transactionId));
      if (sharing.size > 1) shared.add(onramp);
    }
  }
  expect([...shared]).toEqual(["moonpay"]);
});

test("statuses that lie in the future have not happened", () => {
  const { dateMs, transactionId } = ledger.history.rowsOfTransaction(100).at(-1)!;
  const before = ledger.at(dateMs - 1).rowsOfId(transactionId);
  expect(ledger.at(dateMs).rowsOfId(transactionId)).toHaveLength(before.length + 1);
  const now = ledger.at(dateMs);
  const { first, last } = now.bucketsOf({ fromMs: dateMs, toMs: dateMs + 1 });
  for (let bucket = first; bucket <= last; bucket++) {
    for (const row of now.rowsOf("status", bucket)) expect(row.dateMs).toBeLessThanOrEqual(dateMs);
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

function withHash(statuses: string[]): boolean[] {
  return records
    .filter(({ status }) => statuses.includes(status))
    .map(({ transactionHash }) => transactionHash !== "");
}

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
