import { z } from "@hono/zod-openapi";
import {
  listQuarantine,
  listWindows,
  quarantinePaging,
  type QuarantineRow,
  windowPaging,
  type WindowRow,
} from "../../store/windows/sync-reads.ts";
import type { PageWanted } from "../../store/keyset.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf, time } from "../list.ts";
import { listParameters, oneOf, several } from "../parameters.ts";
import { isoTime, windowId } from "../present.ts";
import { addRoute } from "../route.ts";
import { accountFilter } from "../transactions/query.ts";
import { sightOf } from "../transactions/routes.ts";

const access = needs("transactions:read");
const kinds = ["live", "backfill", "lookback", "deep", "refresh", "event"] as const;
const states = ["planned", "walking", "sealed", "split", "failed"] as const;

/** How the records came here, and which of them could not be understood. */
export function addSyncRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/sync/windows",
      operationId: "listWindows",
      summary: "Windows of time that were or will be read, newest first",
      tag: "Sync",
      access,
      query: z.strictObject({
        ...listParameters,
        account: accountFilter,
        kind: several({ description: "Why it is read.", enum: [...kinds] }, oneOf(kinds)),
        state: several({ description: "How far it is.", enum: [...states] }, oneOf(states)),
      }),
      response: {
        description: "A page of windows.",
        schema: listOf("WindowList", windowSchema),
        example: listExample("/v1/sync/windows", windowExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) =>
      answerList(
        api,
        input,
        windowPaging,
        (page) => listWindows(input.reader, input.query, page),
        presentWindow,
      ),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/quarantine",
      operationId: "listQuarantine",
      summary: "Records that could not be understood, newest first",
      description:
        "The record as received is shown to keys with `wallets:read` only: it may hold a wallet address.",
      tag: "Sync",
      access,
      query: z.strictObject({
        ...listParameters,
        account: accountFilter,
        reason: several({ description: "Why it could not be understood.", example: "amount_not_a_decimal" }),
      }),
      response: {
        description: "A page of quarantined records.",
        schema: listOf("QuarantineList", quarantineSchema),
        example: listExample("/v1/quarantine", quarantineExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const { wallets } = sightOf(input.caller);
      const read = (page: PageWanted) => listQuarantine(input.reader, input.query, page);
      return answerList(api, input, quarantinePaging, read, (row) => presentQuarantined(row, wallets));
    },
  );
}

function presentWindow(row: WindowRow): string {
  return JSON.stringify({
    object: "sync_window",
    id: windowId(row.id),
    account: row.account,
    kind: row.kind,
    from: isoTime(row.rangeFrom),
    to: isoTime(row.rangeTo),
    state: row.state,
    parent: row.parentId === null ? null : windowId(row.parentId),
    failures: row.failures,
    restarts: row.restarts,
    error_code: row.errorCode,
    error: row.error,
    pages: row.pages,
    read: row.read,
    added: row.added,
    quarantined: row.quarantined,
    vanished: row.vanished,
    ended_by: row.endedBy,
    planned_at: isoTime(row.plannedAt),
    started_at: isoTime(row.startedAt),
    sealed_at: isoTime(row.sealedAt),
  });
}

function presentQuarantined(row: QuarantineRow, wallets: boolean): string {
  return JSON.stringify({
    object: "quarantined_record",
    id: row.rawHash.toString("hex"),
    account: row.account,
    reason: row.reason,
    field: row.field,
    raw: wallets ? row.raw : null,
    window: windowId(row.windowId),
    first_seen_at: isoTime(row.firstSeenAt),
    last_seen_at: isoTime(row.lastSeenAt),
  });
}

const windowSchema = z
  .strictObject({
    object: z.literal("sync_window"),
    id: z.string(),
    account: z.string(),
    kind: z.string(),
    from: time,
    to: time,
    state: z.string(),
    parent: z.string().nullable(),
    failures: z.int(),
    restarts: z.int(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    pages: z.int(),
    read: z.int(),
    added: z.int(),
    quarantined: z.int(),
    vanished: z.int(),
    ended_by: z.string().nullable(),
    planned_at: time,
    started_at: time.nullable(),
    sealed_at: time.nullable(),
  })
  .openapi("SyncWindow");

const quarantineSchema = z
  .strictObject({
    object: z.literal("quarantined_record"),
    id: z.string().openapi({ description: "SHA-256 of the record as received." }),
    account: z.string(),
    reason: z.string(),
    field: z.string().nullable(),
    raw: z.string().nullable().openapi({ description: "The record as received; null without wallets:read." }),
    window: z.string(),
    first_seen_at: time,
    last_seen_at: time,
  })
  .openapi("QuarantinedRecord");

const windowExample = {
  object: "sync_window",
  id: "win_4711",
  account: "default",
  kind: "live",
  from: "2026-11-14T09:56:00.000Z",
  to: "2026-11-14T09:57:00.000Z",
  state: "sealed",
  parent: null,
  failures: 0,
  restarts: 0,
  error_code: null,
  error: null,
  pages: 2,
  read: 61,
  added: 61,
  quarantined: 0,
  vanished: 0,
  ended_by: "absent",
  planned_at: "2026-11-14T09:57:30.000Z",
  started_at: "2026-11-14T09:57:30.100Z",
  sealed_at: "2026-11-14T09:57:31.000Z",
};

const quarantineExample = {
  object: "quarantined_record",
  id: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  account: "default",
  reason: "amount_not_a_decimal",
  field: "inAmount",
  raw: null,
  window: "win_4711",
  first_seen_at: "2026-11-14T09:57:30.500Z",
  last_seen_at: "2026-11-14T09:57:30.500Z",
};
