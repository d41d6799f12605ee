import { z } from "@hono/zod-openapi";
import { closedMonths, presentClosedMonths } from "../closed-months.ts";
import { receiptFormats } from "../../core/receipt-line.ts";
import type { ReceiptImport } from "../../reconcile/receipts/import-receipts.ts";
import type { StoredReceiptFile } from "../../store/receipts/receipt-files.ts";
import { amount, describeObject, time } from "../object.ts";
import { maskWallet, type Sight } from "../present.ts";
import { referenceTo } from "../references.ts";

export const day = z.string().openapi({ example: "2026-11-25" });

const exampleFile: Partial<StoredReceiptFile> = {
  id: 12,
  account: "default",
  fileName: "bank-2026-11.xml",
  sha256: Buffer.from("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hex"),
  format: "camt053",
  bankAccount: "DE89370400440532013000",
  state: "imported",
  periodFrom: "2026-11-01",
  periodTo: "2026-11-30",
  balances: [
    {
      bank_account: "DE89370400440532013000",
      currency: "EUR",
      statement: "228",
      from: "2026-11-01",
      to: "2026-11-30",
      opening: "1000",
      lines: "731.32",
      line_count: 5,
      closing: "1731.32",
      adds_up: true,
    },
  ],
  rowsOfFile: 6,
  rowsOther: 1,
  rowsRead: 5,
  rowsAccepted: 5,
  rowsRestated: 0,
  rowsDuplicate: 0,
  rowsRejected: 0,
  importedAt: "2026-12-01 09:00:00+00",
  importedBy: "key_3fK9ZQ2b",
  acceptedCodes: null,
  acceptedReason: null,
  withdrawnAt: null,
  withdrawnBy: null,
  withdrawnReason: null,
};

export const receiptFile = describeObject({
  name: "ReceiptFile",
  object: "receipt_file",
  members: {
    id: z.string().nullable().openapi({ example: "rcf_12", description: "`null` in a preview." }),
    account: z.string(),
    file_name: z.string(),
    sha256: z.string(),
    format: z.enum(receiptFormats),
    bank_account: z.string().nullable().describe("null if the file covers several."),
    state: z.enum(["imported", "withdrawn"]),
    period_from: day.nullable(),
    period_to: day.nullable(),
    balances: z.array(
      z.strictObject({
        bank_account: z.string(),
        currency: z.string().nullable(),
        statement: z.string().nullable(),
        from: day.nullable(),
        to: day.nullable(),
        opening: amount.nullable(),
        lines: amount.describe("The sum of the lines, money out negative."),
        line_count: z.int(),
        closing: amount.nullable(),
        adds_up: z
          .boolean()
          .nullable()
          .describe("Whether opening plus lines equals closing; null if the file lacks one of them."),
      }),
    ),
    rows: z.strictObject({
      of_file: z.int(),
      other: z.int(),
      read: z.int(),
      accepted: z.int(),
      restated: z.int(),
      duplicate: z.int(),
      rejected: z.int(),
    }),
    imported_at: time,
    imported_by: z.string(),
    accepted_codes: z.array(z.string()).nullable(),
    accepted_reason: z.string().nullable(),
    withdrawn_at: time.nullable(),
    withdrawn_by: z.string().nullable(),
    withdrawn_reason: z.string().nullable(),
  },
  present: (file: StoredReceiptFile, { wallets }: Sight) => {
    // Of a chain's file the account is a wallet, in the balances as well.
    const shown = (text: string | null) => (wallets || file.format !== "chain_csv" ? text : maskWallet(text));
    return {
      id: referenceTo("receipt_file", file.id),
      sha256: file.sha256.toString("hex"),
      bank_account: shown(file.bankAccount),
      balances: file.balances.map((balance) => ({
        ...balance,
        from: balance.from ?? null,
        to: balance.to ?? null,
        bank_account: shown(balance.bank_account) ?? "",
      })),
      rows: {
        of_file: file.rowsOfFile,
        other: file.rowsOther,
        read: file.rowsRead,
        accepted: file.rowsAccepted,
        restated: file.rowsRestated,
        duplicate: file.rowsDuplicate,
        rejected: file.rowsRejected,
      },
    };
  },
  example: exampleFile,
  exampleWith: [{ wallets: true }],
});

export const receiptImport = describeObject({
  name: "ReceiptImport",
  object: "receipt_import",
  members: {
    state: z.enum(["imported", "already_imported", "previewed"]),
    file: receiptFile.schema,
    problems: z
      .array(z.strictObject({ code: z.string(), message: z.string() }))
      .readonly()
      .describe("What would refuse the file."),
    warnings: z
      .array(z.strictObject({ code: z.string(), message: z.string() }))
      .readonly()
      .describe("Problems that do not refuse it: a statement missing before or after it."),
    rejects: z.array(
      z.strictObject({
        line_no: z.int(),
        code: z.string().nullable(),
        field: z.string().nullable(),
        reason: z.string().nullable(),
        original_text: z.string().nullable().describe("null without `wallets:read`."),
      }),
    ),
    closed_months: closedMonths,
    consequences: z.record(z.string(), z.int()).nullable().describe("The results of matching."),
  },
  present: (result: ReceiptImport, sight: Sight) => ({
    // A preview is rolled back, so its number will never exist.
    file: {
      ...receiptFile.present(result.file, sight),
      ...(result.state === "previewed" ? { id: null } : {}),
    },
    rejects: result.rejects.map(({ lineNo, code, field, reason, originalText }) => ({
      line_no: lineNo,
      code,
      field,
      reason,
      original_text: sight.wallets ? originalText : null,
    })),
    closed_months: presentClosedMonths(result.closedMonths),
    consequences: result.counts && { ...result.counts },
  }),
  example: {
    state: "imported",
    file: exampleFile as StoredReceiptFile,
    problems: [],
    warnings: [],
    rejects: [],
    closedMonths: [],
    counts: { matched: 3, unmatched: 0, raised: 1, changed: 0, reopened: 0, agreed: 3 },
  },
  exampleWith: [{ wallets: true }],
});
