import { z } from "@hono/zod-openapi";
import { statementRef } from "../../reconcile/statement/statement-ref.ts";
import { whyItCounts } from "../../reconcile/statement/which-counts.ts";
import type { ShownImport } from "../../reconcile/statement/without-wallets.ts";
import { closedMonths, presentClosedMonths } from "../closed-months.ts";
import { describeObject } from "../object.ts";
import { amount, coded, exampleStatement, statement } from "./schema.ts";

export const statementImport = describeObject({
  name: "StatementImport",
  object: "statement_import",
  members: {
    state: z.enum(["imported", "already_imported", "previewed"]),
    statement: statement.schema,
    problems: z.array(coded),
    rejects: z.array(
      z.strictObject({
        line_no: z.int(),
        code: z.string(),
        field: z.string().nullable(),
        reason: z.string(),
        original_text: z.string().nullable().describe("`null` without `wallets:read`."),
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
        stands: z.boolean().describe("Whether the value of this file counts."),
        because: z.string().describe("Why it counts, or does not."),
      }),
    ),
    repeated: z
      .array(z.strictObject({ line_no: z.int(), first_line_no: z.int() }))
      .describe(
        "Rows that the file has before, word for word: they count as duplicate. The first ones; first_line_no is the row that each repeats.",
      ),
    replaced: z
      .strictObject({
        id: z.string(),
        file_name: z.string(),
        gone: z.strictObject({
          lines: z.int(),
          sums: z.array(z.strictObject({ currency: z.string(), amount })),
          first: z.array(z.string()),
        }),
      })
      .nullable()
      .describe(
        "The statement that this one withdraws, and those of its lines that the new file does not have: how many, what they added to what is owed to you, and the ids of the first.",
      ),
    closed_months: closedMonths,
    consequences: z.unknown().describe("The results of matching the new lines."),
    untied_payouts: z
      .array(
        z.strictObject({
          payout_ref: z.string(),
          currency: z.string().nullable(),
          computed: amount,
          declared: amount,
        }),
      )
      .describe("Payouts whose lines, computed, do not add up to what the provider declared."),
  },
  present: (result: ShownImport) => ({
    // A preview has no number: nothing was written.
    statement: {
      ...statement.present(result.statement),
      ...(result.state === "previewed" ? { id: null } : {}),
    },
    problems: [...result.problems],
    rejects: result.rejects.map(({ lineNo, originalText, code, field, reason }) => ({
      line_no: lineNo,
      code,
      field,
      reason,
      original_text: originalText,
    })),
    restated: result.restated.map((row) => ({
      line_no: row.lineNo,
      line_key: row.lineKey,
      changes: row.changes,
      stands: row.stands,
      because: whyItCounts(row),
    })),
    repeated: result.repeated.first.map(({ lineNo, firstLineNo }) => ({
      line_no: lineNo,
      first_line_no: firstLineNo,
    })),
    replaced: result.replaced && {
      id: statementRef(result.replaced.id),
      file_name: result.replaced.fileName,
      gone: {
        lines: result.replaced.gone.lines,
        sums: [...result.replaced.gone.sums],
        first: [...result.replaced.gone.names],
      },
    },
    closed_months: presentClosedMonths(result.closedMonths),
    consequences: result.consequences ?? null,
    untied_payouts: result.untied.map(({ ref, currency, computed, declared }) => ({
      payout_ref: ref,
      currency,
      computed,
      declared,
    })),
  }),
  example: {
    state: "imported",
    statement: exampleStatement,
    problems: [],
    rejects: [
      {
        lineNo: 88,
        code: "row_unparseable",
        field: "from_amount",
        reason: '"1.234,56" is not an amount with a decimal point and no grouping',
        originalText: '7f4f4f1c-…,completed,fiat,eur,"1.234,56",…',
      },
    ],
    restated: [],
    repeated: { rows: 1, first: [{ lineNo: 13, firstLineNo: 9 }] },
    replaced: null,
    untied: [],
    closedMonths: [
      {
        month: "2026-10",
        countsIn: "2026-11",
        lines: 1,
        sums: [{ currency: "BRL", amount: "-115" }],
      },
    ],
  },
});

export const presentImport = statementImport.present;
