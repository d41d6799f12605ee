import { z } from "@hono/zod-openapi";
import { type FindingRow, listFindings, storyWindows, type StoryWindow } from "../../store/story-reads.ts";
import { listStatuses, type StatusReadRow } from "../../store/status-reads.ts";
import { needs } from "../access.ts";
import type { Api } from "../deps.ts";
import { time } from "../list.ts";
import { isoTime, maskWallet, windowId } from "../present.ts";
import { addRoute } from "../route.ts";
import { sendObject } from "../send.ts";
import { oneAccount, oneTransaction, sightOf, transactionIdParams } from "./transactions.ts";

/** More than any transaction has; a story is read by a person. */
const statusesMax = 1_000;

export function addStoryRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/transactions/{id}/story",
      operationId: "getTransactionStory",
      summary: "Everything that happened to a transaction, in order, and where each fact came from",
      tag: "Transactions",
      access: needs("transactions:read"),
      params: transactionIdParams,
      query: z.strictObject(oneAccount),
      response: { description: "The story.", schema: storySchema, example: storyExample },
      errors: ["not_found", "account_required"],
    },
    async ({ c, caller, reader, params, query }) => {
      const row = await oneTransaction(reader, params.id, query.account, "account");
      const key = { accountId: row.account_id, transactionId: row.transaction_id };
      const { rows: statuses } = await listStatuses(reader, key, { limit: statusesMax, after: null });
      const findings = await listFindings(reader, key);
      const windows = await storyWindows(
        reader,
        [...statuses, ...findings].map((one) => one.window_id),
      );
      const events = [
        ...statuses.map((status, index) => tellStatus(status, statuses[index - 1], windows, sightOf(caller))),
        ...findings.map((finding) => tellFinding(finding, windows)),
      ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
      const story = {
        object: "transaction_story",
        id: row.transaction_id,
        account: row.account,
        status: row.status,
        missing_since: isoTime(row.missing_since),
        events,
      };
      return sendObject(c, JSON.stringify(story));
    },
  );
}

function tellStatus(
  row: StatusReadRow,
  before: StatusReadRow | undefined,
  windows: ReadonlyMap<string, StoryWindow>,
  sight: { wallets: boolean },
) {
  return {
    kind: "status" as const,
    at: isoTime(row.status_date),
    clock: "aggregator" as const,
    what: before === undefined ? `first known as ${row.status}` : `${before.status} → ${row.status}`,
    status: row.status,
    changes: before === undefined ? [] : changesBetween(before, row, sight),
    source: {
      type: "status_row" as const,
      record_hash: row.record_hash,
      read_at: isoTime(row.first_seen_at),
      window: tellWindow(windows, row.window_id),
    },
  };
}

function tellFinding(row: FindingRow, windows: ReadonlyMap<string, StoryWindow>) {
  return {
    kind: "finding" as const,
    at: isoTime(row.found_at),
    clock: "tieout" as const,
    what: findingWords[row.finding] ?? row.finding,
    finding: row.finding,
    source: {
      type: "deep_read" as const,
      read_at: isoTime(row.found_at),
      window: tellWindow(windows, row.window_id),
    },
  };
}

const findingWords: Record<string, string> = {
  appeared: "found by a deep re-read; no earlier reading had it",
  changed: "a deep re-read found a status that no earlier reading had",
  vanished: "the aggregator does not serve it any more",
  returned: "the aggregator serves it again",
};

/** `null` when the window's row is gone; its number is still told. */
function tellWindow(windows: ReadonlyMap<string, StoryWindow>, id: string) {
  const window = windows.get(id);
  return {
    id: windowId(id),
    kind: window?.kind ?? null,
    from: isoTime(window?.range_from ?? null),
    to: isoTime(window?.range_to ?? null),
    sealed_at: isoTime(window?.sealed_at ?? null),
  };
}

const compared = [
  "transaction_type",
  "provider",
  "provider_transaction_id",
  "payment_method",
  "country",
  "source_currency",
  "in_amount",
  "target_currency",
  "out_amount",
  "transaction_hash",
  "wallet_address",
] as const;

function changesBetween(before: StatusReadRow, after: StatusReadRow, sight: { wallets: boolean }) {
  return compared
    .filter((field) => before[field] !== after[field])
    .map((field) => {
      const show = (value: string | null) =>
        field === "wallet_address" && !sight.wallets ? maskWallet(value) : value;
      return { field, before: show(before[field]), after: show(after[field]) };
    });
}

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
    clock: z.literal("aggregator").openapi({ description: "Whose time `at` is." }),
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
]);

const storySchema = z
  .strictObject({
    object: z.literal("transaction_story"),
    id: z.string(),
    account: z.string(),
    status: z.string(),
    missing_since: time.nullable(),
    events: z.array(event),
  })
  .openapi("TransactionStory");

const windowExample = {
  id: "win_4711",
  kind: "live",
  from: "2026-11-14T09:56:00.000Z",
  to: "2026-11-14T09:57:00.000Z",
  sealed_at: "2026-11-14T09:57:31.000Z",
};

const storyExample = {
  object: "transaction_story",
  id: "01HD670DNG2MNSDS4XGJ1EESV7",
  account: "default",
  status: "completed",
  missing_since: null,
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
  ],
};
