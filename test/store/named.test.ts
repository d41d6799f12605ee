import { expect, test } from "vitest";
import { bindNamed } from "../../src/store/named.ts";

test("a name is bound once, as a text or a number, whatever stands between", () => {
  expect(bindNamed("select :a, :'b', :a where x::int > 1", { a: 7, b: "x" })).toEqual({
    text: "select $1::int, $2::text, $1::int where x::int > 1",
    values: [7, "x"],
  });
});

test("what the statement casts comes as that type, and not as a text to be read for every row", () => {
  const at = "2026-01-01T00:00:00Z";
  const text = "select :'at'::timestamptz, :'at', :'at'::timestamptz - interval '1 day', :'ids'::bigint[]";
  expect(bindNamed(text, { at, ids: [1, 2] })).toEqual({
    text: "select $1::timestamptz, $2::text, $1::timestamptz - interval '1 day', $3::bigint[]",
    values: [at, at, [1, 2]],
  });
});

test("a name that is not given is a mistake of ours", () => {
  expect(() => bindNamed("select :missing", {})).toThrow(/names missing/);
});
