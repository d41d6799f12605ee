import { z } from "@hono/zod-openapi";
import { type Decimal, parseDecimal } from "../core/decimal.ts";
import { quote } from "../core/quote.ts";

/**
 * Query parameters: each with its document and with the words of its refusal. They arrive as lists, because a parameter
 * may be given twice; a message goes on after the parameter's name.
 */
export interface Refusal {
  refused: string;
  code?: string;
}

interface ParameterDoc {
  description: string;
  type?: "string" | "integer" | "boolean";
  example?: string | number | boolean;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean;
}

const textLengthMax = 1_000;
const valuesMax = 100;

/** A parameter with one value. */
export function single<T>(doc: ParameterDoc, read: (text: string) => T | Refusal) {
  return z
    .array(z.string())
    .transform((values, context): T => {
      const [text = ""] = values;
      const outcome =
        values.length > 1 ? { refused: "is given more than once" } : (refuseText(text) ?? read(text));
      return settle(outcome, context);
    })
    .optional()
    .openapi({ type: "string", ...doc });
}

/** A parameter with several values: as a comma list, or repeated. */
export function several<T extends string = string>(
  doc: ParameterDoc,
  read: (text: string) => T | Refusal = (text) => text as T,
) {
  return z
    .array(z.string())
    .transform((values, context): T[] => {
      const texts = values.flatMap((value) => value.split(","));
      if (texts.length > valuesMax)
        return settle<T[]>({ refused: `has more than ${valuesMax} values` }, context);
      return texts.map((text) => settle(refuseText(text) ?? read(text), context));
    })
    .optional()
    .openapi({
      type: "string",
      ...doc,
      description: `${doc.description} Several as a comma list, or repeated.`,
    });
}

export function oneOf<T extends string>(allowed: readonly T[]) {
  return (text: string): T | Refusal =>
    allowed.find((word) => word === text) ?? {
      refused: `is ${quote(text)}, and can be ${allowed.join(", ")}`,
      code: "invalid_choice",
    };
}

/** Several of a few words. */
export const choices = <T extends string>(description: string, words: readonly T[]) =>
  several({ description, enum: [...words] }, oneOf(words));

/** One of a few words. */
export const choice = <T extends string>(
  description: string,
  words: readonly T[],
  doc: Pick<ParameterDoc, "default"> = {},
) => single({ description, enum: [...words], ...doc }, oneOf(words));

export const accountFilter = several({ description: "Only of these accounts.", example: "default" });
/** In small letters, as the books keep them. */
export const providerFilter = several(
  { description: "Only of these providers.", example: "moonpay" },
  (text): string => text.toLowerCase(),
);

const limitMax = 100;
export const limitDefault = 25;

export const limitParameter = single(
  {
    type: "integer",
    minimum: 1,
    maximum: limitMax,
    default: limitDefault,
    description: "How many objects a page holds.",
  },
  (text): number | Refusal => {
    const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= limitMax) return limit;
    return {
      refused: `is ${quote(text)}, and must be a whole number from 1 to ${limitMax}`,
      code: "invalid_integer",
    };
  },
);

export const cursorParameter = single(
  { description: "`next_cursor` of the page before. With the same filters and sort." },
  (text): string => text,
);

export const textParameter = (description: string, example: string) =>
  single({ description, example }, (text): string => text);

/** Takes what a field of a body takes. */
export const fieldParameter = <T>(description: string, example: string, field: z.ZodType<T>) =>
  single({ description, example }, (text): T | Refusal => {
    const read = field.safeParse(text);
    return read.success ? read.data : { refused: read.error.issues[0]?.message ?? "is not taken" };
  });

/** For what belongs to one account. */
export const accountParameter = textParameter("The account; needed if the key may see several.", "default");

export const booleanParameter = (description: string) =>
  single({ type: "boolean", description }, (text): boolean | Refusal => {
    if (text === "true" || text === "false") return text === "true";
    return { refused: `is ${quote(text)}, and can be true or false`, code: "invalid_boolean" };
  });

export const amountParameter = (description: string) =>
  single({ description, example: "100.5" }, (text): Decimal | Refusal => {
    return (
      parseDecimal(text) ?? {
        refused: `is not an amount: ${quote(text)}. Use digits and a point, for example 100.5.`,
        code: "invalid_amount",
      }
    );
  });

/** What every list takes. */
export const listParameters = { limit: limitParameter, cursor: cursorParameter };

function refuseText(text: string): Refusal | null {
  if (text === "") return { refused: "is empty", code: "empty" };
  if (text.length > textLengthMax)
    return { refused: `is longer than ${textLengthMax} characters`, code: "too_long" };
  return text.includes("\0") ? { refused: "holds a NUL character", code: "invalid_text" } : null;
}

function settle<T>(outcome: T | Refusal, context: z.RefinementCtx): T {
  if (typeof outcome !== "object" || outcome === null || !("refused" in outcome)) return outcome;
  context.addIssue({
    code: "custom",
    message: outcome.refused,
    params: { code: outcome.code ?? "invalid_value" },
  });
  return z.NEVER;
}
