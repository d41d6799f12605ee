import { z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { refuseInput } from "../../src/api/input.ts";

const body = z.strictObject({
  name: z.string().min(1).max(5),
  role: z.enum(["viewer", "admin"]),
  parts: z.array(z.string()).min(2).max(3),
  limit: z.int().min(1).max(9),
  from: z.iso.datetime({ offset: true }),
  rule: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("old") }),
      z.object({ kind: z.enum(["late", "lost"]) }),
    ])
    .optional(),
  currency: z.string().regex(/^[A-Z]{3}$/, "is not a currency, such as EUR"),
});
const right = {
  name: "Carol",
  role: "admin",
  parts: ["a", "b"],
  limit: 3,
  from: "2026-11-14T09:30:00Z",
  currency: "EUR",
};

test.each([
  ["name is missing", { ...right, name: undefined }],
  ["name must be a text, not a number", { ...right, name: 7 }],
  ["name is empty", { ...right, name: "" }],
  ["name must have at most 5 characters", { ...right, name: "Caroline" }],
  ["role must be one of viewer, admin", { ...right, role: "king" }],
  ["parts must have at least 2 items", { ...right, parts: ["a"] }],
  ["parts.0 must be a text, not a number", { ...right, parts: [1, "b"] }],
  ["limit must be a whole number", { ...right, limit: 2.5 }],
  ["limit must be at most 9", { ...right, limit: 10 }],
  ["limit must be a number, not null", { ...right, limit: null }],
  ["from must be a time such as 2026-11-14T09:30:00Z", { ...right, from: "noon" }],
  ["currency is not a currency, such as EUR", { ...right, currency: "euro" }],
  ["rule.kind must be one of old, late, lost", { ...right, rule: { kind: "new" } }],
  ["The body must be an object, not a list", []],
])("%s", (words, given) => {
  const issues = body.safeParse(given).error?.issues ?? [];
  const refused = refuseInput(issues.map((issue) => ({ place: "body", issue, known: [] })));
  expect(refused.message).toBe(words);
});
