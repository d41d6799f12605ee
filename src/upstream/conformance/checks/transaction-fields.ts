import { z } from "zod";
import { type Check, notApplicable } from "../check.ts";
import { expectEach } from "../expect.ts";
import { someRecords } from "../history.ts";
import { lowerCase, statusDate, transactionTexts } from "../shapes.ts";
import type { Target } from "../target.ts";

const hashObservation =
  "The pending record has an empty transactionHash and the completed record has a non-empty one.";

/** The rows of the table of a Transaction record, each held against the records of the account. */
export const transactionFieldChecks: readonly Check[] = [
  {
    id: "transactions.record.texts",
    sentence: "| onrampTransactionId | string | provider's own id |",
    run: (target) => expectRecords(target, transactionTexts, "the string fields of a record"),
  },
  {
    id: "transactions.record.api-key",
    sentence: "Transaction records expose `apiKey` as a key identifier of the owning account.",
    run: (target) => expectRecords(target, z.looseObject({ apiKey: z.string().min(1) }), "a filled `apiKey`"),
  },
  {
    id: "transactions.record.in-amount-is-a-number",
    sentence: "| inAmount | number | amount paid |",
    run: (target) => expectRecords(target, z.looseObject({ inAmount: z.number() }), "a number `inAmount`"),
  },
  {
    id: "transactions.record.out-amount-is-a-number",
    sentence: "| outAmount | number | amount received |",
    run: (target) => expectRecords(target, z.looseObject({ outAmount: z.number() }), "a number `outAmount`"),
  },
  {
    id: "transactions.record.country-is-lower-case",
    sentence: "| country | string | lower-case code |",
    run: (target) => expectRecords(target, z.looseObject({ country: lowerCase }), "a lower-case `country`"),
  },
  {
    id: "transactions.record.source-currency-is-lower-case",
    sentence: "| sourceCurrency | string | lower-case code |",
    run: (target) =>
      expectRecords(target, z.looseObject({ sourceCurrency: lowerCase }), "a lower-case `sourceCurrency`"),
  },
  {
    id: "transactions.record.target-currency-is-lower-case",
    sentence: "| targetCurrency | string | lower-case code |",
    run: (target) =>
      expectRecords(target, z.looseObject({ targetCurrency: lowerCase }), "a lower-case `targetCurrency`"),
  },
  {
    id: "transactions.record.status-date-has-milliseconds-and-z",
    sentence: "| statusDate | string | ISO 8601 timestamp with milliseconds and Z |",
    run: (target) =>
      expectRecords(target, z.looseObject({ statusDate }), "`statusDate` as 2026-01-31T12:00:00.000Z"),
  },
  {
    id: "transactions.record.type-is-buy-or-sell",
    sentence: "| transactionType | string | buy or sell |",
    run: (target) =>
      expectRecords(target, z.looseObject({ transactionType: z.enum(["buy", "sell"]) }), "buy or sell"),
  },
  {
    id: "transactions.record.hash-is-a-string",
    sentence: "| transactionHash | string | empty string until a chain hash exists |",
    run: (target) =>
      expectRecords(target, z.looseObject({ transactionHash: z.string() }), "a string `transactionHash`"),
  },
  {
    id: "transactions.record.pending-has-no-hash",
    sentence: hashObservation,
    run: (target) => expectHash(target, "pending", z.literal("")),
  },
  {
    id: "transactions.record.completed-has-a-hash",
    sentence: hashObservation,
    run: (target) => expectHash(target, "completed", z.string().min(1)),
  },
];

async function expectRecords(target: Target, shape: z.ZodType, expected: string): Promise<void> {
  const { answer, records } = await someRecords(target);
  expectEach(answer, { at: "transactions", items: records }, shape, expected);
}

async function expectHash(target: Target, status: string, hash: z.ZodType): Promise<void> {
  const { answer, records } = await someRecords(target);
  const items = records.filter((record) => record["status"] === status);
  if (items.length === 0) notApplicable(`no record at hand is ${status}`);
  const expected = status === "pending" ? "an empty `transactionHash`" : "a filled `transactionHash`";
  expectEach(answer, { at: status, items }, z.looseObject({ transactionHash: hash }), expected);
}
