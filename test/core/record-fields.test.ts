import { expect, test } from "vitest";
import { emptyObject } from "../../src/core/canonical-json.ts";
import { decimal } from "../../src/core/decimal.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { type FieldType, recordFields, statedFields } from "../../src/core/record-fields.ts";
import { recordHash } from "../../src/core/record-hash.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";

/** Two values of each type, by which one record differs from another. */
const values: Record<FieldType, [unknown, unknown]> = {
  text: ["a", "b"],
  instant: [formatInstant(0), formatInstant(1)],
  decimal: [decimal("1"), decimal("2")],
  json: [emptyObject, '{"a":1}'],
  sha256: ["00", "01"],
  smallint: [1, 2],
};

test("a column is the field's name in the database's spelling", () => {
  for (const [name, { column }] of Object.entries(recordFields)) {
    expect(column).toBe(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  }
});

test("every field that a record states is part of its hash", () => {
  const plain = Object.fromEntries(statedFields.map((name) => [name, values[recordFields[name].type][0]]));
  const hashes = statedFields.map((name) => {
    const changed = { ...plain, [name]: values[recordFields[name].type][1] };
    return recordHash(changed as unknown as TransactionRecord);
  });
  expect(statedFields).toHaveLength(16);
  expect(new Set([...hashes, recordHash(plain as unknown as TransactionRecord)]).size).toBe(17);
});
