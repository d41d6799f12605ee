import { expect, test } from "vitest";
import { parseInstant } from "../../src/core/instant.ts";
import { instantOf } from "../../src/store/clock-time.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test.each([
  "2023-07-28T07:56:42.000Z",
  "2023-07-28T07:56:42.500Z",
  "2023-07-28T07:56:42.012Z",
  "2023-07-28T07:56:42.012300Z",
  "2024-02-29T23:59:59.999999Z",
  "0001-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
])("the database's text of %s is read back as the instant it is", async (text) => {
  const [row] = await database.db.query<{ time: string }>("select $1::timestamptz::text as time", [text]);
  expect(instantOf(row?.time ?? "")).toBe(parseInstant(text));
});

test.each(["infinity", "-infinity", "0044-03-15 00:00:00+00 BC", "10000-01-01 00:00:00+00"])(
  "%s is not an instant",
  (text) => expect(() => instantOf(text)).toThrow(`the time ${text} of the database cannot be read back`),
);
