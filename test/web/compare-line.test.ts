import { describe, expect, test } from "vitest";
import { compareLine } from "../../src/web/parts/compare-line.ts";
import { verdictOf } from "../../src/web/parts/side-by-side.tsx";

type Line = Parameters<typeof compareLine>[0];
type Row = Parameters<typeof compareLine>[1];
type Visitor = Parameters<typeof compareLine>[2];

const row = {
  transaction_type: "buy",
  status: "completed",
  source_currency: "PEN",
  in_amount: "190",
  target_currency: "USDC_polygon",
  out_amount: "245.08498",
  provider_transaction_id: null,
  transaction_hash: null,
  wallet_address: null,
  status_date: "2026-11-01 00:00:00+00",
} as Row;
const line = {
  id: 7,
  side: "buy",
  status: "canceled",
  providerStatus: "CANCELLED",
  fiatCurrency: "PEN",
  fiatGross: "190",
  asset: "USDC",
  network: "polygon",
  cryptoAmount: "245.08498",
  feeTotal: null,
  providerTransactionId: null,
  transactionHash: null,
  walletAddress: null,
  effectiveAt: "2026-11-01 00:00:00+00",
} as Line;
const visitor = { preferences: { zone: "UTC" }, caller: { scopes: new Set() } } as unknown as Visitor;

function verdicts(given: Partial<Line>, ...codes: string[]) {
  const found = codes.map((code) => ({ code, lineId: 7 }));
  const fields = compareLine({ ...line, ...given }, row, visitor, { found });
  return Object.fromEntries(fields.map((field) => [field.name, verdictOf(field)]));
}

describe("what was found about a record and a line is marked where both are compared", () => {
  test.each([
    ["network_mismatch", { network: "solana" }, "Customer received"],
    ["currency_mismatch", { fiatCurrency: "MYR" }, "Customer paid"],
    ["currency_mismatch", { asset: "USDT" }, "Customer received"],
    ["status_mismatch", {}, "Status"],
  ])("%s", (code, given, field) => {
    expect(verdicts(given)[field]).not.toBe("differs");
    const marked = Object.entries(verdicts(given, code)).filter(([, verdict]) => verdict === "differs");
    expect(marked).toEqual([[field, "differs"]]);
  });

  test("but not what was found about another line of the transaction", () => {
    const fields = compareLine(line, row, visitor, { found: [{ code: "status_mismatch", lineId: 8 }] });
    expect(fields.map(verdictOf)).not.toContain("differs");
  });
});
