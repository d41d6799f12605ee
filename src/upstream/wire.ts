/** The pieces of which the answers' schemas are made. Unknown fields are kept; known ones are checked. */
import { isLosslessNumber } from "lossless-json";
import { z } from "zod";
import type { Decimal } from "../core/decimal.ts";
import { UnexpectedBody } from "./errors.ts";
import { decimalFromWire } from "./exact-json.ts";
import { isTooDeep } from "./nesting.ts";

/** A text, or a number where a text was expected: ids are sometimes sent as numbers. */
export const wireText = z.unknown().transform(textFromWire);

/** An amount, rate or fee: exact, from the wire's own digits. */
export const wireDecimal = z.unknown().transform((value, context): Decimal => {
  const parsed = decimalFromWire(value);
  if (parsed !== null) return parsed;
  context.addIssue({ code: "custom", message: "expected a decimal" });
  return z.NEVER;
});

export const wireInteger = z.unknown().transform((value, context): number => {
  const parsed = Number(decimalFromWire(value) ?? Number.NaN);
  if (Number.isSafeInteger(parsed)) return parsed;
  context.addIssue({ code: "custom", message: "expected an integer" });
  return z.NEVER;
});

/** Decimals of a coin or token: contracts state them in one byte. */
export const wireDecimals = wireInteger.refine((value) => value >= 0 && value <= 255, {
  message: "expected 0 to 255",
});

/** The name by which an entry is found again; a real one is never longer, and an index holds no text of any length. */
export const wireId = wireText.refine((text) => text.length <= 500, {
  message: "expected at most 500 characters",
});

/** What the specification shows but does not promise: `null` when it is absent. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema
    .nullable()
    .optional()
    .transform((value) => value ?? null);
}

/** A list that may be left out: then it is empty. */
export function orEmpty<T extends z.ZodType>(schema: T) {
  return z
    .array(schema)
    .nullable()
    .optional()
    .transform((value) => value ?? []);
}

/** Checks an answer against its schema; the error says which field. */
export function readAs<T extends z.ZodType>(schema: T): (body: unknown) => z.output<T> {
  return (body) => {
    if (isTooDeep(body)) throw new UnexpectedBody(null, "nested too deep");
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    const [issue] = result.error.issues;
    throw new UnexpectedBody(pathText(issue?.path ?? []), issue?.message ?? "of another shape");
  };
}

export function pathText(path: readonly PropertyKey[]): string | null {
  if (path.length === 0) return null;
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}

function textFromWire(value: unknown, context: z.RefinementCtx): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (isLosslessNumber(value)) return value.value;
  context.addIssue({ code: "custom", message: "expected a text" });
  return z.NEVER;
}
