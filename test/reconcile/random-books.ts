import fc from "fast-check";
import type { ALine, ARecord } from "./books.ts";

/** A month of a provider in which anything may have gone wrong: few ids, so that keys collide. */
export interface RandomBooks {
  records: ARecord[];
  lines: ALine[];
}

const ids = ["A", "B", "C", "D", "E", "F"];
const id = fc.constantFrom(...ids);
const day = fc
  .integer({ min: 0, max: 29 })
  .map((days) => new Date(Date.UTC(2026, 2, 1, 10) + days * 86_400_000).toISOString());
const amount = fc.constantFrom("100", "100.004", "100.01", "99.5", "250");
const maybe = <T>(value: T) => fc.option(fc.constant(value), { nil: undefined });

const aRecord: fc.Arbitrary<ARecord> = fc.record({
  id,
  status: fc.constantFrom("completed", "completed", "completed", "pending", "failed", "sideways"),
  at: day,
  inAmount: amount,
  onrampTransactionId: fc.option(fc.constantFrom("p1", "p2", "p3", "p4"), { nil: "" }),
  transactionHash: fc.constantFrom("", "h1", "h2"),
  sourceCurrency: fc.constantFrom("eur", "usd"),
  walletAddress: fc.constantFrom("w1", "w2"),
});

const fourOf = { minLength: 4, maxLength: 4 };

const aLine = fc.record({
  type: fc.constantFrom(
    "charge",
    "charge",
    "charge",
    "refund",
    "chargeback",
    "fee",
    "adjustment",
    "balance",
    "balance",
  ),
  status: fc.constantFrom("settled", "settled", "failed", "captured", "refunded"),
  provider_transaction_id: fc.option(fc.constantFrom("p1", "p2", "p3", "p4", "p5"), { nil: null }),
  our_reference: fc.option(id, { nil: null }),
  transaction_hash: fc.constantFrom(null, "h1", "h2"),
  wallet_address: fc.constantFrom(null, "w1", "w2"),
  fiat_gross: amount,
  fiat_currency: fc.constantFrom("EUR", "USD"),
  effective_at: day,
  net_amount: fc.constantFrom("0", "1.5", "-2"),
  payout_ref: fc.constantFrom(null, "P1", "P2"),
  side: maybe("buy").map((side) => side ?? null),
});

/**
 * Both payouts in both currencies, or none: the only payout of a file takes in what names none, and then it would make a
 * difference how lines are spread over files.
 */
const payouts = fc
  .option(fc.array(fc.record({ effective_at: day, net_amount: fc.constantFrom("1.5", "3") }), fourOf), {
    nil: [],
  })
  .map((found) =>
    found.map((payout, at): ALine => ({
      ...payout,
      key: `payout ${at}`,
      type: "payout",
      payout_ref: at % 2 === 0 ? "P1" : "P2",
      net_currency: at < 2 ? "EUR" : "USD",
    })),
  );

export const randomBooks: fc.Arbitrary<RandomBooks> = fc.record({
  records: fc.uniqueArray(aRecord, {
    minLength: 1,
    maxLength: 14,
    selector: ({ id: name, at, status }) => `${name} ${at} ${String(status)}`,
  }),
  lines: fc.tuple(fc.array(aLine, { maxLength: 12 }), payouts).map(([lines, paid]) => [
    ...paid,
    ...lines.map((line, at): ALine => ({
      ...line,
      key: `line ${String(at).padStart(2, "0")}`,
      type: line.type as NonNullable<ALine["type"]>,
      status: line.status as NonNullable<ALine["status"]>,
      fiat_net: line.fiat_gross,
      fee_total: "0",
      fee_currency: line.fiat_currency,
      net_currency: line.fiat_currency,
    })),
  ]),
});
