import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordHash } from "../../src/core/record-hash.ts";
import { parseExactJson } from "../../src/upstream/exact-json.ts";
import { normalisePage, normaliseRecord } from "../../src/upstream/normalise.ts";

/** A record as the specification shows it. */
const asListed = {
  apiKey: "pk_prod_01",
  country: "us",
  inAmount: 68,
  outAmount: 0.00202087,
  onramp: "banxa",
  onrampTransactionId: "c2ad7f4a6b1e4f0f8a9d3e5b7c1d9f02",
  paymentMethod: "creditcard",
  sourceCurrency: "usd",
  targetCurrency: "btc",
  status: "completed",
  statusDate: "2023-07-28T07:56:42.012Z",
  transactionId: "01H6DQWMRCQ7Z9V3K5T8X2Y4B6",
  transactionType: "buy",
  transactionHash: "f00d",
  walletAddress: "bc1qexample",
};

describe("a record of the specification", () => {
  test("becomes a transaction record, each field in its place", () => {
    expect(normaliseRecord(asListed)).toEqual({
      kind: "record",
      receivedStatus: "completed",
      record: {
        transactionId: "01H6DQWMRCQ7Z9V3K5T8X2Y4B6",
        status: "completed",
        statusDate: "2023-07-28T07:56:42.012Z",
        transactionType: "buy",
        provider: "banxa",
        providerTransactionId: "c2ad7f4a6b1e4f0f8a9d3e5b7c1d9f02",
        paymentMethod: "creditcard",
        country: "us",
        sourceCurrency: "usd",
        inAmount: "68",
        targetCurrency: "btc",
        outAmount: "0.00202087",
        transactionHash: "f00d",
        walletAddress: "bc1qexample",
        apiKey: "pk_prod_01",
        extra: "{}",
      },
    });
  });

  test("is kept with nulls when only its three required fields came", () => {
    const record = accepted({ transactionId: "a", status: "new", statusDate: "2023-07-28T07:56:42Z" });
    expect(record).toMatchObject({ inAmount: null, outAmount: null, provider: null, transactionHash: null });
    expect(record.statusDate).toBe("2023-07-28T07:56:42.000Z");
  });
});

describe("one record in many spellings has one hash", () => {
  const hash = hashOf(asListed);
  const respelled: Record<string, Record<string, unknown>> = {
    "amounts as texts": { ...asListed, inAmount: "68.00", outAmount: "2.02087e-3" },
    "keys in other letter case": Object.fromEntries(
      Object.entries(asListed).map(([key, value]) => [key.toUpperCase(), value]),
    ),
    "names of older servers": {
      ...without(
        asListed,
        "transactionId",
        "onramp",
        "onrampTransactionId",
        "transactionHash",
        "walletAddress",
      ),
      TxId: asListed.transactionId,
      gatewayIdentifier: asListed.onramp,
      externalTransactionId: asListed.onrampTransactionId,
      txHash: asListed.transactionHash,
      wallet: asListed.walletAddress,
    },
    "onramp for buy": { ...without(asListed, "transactionType"), txType: "ONRAMP" },
    "success for completed": { ...asListed, status: "success" },
    "an offset for Z": { ...asListed, statusDate: "2023-07-28T09:56:42.012+02:00" },
    "nulls for absent unknown fields": { ...asListed, partnerContext: null },
    "the sort key beside the date": { ...asListed, sk: asListed.statusDate },
    "an alias that says the same, and one that is empty": { ...asListed, txHash: "f00d", wallet: "" },
  };

  test.each(Object.keys(respelled))("%s", (name) => {
    expect(hashOf(respelled[name])).toBe(hash);
  });

  test("any order of keys, any white space, any spelling of a number", () => {
    const spelling = fc.constantFrom("68", "68.0", "68.00", "6.8e1", "680e-1", '"68"', '"068.0"');
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(asListed), { minLength: 15 }), spelling, (keys, amount) => {
        const members = keys.map((key) => {
          const value = key === "inAmount" ? amount : JSON.stringify(asListed[key as keyof typeof asListed]);
          return `\n "${key}" :\t${value}`;
        });
        expect(hashOf(parseExactJson(`{${members.join(",")}}`))).toBe(hash);
      }),
    );
  });

  test("partnerFee as a text and as a number, under any letter case", () => {
    const fees = [{ partnerFee: "0.010" }, { partnerFee: 0.01 }, { PartnerFee: "1e-2" }];
    expect(new Set(fees.map((fee) => hashOf({ ...asListed, ...fee }))).size).toBe(1);
  });
});

describe("what is received stays", () => {
  test("18 decimals, and integers beyond 2^53", () => {
    const text = JSON.stringify(asListed)
      .replace("0.00202087", "0.123456789012345678")
      .replace("68,", "9007199254740993,");
    expect(accepted(parseExactJson(text))).toMatchObject({
      inAmount: "9007199254740993",
      outAmount: "0.123456789012345678",
    });
  });

  test("unknown fields, with every digit, sorted", () => {
    const text = `{"z":[1.50,0.1234567890123456789],"a":{"é":true},${JSON.stringify(asListed).slice(1)}`;
    expect(accepted(parseExactJson(text)).extra).toBe('{"a":{"é":true},"z":[1.5,0.1234567890123456789]}');
  });

  test("an unknown status, as text and open", () => {
    const outcome = normaliseRecord({ ...asListed, status: "KYC_Review" });
    expect(outcome).toMatchObject({ receivedStatus: "KYC_Review", record: { status: "KYC_Review" } });
  });

  test("the word received for a folded status, beside the record", () => {
    expect(normaliseRecord({ ...asListed, status: "Cancelled" })).toMatchObject({
      receivedStatus: "Cancelled",
      record: { status: "canceled" },
    });
  });

  test("an empty text, which is not an absent one", () => {
    expect(accepted({ ...asListed, transactionHash: "" }).transactionHash).toBe("");
    expect(accepted(without(asListed, "transactionHash")).transactionHash).toBeNull();
  });

  test("a provider's integer id, as text and with all its digits", () => {
    const text = JSON.stringify(asListed).replace(
      '"c2ad7f4a6b1e4f0f8a9d3e5b7c1d9f02"',
      "12345678901234567890",
    );
    expect(accepted(parseExactJson(text)).providerTransactionId).toBe("12345678901234567890");
  });

  test("a text field that holds an object: null, and the object in extra under its name", () => {
    const record = accepted({ ...asListed, walletAddress: { address: "bc1q" } });
    expect(record.walletAddress).toBeNull();
    expect(record.extra).toBe('{"walletAddress":{"address":"bc1q"}}');
  });

  test("two names for one field that disagree: the specification's counts, the other stays in extra", () => {
    const record = accepted({ ...asListed, txHash: "beef" });
    expect(record.transactionHash).toBe("f00d");
    expect(record.extra).toBe('{"txHash":"beef"}');
  });

  test("an empty field is filled from its other name", () => {
    expect(accepted({ ...asListed, transactionHash: "", txHash: "beef" })).toMatchObject({
      transactionHash: "beef",
      extra: "{}",
    });
  });

  test("nothing-words in an amount mean that there is none", () => {
    for (const nothing of ["", null, "null"])
      expect(accepted({ ...asListed, outAmount: nothing }).outAmount).toBeNull();
  });
});

describe("a record that cannot be understood is a rejection with its reason", () => {
  const nested = JSON.parse("[".repeat(40) + "]".repeat(40)) as unknown;
  test.each([
    ["not_an_object", null, "a text"],
    ["not_an_object", null, null],
    ["not_an_object", null, [asListed]],
    ["transaction_id_missing", "transactionId", without(asListed, "transactionId")],
    ["transaction_id_missing", "transactionId", { ...asListed, transactionId: "" }],
    ["transaction_id_missing", "transactionId", { ...asListed, transactionId: { id: 1 } }],
    ["status_missing", "status", { ...asListed, status: null }],
    ["status_date_missing", "statusDate", without(asListed, "statusDate")],
    ["status_date_not_an_instant", "statusDate", { ...asListed, statusDate: "28/07/2023" }],
    ["status_date_not_an_instant", "statusDate", { ...asListed, statusDate: 1_690_530_902_012 }],
    ["amount_not_a_decimal", "inAmount", { ...asListed, inAmount: "1,200.50" }],
    ["amount_not_a_decimal", "outAmount", { ...asListed, outAmount: { value: 1 } }],
    ["nested_too_deep", null, { ...asListed, deep: nested }],
    ["text_not_storable", "walletAddress", { ...asListed, walletAddress: "a\0b" }],
    ["text_not_storable", "note", { ...asListed, note: ["\ud83d"] }],
    ["number_out_of_range", null, parseExactJson(`{"big":1e999,${JSON.stringify(asListed).slice(1)}`)],
  ])("%s (%s)", (reason, field, raw) => {
    expect(normaliseRecord(raw)).toMatchObject({ kind: "rejection", reason, field });
  });

  test("its raw text keeps the digits, and holds nothing that a database could refuse", () => {
    const text = '{"inAmount":0.1234567890123456789,"note":"a\\u0000b"}';
    expect(normaliseRecord(parseExactJson(text))).toMatchObject({ raw: text });
  });
});

test("fault 15: whatever a field holds, received = records + rejections, and nothing throws", () => {
  const anything = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant(undefined));
  const replacements = fc.dictionary(fc.constantFrom(...Object.keys(asListed)), anything);
  const mutated = fc
    .tuple(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), replacements)
    .map(([more, replaced]) => Object.assign({}, asListed, more, replaced));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(mutated, fc.jsonValue(), fc.constant(asListed)), { maxLength: 8 }),
      (raw) => {
        const { records, rejections } = normalisePage(raw);
        expect(records.length + rejections.length).toBe(raw.length);
        for (const { record } of records) expect(recordHash(record)).toMatch(/^[0-9a-f]{64}$/);
      },
    ),
  );
});

function accepted(raw: unknown) {
  const outcome = normaliseRecord(raw);
  if (outcome.kind !== "record") throw new Error(`rejected: ${outcome.reason} ${outcome.field}`);
  return outcome.record;
}

function hashOf(raw: unknown): string {
  return recordHash(accepted(raw));
}

function without(record: Record<string, unknown>, ...fields: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
}
