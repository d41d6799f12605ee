import { z } from "@hono/zod-openapi";

/** The fields that an object may have at a place of a body, so that a wrong name can be put right; `null`: that depends. */
export function fieldsAt(
  schema: z.ZodType | undefined,
  path: readonly PropertyKey[],
  given: unknown,
): string[] | null {
  const inner = unwrapped(schema, given);
  const [key, ...rest] = path;
  if (inner instanceof z.ZodObject) {
    const shape = inner.shape as Record<string, z.ZodType>;
    return key === undefined ? Object.keys(shape) : fieldsAt(shape[String(key)], rest, at(given, key));
  }
  if (key === undefined) return null;
  if (inner instanceof z.ZodArray) return fieldsAt(inner.element as z.ZodType, rest, at(given, key));
  if (inner instanceof z.ZodRecord) return fieldsAt(inner.valueType as z.ZodType, rest, at(given, key));
  return null;
}

/** Without what only says that it may be missing, and of several forms the one that is meant. */
function unwrapped(schema: z.ZodType | undefined, given: unknown): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrapped(schema.unwrap() as z.ZodType, given);
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType, given);
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema;
  const key = schema.def.discriminator;
  const meant = (schema.options as z.ZodObject[]).find(
    ({ shape }) => (shape[key] as z.ZodType | undefined)?.safeParse(at(given, key)).success,
  );
  return unwrapped(meant, given);
}

function at(given: unknown, key: PropertyKey): unknown {
  return typeof given === "object" && given !== null
    ? (given as Record<PropertyKey, unknown>)[key]
    : undefined;
}
