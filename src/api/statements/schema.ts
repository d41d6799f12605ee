import { z } from "@hono/zod-openapi";
import type { presentImport, presentStatement } from "../../reconcile/statement/present-statement.ts";
import { time } from "../object.ts";

const amount = z.string().openapi({ example: "1250.4" });

const totalSchema = z
  .strictObject({
    currency: z.string().nullable(),
    payout_ref: z.string().nullable(),
    line_type: z.string(),
    lines: z.int(),
    gross: amount,
    fees: amount,
    net: amount,
  })
  .openapi("StatementTotal");

const rowCounts = [
  "of_file",
  "preamble",
  "header",
  "blank",
  "skipped",
  "trailer",
  "read",
  "accepted",
  "restated",
  "duplicate",
  "rejected",
] as const;

const coded = z.object({ code: z.string(), message: z.string() });

const statementSchema = z
  .strictObject({
    object: z.literal("statement"),
    id: z.string().nullable().openapi({ example: "stm_12", description: "`null` in a preview." }),
    account: z.string(),
    provider: z.string(),
    state: z.enum(["imported", "withdrawn"]),
    file_name: z.string(),
    sha256: z.string(),
    byte_count: z.int(),
    profile: z.strictObject({ name: z.string(), version: z.int() }),
    parser_version: z.int(),
    encoding: z.string(),
    delimiter: z.string(),
    generated_at: time.nullable(),
    generated_at_from: z.string().openapi({
      description:
        "Where that was found: command, file or file_name, which state it; else rows (the greatest time in them) or import, which decide nothing.",
    }),
    period: z.strictObject({ from: time.nullable(), to: time.nullable(), basis: z.string() }),
    rows: z
      .strictObject(Object.fromEntries(rowCounts.map((name) => [name, z.int()])))
      .openapi({ description: "read = accepted + duplicate + rejected; restated rows are accepted." }),
    totals: z.array(totalSchema),
    stated: z.unknown().openapi({ description: "Counts and sums that the file states itself; null: none." }),
    warnings: z.array(coded),
    accepted: z
      .strictObject({ codes: z.array(z.string()), reason: z.string() })
      .nullable()
      .openapi({ description: "Why it was taken all the same." }),
    replaces: z.string().nullable(),
    imported_at: time.nullable(),
    imported_by: z.string(),
    imported_by_name: z.string().nullable().openapi({ description: "null: only previewed." }),
    withdrawn: z
      .strictObject({ at: time, by: z.string(), by_name: z.string(), reason: z.string() })
      .nullable(),
  })
  .openapi("Statement");

const importSchema = z
  .strictObject({
    object: z.literal("statement_import"),
    state: z.enum(["imported", "already_imported", "previewed"]),
    statement: statementSchema,
    problems: z.array(coded),
    rejects: z.array(
      z.strictObject({
        line_no: z.int(),
        code: z.string(),
        field: z.string().nullable(),
        reason: z.string(),
        original_text: z.string().nullable().openapi({ description: "`null` without `wallets:read`." }),
      }),
    ),
    restated: z.array(
      z.strictObject({
        line_no: z.int(),
        line_key: z.string(),
        changes: z.record(
          z.string(),
          z.object({ before: z.string().nullable(), after: z.string().nullable() }),
        ),
        stands: z.boolean().openapi({ description: "Whether the value of this file counts." }),
        because: z.string().openapi({ description: "Why it counts, or does not." }),
      }),
    ),
    consequences: z.unknown().openapi({ description: "What matching made of the new lines." }),
  })
  .openapi("StatementImport");

/** Presented where files are read: the command line shows the same. */
const statementExample: ReturnType<typeof presentStatement> = {
  object: "statement",
  id: "stm_12",
  account: "default",
  provider: "moonpay",
  state: "imported",
  file_name: "moonpay-2026-10.csv",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  byte_count: 48213,
  profile: { name: "moonpay", version: 1 },
  parser_version: 1,
  encoding: "utf-8",
  delimiter: ",",
  generated_at: "2026-11-24T00:00:00.000Z",
  generated_at_from: "rows",
  period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z", basis: "activity" },
  rows: {
    of_file: 121,
    preamble: 0,
    header: 1,
    blank: 0,
    skipped: 0,
    trailer: 0,
    read: 120,
    accepted: 118,
    restated: 0,
    duplicate: 1,
    rejected: 1,
  },
  totals: [
    {
      currency: "EUR",
      payout_ref: "MP-2026-10-EUR",
      line_type: "charge",
      lines: 117,
      gross: "20417.5",
      fees: "812.3",
      net: "204.17",
    },
  ],
  stated: null,
  warnings: [],
  accepted: null,
  replaces: null,
  imported_at: "2026-11-25T09:00:00.000Z",
  imported_by: "person:2",
  imported_by_name: "Grace Hopper",
  withdrawn: null,
};

const importExample: ReturnType<typeof presentImport> = {
  object: "statement_import",
  state: "imported",
  statement: statementExample,
  problems: [],
  rejects: [
    {
      line_no: 88,
      code: "row_unparseable",
      field: "from_amount",
      reason: '"1.234,56" is not an amount with a decimal point and no grouping',
      original_text: '7f4f4f1c-…,completed,fiat,eur,"1.234,56",…',
    },
  ],
  restated: [],
  consequences: null,
};

export const statement = { schema: statementSchema, example: statementExample };
export const statementImport = { schema: importSchema, example: importExample };
