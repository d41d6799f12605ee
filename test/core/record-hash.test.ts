import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicaliseJson, emptyObject } from "../../src/core/canonical-json.ts";
import { decimal } from "../../src/core/decimal.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { hashVersion, recordHash, recordHashText } from "../../src/core/record-hash.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";

const completed: TransactionRecord = {
  transactionId: "01H6DQWMRCQ7Z9V3K5T8X2Y4B6",
  status: "completed",
  statusDate: formatInstant(Date.UTC(2023, 6, 28, 7, 56, 42, 12)),
  transactionType: "buy",
  provider: "banxa",
  providerTransactionId: "c2ad7f4a6b1e4f0f8a9d3e5b7c1d9f02",
  paymentMethod: "creditcard",
  country: "us",
  sourceCurrency: "usd",
  inAmount: decimal("68"),
  targetCurrency: "eth",
  outAmount: decimal("0.020208712345678901"),
  transactionHash: "",
  walletAddress: "0xAbC0000000000000000000000000000000000001",
  apiKey: null,
  extra: emptyObject,
};

// Computed apart from this code, with Python's hashlib over a text written by hand: anyone must be able to.
const text =
  '{"country":"us","hashVersion":1,"inAmount":"68","outAmount":"0.020208712345678901","paymentMethod":"creditcard",' +
  '"provider":"banxa","providerTransactionId":"c2ad7f4a6b1e4f0f8a9d3e5b7c1d9f02","sourceCurrency":"usd",' +
  '"status":"completed","statusDate":"2023-07-28T07:56:42.012Z","targetCurrency":"eth","transactionHash":"",' +
  '"transactionId":"01H6DQWMRCQ7Z9V3K5T8X2Y4B6","transactionType":"buy",' +
  '"walletAddress":"0xAbC0000000000000000000000000000000000001"}';

test("a known record has the text and the hash that version 1 promises", () => {
  expect(hashVersion).toBe(1);
  expect(recordHashText(completed)).toBe(text);
  expect(recordHash(completed)).toBe("1d03bed187b00deaf5640166629b54320d17fb4c934cf85de7dfe92a053d2a13");
});

test("unknown fields and letters outside ASCII are part of the hash, as UTF-8", () => {
  const record = { ...completed, country: "é😀", extra: json('{"b":1.50,"a":{"ü":null}}') };
  const expected = text
    .replace('"us"', '"é😀"')
    .replace(',"hashVersion"', ',"extra":{"a":{"ü":null},"b":1.5},"hashVersion"');
  expect(recordHashText(record)).toBe(expected);
  expect(recordHash(record)).toBe("e144d5e3b131340f3f1bc93fafdc4ad6e883f12b464bd4582f2fcd60a9c2ebd6");
});

test("the order of a record's own keys makes no difference", () => {
  const backwards = Object.fromEntries(
    Object.entries(completed).toReversed(),
  ) as unknown as TransactionRecord;
  expect(recordHash(backwards)).toBe(recordHash(completed));
});

test("each field changes the hash, and an empty text is not an absent one", () => {
  const changes: Partial<TransactionRecord>[] = [
    {},
    { apiKey: "" },
    { apiKey: "pk" },
    { transactionHash: null },
    { walletAddress: "0xabc0000000000000000000000000000000000001" },
    { inAmount: null },
    { inAmount: decimal("68.000000000000000001") },
    { outAmount: decimal("0.020208712345678902") },
    { status: "paid" },
    { statusDate: formatInstant(Date.UTC(2023, 6, 28, 7, 56, 42, 13)) },
    { extra: json('{"apiKey":null}') },
    { extra: json('{"partnerContext":"a"}') },
  ];
  const hashes = changes.map((change) => recordHash({ ...completed, ...change }));
  expect(new Set(hashes).size).toBe(changes.length);
});

test("what is hashed is canonical JSON of the record without its nulls", () => {
  const awkward = fc.constantFrom('"', "\\", "\n", "\u0001", "\u007f", "\u2028", "😀");
  const unit = fc.oneof(awkward, fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }));
  const word = fc.option(fc.string({ unit }), { nil: null });
  const amount = fc.option(
    fc.bigInt().map((units) => decimal(`${units}e-18`)),
    { nil: null },
  );
  fc.assert(
    fc.property(word, word, amount, fc.jsonValue(), (country, walletAddress, inAmount, more) => {
      const extra = canonicaliseJson(JSON.stringify({ more }));
      fc.pre(extra !== null);
      const record = { ...completed, country, walletAddress, inAmount, extra };
      const members = Object.entries(record).filter(([, value]) => value !== null);
      const plain = JSON.stringify({ hashVersion: 1, ...Object.fromEntries(members) });
      const expected = canonicaliseJson(plain.replace(JSON.stringify(extra), () => extra));
      expect(recordHashText(record)).toBe(expected);
      expect(recordHash(record)).toBe(
        createHash("sha256")
          .update(expected ?? "", "utf8")
          .digest("hex"),
      );
    }),
  );
});

function json(source: string) {
  const canonical = canonicaliseJson(source);
  if (canonical === null) throw new Error("not JSON");
  return canonical;
}
