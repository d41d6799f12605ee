import { z } from "@hono/zod-openapi";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { describeObject, time } from "../object.ts";
import { isoTime } from "../present.ts";
import { referenceTo } from "../references.ts";

export const amount = z.string().openapi({ example: "1250.4" });

const total = z
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

export const coded = z.object({ code: z.string(), message: z.string() });

export const exampleStatement = {
  id: 12,
  account: "default",
  provider: "moonpay",
  state: "imported",
  fileName: "moonpay-2026-10.csv",
  sha256: Buffer.from("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hex"),
  byteCount: 48213,
  profile: "moonpay",
  profileVersion: 1,
  parserVersion: 1,
  encoding: "utf-8",
  delimiter: ",",
  generatedAt: "2026-11-24 00:00:00+00",
  generatedAtFrom: "rows",
  periodFrom: "2026-10-01 00:00:00+00",
  periodTo: "2026-11-01 00:00:00+00",
  periodBasis: "activity",
  rowsOfFile: 121,
  preambleRows: 0,
  headerRows: 1,
  blankRows: 0,
  skippedRows: 0,
  trailerRows: 0,
  rowsRead: 120,
  rowsAccepted: 118,
  rowsRestated: 0,
  rowsDuplicate: 1,
  rowsRejected: 1,
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
  acceptedCodes: null,
  replacesId: null,
  importedAt: "2026-11-25 09:00:00+00",
  importedBy: "person:2",
  importedByName: "Grace Hopper",
  withdrawnAt: null,
} as Partial<StoredStatement> as StoredStatement;

/** As people and programs see it: over HTTP, and on the command line with --json. */
export const statement = describeObject({
  name: "Statement",
  object: "statement",
  members: {
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
    generated_at_from: z
      .string()
      .describe(
        "Where that was found: command, file or file_name state it; rows (the latest time in them) and import are fallbacks and decide nothing.",
      ),
    period: z.strictObject({ from: time.nullable(), to: time.nullable(), basis: z.string() }),
    rows: z
      .strictObject({
        of_file: z.int(),
        preamble: z.int(),
        header: z.int(),
        blank: z.int(),
        skipped: z.int(),
        trailer: z.int(),
        read: z.int(),
        accepted: z.int(),
        restated: z.int(),
        duplicate: z.int(),
        rejected: z.int(),
      })
      .describe("read = accepted + duplicate + rejected; restated rows are accepted."),
    totals: z.array(total),
    stated: z.unknown().describe("Counts and sums that the file states itself; null: none."),
    warnings: z.array(coded),
    accepted: z
      .strictObject({ codes: z.array(z.string()), reason: z.string() })
      .nullable()
      .describe("Why it was accepted despite its problems."),
    replaces: z.string().nullable(),
    imported_at: time.nullable(),
    imported_by: z.string(),
    imported_by_name: z.string().nullable().describe("null: only previewed."),
    withdrawn: z
      .strictObject({ at: time, by: z.string(), by_name: z.string(), reason: z.string() })
      .nullable(),
  },
  present: (row: StoredStatement) => ({
    id: referenceTo("statement", row.id),
    sha256: row.sha256.toString("hex"),
    profile: { name: row.profile, version: row.profileVersion },
    period: { from: isoTime(row.periodFrom), to: isoTime(row.periodTo), basis: row.periodBasis },
    rows: {
      of_file: row.rowsOfFile,
      preamble: row.preambleRows,
      header: row.headerRows,
      blank: row.blankRows,
      skipped: row.skippedRows,
      trailer: row.trailerRows,
      read: row.rowsRead,
      accepted: row.rowsAccepted,
      restated: row.rowsRestated,
      duplicate: row.rowsDuplicate,
      rejected: row.rowsRejected,
    },
    totals: row.totals as z.output<typeof total>[],
    warnings: row.warnings as z.output<typeof coded>[],
    accepted: row.acceptedCodes && { codes: row.acceptedCodes, reason: row.acceptedReason ?? "" },
    replaces: referenceTo("statement", row.replacesId),
    imported_by_name: row.importedByName ?? null,
    withdrawn: withdrawnOf(row),
  }),
  example: exampleStatement,
});

function withdrawnOf({ withdrawnAt, withdrawnBy, withdrawnByName, withdrawnReason }: StoredStatement) {
  if (withdrawnAt === null) return null;
  return {
    at: isoTime(withdrawnAt),
    by: withdrawnBy ?? "",
    by_name: withdrawnByName ?? "",
    reason: withdrawnReason ?? "",
  };
}

export const presentStatement = statement.present;
