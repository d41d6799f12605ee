import { z } from "@hono/zod-openapi";
import { type Refusal, single } from "./parameters.ts";
import { problem } from "./problem.ts";

/** Ids of our own objects: what kind it is, then its number in the database. */
const kinds = {
  payout: "po",
  match: "mat",
  discrepancy: "dis",
  line: "lin",
  statement: "stm",
  person: "per",
  receipt_file: "rcf",
  receipt_line: "rcl",
  receipt_match: "rcm",
  fee_schedule: "fee",
  approval: "apr",
  alert: "alr",
  alert_rule: "arl",
} as const;
type Kind = keyof typeof kinds;

export function referenceTo(kind: Kind, id: string | number): string;
export function referenceTo(kind: Kind, id: string | number | null): string | null;
export function referenceTo(kind: Kind, id: string | number | null): string | null {
  return id === null ? null : `${kinds[kind]}_${id}`;
}

/** The number; `null` when it is the id of something else, or of nothing. */
export function readReference(kind: Kind, text: string): number | null {
  const [, prefix, number] = /^([a-z]+)_([1-9]\d{0,14})$/.exec(text) ?? [];
  return prefix === kinds[kind] ? Number(number) : null;
}

/** Of a path: an id of the wrong kind is simply not there. */
export function foundReference(kind: Kind, text: string): number {
  return readReference(kind, text) ?? notFound(kind);
}

export function notFound(kind: Kind): never {
  throw problem("not_found", `There is no such ${kind} that you may see.`);
}

export function referenceParams(kind: Kind) {
  return z.strictObject({ id: z.string().openapi({ example: `${kinds[kind]}_12` }) });
}

export function referenceParameter(kind: Kind, description: string) {
  const example = `${kinds[kind]}_12`;
  return single(
    { description, example },
    (text): number | Refusal =>
      readReference(kind, text) ?? {
        refused: `is not the id of a ${kind}, such as ${example}`,
        code: "invalid_id",
      },
  );
}

/** In a body: the number of what it names. */
export function referenceField(kind: Kind) {
  const example = `${kinds[kind]}_12`;
  return z
    .string()
    .transform((text, context) => {
      const id = readReference(kind, text);
      if (id !== null) return id;
      context.addIssue({
        code: "custom",
        message: `is not the id of a ${kind}, such as ${example}`,
        params: { code: "invalid_id" },
      });
      return z.NEVER;
    })
    .openapi({ type: "string", example });
}
