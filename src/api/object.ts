import { z } from "@hono/zod-openapi";
import { isoTime } from "./present.ts";

/**
 * Our objects, each described once: the schema that documents it, how a row becomes it, and an example that is made of a row
 * in the same way. A member is what the row holds under its name (`created_at` may be `createdAt` there), times in our form;
 * `present` says the others. Whatever else a row holds is not shown.
 */
export function describeObject<Members extends Shape, Row extends object, More extends unknown[]>(object: {
  /** In the document. */
  name: string;
  /** What `object` says. */
  object: string;
  members: Members;
  present: (row: Row, ...more: More) => Own<Members, Row>;
  /** What may be null and is left out is null. `test/api/openapi.test.ts` holds what comes of it against the schema. */
  example: Partial<Row>;
  exampleWith?: More;
}): ApiObject<Members, Row, More> {
  const schema = z.strictObject({ object: z.literal(object.object), ...object.members }).openapi(object.name);
  const members = Object.entries(object.members).map(([name, member]) => ({
    name,
    inRow: camelOf(name),
    isTime: isTime(member),
  }));
  const present = (row: Row, ...more: More): Presented<Members> => {
    const held = row as Readonly<Record<string, unknown>>;
    const own: Readonly<Record<string, unknown>> = object.present(row, ...more);
    const shown: Record<string, unknown> = { object: object.object };
    for (const { name, inRow, isTime: isHeldTime } of members) {
      const value = name in held ? held[name] : held[inRow];
      shown[name] = name in own ? own[name] : isHeldTime ? isoTime(value as string | null) : value;
    }
    return shown as Presented<Members>;
  };
  const nulls = Object.fromEntries(members.map(({ inRow }) => [inRow, null]));
  const exampleRow = { ...nulls, ...object.example } as Row;
  return {
    schema: schema as unknown as ApiObject<Members, Row, More>["schema"],
    present,
    example: present(exampleRow, ...((object.exampleWith ?? []) as unknown as More)),
  };
}

export interface ApiObject<Members extends Shape, Row, More extends unknown[] = []> {
  schema: z.ZodType<Presented<Members>> & { shape: Members & { object: z.ZodLiteral<string> } };
  present: (row: Row, ...more: More) => Presented<Members>;
  example: Presented<Members>;
}

/** The same object with further members, which its sender adds. */
export function withMembers<Members extends Shape, More extends Shape>(
  base: ApiObject<Members, never, never>,
  name: string,
  members: More,
  example: Output<More>,
) {
  const schema = z.strictObject({ ...base.schema.shape, ...members }).openapi(name);
  return { schema, example: { ...base.example, ...example } };
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Output<Members extends Shape> = { [Name in keyof Members]: z.output<Members[Name]> };
export type Presented<Members extends Shape> = { object: string } & Output<Members>;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** In a row an enum is any text: a check of the table sees to it that the text is one of them. */
type InRow<Value> = Value extends string ? string : Value extends string[] ? readonly string[] : Value;

/** Names of members that a row does not hold, or not in the form in which they are shown. */
type NotHeld<Members extends Shape, Row> = {
  [Name in keyof Members & string]: Row extends Record<Name, InRow<z.output<Members[Name]>>>
    ? never
    : Row extends Record<Camel<Name>, InRow<z.output<Members[Name]>>>
      ? never
      : Name;
}[keyof Members & string];

/** `present` must give these, and may give others. */
type Own<Members extends Shape, Row> = Pick<Output<Members>, NotHeld<Members, Row>> &
  Partial<Output<Members>>;

function camelOf(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** How times are shown: everywhere alike. */
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .openapi({ format: "date-time", example: "2026-11-14T10:00:00.000Z" });

export const amount = z.string().openapi({ example: "204.17" });

/** `time` itself, with another description, or nullable: all of them have its pattern. */
function isTime(schema: z.ZodType): boolean {
  const bare = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  return bare instanceof z.ZodString && bare.def.checks === time.def.checks;
}
