import { z } from "@hono/zod-openapi";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { describeObject, time } from "../object.ts";

const window = z.strictObject({
  id: z.string(),
  kind: z.string().nullable(),
  from: time.nullable(),
  to: time.nullable(),
  sealed_at: time.nullable(),
});

const event = z.union([
  z.strictObject({
    kind: z.literal("status"),
    at: time,
    clock: z.literal("aggregator").describe("Whose time `at` is."),
    what: z.string(),
    status: z.string(),
    changes: z.array(
      z.strictObject({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
    ),
    source: z.strictObject({ type: z.literal("status_row"), record_hash: z.string(), read_at: time, window }),
  }),
  z.strictObject({
    kind: z.literal("finding"),
    at: time,
    clock: z.literal("tieout"),
    what: z.string(),
    finding: z.string(),
    source: z.strictObject({ type: z.literal("deep_read"), read_at: time, window }),
  }),
  z.strictObject({
    kind: z.literal("match"),
    at: time,
    clock: z.literal("tieout"),
    what: z.string(),
    by: z.string().describe("`rules`, or the name of the person who did it."),
    source: z.strictObject({
      type: z.literal("statement_line"),
      line: z.string(),
      statement: z.string(),
      file_name: z.string(),
      line_no: z.int(),
    }),
  }),
  z.strictObject({
    kind: z.literal("discrepancy"),
    at: time,
    clock: z.literal("tieout"),
    what: z.string(),
    by: z.string().describe("`tieout`, or the name of the person who did it."),
    state: z.string(),
    source: z.strictObject({ type: z.literal("discrepancy"), discrepancy: z.string() }),
  }),
]);

const windowExample = {
  id: "win_4711",
  kind: "live",
  from: "2026-11-14T09:56:00.000Z",
  to: "2026-11-14T09:57:00.000Z",
  sealed_at: "2026-11-14T09:57:31.000Z",
};

/** The transaction, and what happened to it. */
interface Story extends Pick<TransactionRow, "account" | "status" | "missing_since"> {
  transaction_id: string;
  events: z.output<typeof event>[];
}

export const story = describeObject({
  name: "TransactionStory",
  object: "transaction_story",
  members: {
    id: z.string(),
    account: z.string(),
    status: z.string(),
    missing_since: time.nullable(),
    events: z.array(event),
  },
  present: (row: Story) => ({ id: row.transaction_id }),
  example: {
    transaction_id: "01HD670DNG2MNSDS4XGJ1EESV7",
    account: "default",
    status: "completed",
    events: [
      {
        kind: "status",
        at: "2026-11-14T09:56:42.012Z",
        clock: "aggregator",
        what: "pending → completed",
        status: "completed",
        changes: [{ field: "transaction_hash", before: "", after: "9f2c4e7a" }],
        source: {
          type: "status_row",
          record_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
          read_at: "2026-11-14T09:57:10.400Z",
          window: windowExample,
        },
      },
      {
        kind: "match",
        at: "2026-12-02T08:00:00.000Z",
        clock: "tieout",
        what: "settled by line 12 of moonpay-2026-11.csv (charge, by provider_id)",
        by: "rules",
        source: {
          type: "statement_line",
          line: "lin_812",
          statement: "stm_7",
          file_name: "moonpay-2026-11.csv",
          line_no: 12,
        },
      },
    ],
  },
});
