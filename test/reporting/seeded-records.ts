/**
 * Eight days in March 2026, small enough to be added up by hand, with one example of everything that people ask about:
 * a batch payout, a stuck payment, a reversal, a word nobody knows, a record that came late and one that vanished.
 */
export interface SeededTransaction {
  readonly id: string;
  readonly account: "acme" | "beta";
  readonly fields: Readonly<Record<string, string>>;
  readonly statuses: readonly SeededStatus[];
}

export interface SeededStatus {
  readonly status: string;
  /** The aggregator's time. */
  readonly at: string;
  readonly outAmount?: string;
  readonly transactionHash?: string;
  readonly extra?: Readonly<Record<string, string>>;
  /** Not listed on its day: found by the deep re-read later. */
  readonly late?: true;
}

/** Amounts as texts, as some servers send them. */
export const seededTransactions: readonly SeededTransaction[] = [
  acme("T01", card("moonpay"), buy("eur", "100", "btc"), [
    at("pending", "03-01T09:00:00Z", { outAmount: "0.002" }),
    at("paid", "03-01T09:02:00Z", { outAmount: "0.002" }),
    at("completed", "03-01T09:10:00Z", { outAmount: "0.00202087", transactionHash: "hash-of-T01" }),
  ]),
  acme("T02", card("moonpay"), buy("eur", "250.5", "btc"), [
    at("pending", "03-01T10:00:00Z"),
    at("completed", "03-01T10:30:00Z", { outAmount: "0.00506228", transactionHash: "hash-of-a-batch" }),
  ]),
  acme("T03", card("moonpay"), buy("usd", "75", "eth"), [
    at("pending", "03-01T11:00:00Z"),
    at("failed", "03-01T11:05:00Z", { extra: { statusReason: "card declined" } }),
  ]),
  acme("T04", bank("transak"), buy("eur", "1000", "usdc_base"), [
    at("new", "03-02T08:00:00Z"),
    at("pending", "03-02T08:05:00Z"),
    at("paid", "03-02T12:00:00Z"),
    at("completed", "03-03T08:00:00Z", { outAmount: "1075.25", transactionHash: "hash-of-T04" }),
  ]),
  acme("T05", card("transak"), buy("usd", "40", "usdc_base"), [
    at("pending", "03-02T09:00:00Z"),
    at("cancelled", "03-02T10:00:00Z"),
  ]),
  acme("T06", card("moonpay"), buy("eur", "60", "btc"), [
    at("completed", "03-02T10:40:00Z", { outAmount: "0.00121252", transactionHash: "hash-of-a-batch" }),
  ]),
  acme("T07", card("banxa"), buy("usd", "500", "eth"), [
    at("pending", "03-03T14:00:00Z"),
    at("completed", "03-03T14:45:00Z", { outAmount: "0.152345678901234567", transactionHash: "hash-of-T07" }),
  ]),
  acme("T08", bank("moonpay"), buy("eur", "300", "btc"), [at("pending", "03-03T16:00:00Z")]),
  acme("T09", bank("transak"), buy("eur", "820", "usdc_base"), [
    at("pending", "03-04T07:00:00Z"),
    at("paid", "03-04T07:30:00Z"),
  ]),
  acme("T10", card("banxa"), buy("eur", "150", "eth"), [
    at("completed", "03-04T13:00:00Z", { outAmount: "0.0451", transactionHash: "hash-of-T10" }),
    at("failed", "03-06T09:30:00Z", { outAmount: "0.0451", transactionHash: "hash-of-T10" }),
  ]),
  acme("T11", card("transak"), buy("usd", "90", "eth"), [
    at("pending", "03-05T10:00:00Z"),
    at("under_review", "03-05T10:20:00Z"),
  ]),
  acme("T12", bank("banxa"), sell("btc", "0.05", "eur"), [
    at("pending", "03-05T11:00:00Z"),
    at("completed", "03-06T11:00:00Z", { outAmount: "2410.4", transactionHash: "hash-of-T12" }),
  ]),
  acme("T13", card("moonpay"), buy("usd", "120", "eth"), [
    at("completed", "03-03T18:00:00Z", { outAmount: "0.0364", transactionHash: "hash-of-T13", late: true }),
  ]),
  acme("T14", card("transak"), buy("usd", "35", "usdc_base"), [at("failed", "03-03T20:00:00Z")]),
  acme("T15", card("moonpay"), buy("eur", "100", "btc"), [
    at("pending", "03-07T15:00:00Z"),
    at("completed", "03-07T15:20:00Z", { outAmount: "0.00199912", transactionHash: "hash-of-T15" }),
  ]),
  acme("T16", card("banxa"), buy("usd", "64.25", "eth"), [
    at("pending", "03-07T22:00:00Z"),
    at("completed", "03-08T01:30:00Z", { outAmount: "0.0195", transactionHash: "hash-of-T15" }),
  ]),
  acme("T17", card("transak"), buy("eur", "45", "usdc_base"), [at("pending", "03-08T11:00:00Z")]),
  acme("T18", bank("banxa"), buy("eur", "400", "btc"), [
    at("pending", "03-06T10:00:00Z"),
    at("completed", "03-07T16:00:00Z", { outAmount: "0.00801", transactionHash: "hash-of-T18" }),
  ]),
  beta("T01", card("moonpay"), buy("gbp", "200", "btc"), [
    at("pending", "03-04T08:00:00Z"),
    at("completed", "03-04T08:12:00Z", { outAmount: "0.00471", transactionHash: "hash-of-beta-T01" }),
  ]),
  beta("T02", card("moonpay"), buy("gbp", "55", "btc"), [at("pending", "03-05T19:00:00Z")]),
];

/** What the deep re-read of these days does not meet any more. */
export const vanishedId = "T14";

/** Records that cannot be understood, read with the window of that day. */
export const seededRejects: readonly { day: string; raw: Readonly<Record<string, unknown>> }[] = [
  { day: "2026-03-02", raw: { transactionId: "T90", status: "pending", onramp: "utorg", inAmount: 10 } },
  {
    day: "2026-03-06",
    raw: { transactionId: "T91", status: "paid", statusDate: "2026-03-06T12:00:00.000Z", inAmount: "12,50" },
  },
];

/** One status of a transaction in the aggregator's own shape. */
export function rawRecord(transaction: SeededTransaction, status: SeededStatus): Record<string, unknown> {
  return {
    apiKey: `pk_${transaction.account}`,
    country: "de",
    onrampTransactionId: `${transaction.fields["onramp"]}-${transaction.id}`,
    transactionId: transaction.id,
    walletAddress: `wallet-of-${transaction.id}`,
    ...transaction.fields,
    status: status.status,
    statusDate: status.at,
    outAmount: status.outAmount ?? "0",
    transactionHash: status.transactionHash ?? "",
    ...status.extra,
  };
}

type Fields = Record<string, string>;

function acme(id: string, way: Fields, pair: Fields, statuses: SeededStatus[]): SeededTransaction {
  return { id, account: "acme", fields: { ...way, ...pair }, statuses };
}

function beta(id: string, way: Fields, pair: Fields, statuses: SeededStatus[]): SeededTransaction {
  return { id, account: "beta", fields: { ...way, ...pair }, statuses };
}

function card(onramp: string): Fields {
  return { onramp, paymentMethod: "creditcard" };
}

function bank(onramp: string): Fields {
  return { onramp, paymentMethod: "sepainstant" };
}

function buy(sourceCurrency: string, inAmount: string, targetCurrency: string): Fields {
  return { transactionType: "buy", sourceCurrency, inAmount, targetCurrency };
}

function sell(sourceCurrency: string, inAmount: string, targetCurrency: string): Fields {
  return { transactionType: "sell", sourceCurrency, inAmount, targetCurrency };
}

function at(
  status: string,
  monthAndDay: string,
  more: Omit<SeededStatus, "status" | "at"> = {},
): SeededStatus {
  return { status, at: `2026-${monthAndDay}`, ...more };
}
