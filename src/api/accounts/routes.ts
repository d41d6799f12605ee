import { z } from "@hono/zod-openapi";
import {
  accountPaging,
  type AccountRow,
  type CoverageRow,
  type FreshnessRow,
  listAccounts,
  listCoverage,
  listFreshness,
  type TimeSpan,
} from "../../store/accounts/account-reads.ts";
import type { PageWanted } from "../../store/keyset.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf, time } from "../list.ts";
import { listParameters } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { addRoute } from "../route.ts";
import { accountFilter } from "../transactions/query.ts";

const access = needs("transactions:read");
const query = z.strictObject({ ...listParameters, account: accountFilter });

/** The accounts, how current each is, and what of it has been read. */
export function addAccountRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/accounts",
      operationId: "listAccounts",
      summary: "Accounts of the aggregator that are copied here",
      tag: "Accounts",
      access,
      query,
      response: {
        description: "A page of accounts.",
        schema: listOf("AccountList", accountSchema),
        example: listExample("/v1/accounts", accountExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const read = (page: PageWanted) => listAccounts(input.reader, input.query, page);
      return answerList(api, input, accountPaging, read, presentAccount);
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/freshness",
      operationId: "listFreshness",
      summary: "How current the data of each account is",
      tag: "Sync",
      access,
      query,
      response: {
        description: "A page of accounts with their freshness.",
        schema: listOf("FreshnessList", freshnessSchema),
        example: listExample("/v1/freshness", freshnessExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const read = (page: PageWanted) => listFreshness(input.reader, input.query, page);
      return answerList(api, input, accountPaging, read, presentFreshness);
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/sync/coverage",
      operationId: "listCoverage",
      summary: "What has provably been read of each account, and the gaps between",
      tag: "Sync",
      access,
      query,
      response: {
        description: "A page of accounts with their coverage.",
        schema: listOf("CoverageList", coverageSchema),
        example: listExample("/v1/sync/coverage", coverageExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) => {
      const read = (page: PageWanted) => listCoverage(input.reader, input.query, page);
      return answerList(api, input, accountPaging, read, presentCoverage);
    },
  );
}

function presentAccount(row: AccountRow): string {
  return JSON.stringify({
    object: "account",
    id: row.name,
    account: row.name,
    base_url: row.baseUrl,
    state: row.state,
    state_reason: row.stateReason,
    state_since: isoTime(row.stateSince),
    sync_start: isoTime(row.syncStart),
    created_at: isoTime(row.createdAt),
    last_success_at: isoTime(row.lastSuccessAt),
    catalogue_read_at: isoTime(row.catalogueReadAt),
  });
}

function presentFreshness(row: FreshnessRow): string {
  return JSON.stringify({
    object: "freshness",
    id: row.name,
    account: row.name,
    data_as_of: isoTime(row.data_as_of),
    lag_seconds: row.lag_seconds === null ? null : Math.round(row.lag_seconds),
    last_success_at: isoTime(row.last_success_at),
    open_windows: row.open_windows,
    failed_windows: row.failed_windows,
    quarantined: row.quarantined,
    state: row.state,
    state_reason: row.state_reason,
    state_since: isoTime(row.state_since),
  });
}

function presentCoverage(row: CoverageRow): string {
  return JSON.stringify({
    object: "coverage",
    id: row.name,
    account: row.name,
    sync_start: isoTime(row.sync_start),
    planned_to: isoTime(row.planned_to),
    share: row.share,
    covered: spans(row.covered),
    covered_count: row.covered_count,
    gaps: spans(row.gaps),
    gap_count: row.gap_count,
  });
}

function spans(list: readonly TimeSpan[]): TimeSpan[] {
  return list.map(({ from, to }) => ({ from: isoTime(from), to: isoTime(to) }));
}

const lastSuccess = time
  .nullable()
  .openapi({ description: "When a request for records was last answered, to within five seconds." });

const stateFields = {
  state: z.string().openapi({
    description:
      "active; failing when no request for records has been answered for two minutes; refused when the aggregator refuses its key or secret; paused by a person.",
  }),
  state_reason: z
    .string()
    .nullable()
    .openapi({ description: "Why it is not active, and for a refused key what to correct." }),
  state_since: time.nullable(),
};

const accountSchema = z
  .strictObject({
    object: z.literal("account"),
    id: z.string(),
    account: z.string(),
    base_url: z.string(),
    ...stateFields,
    sync_start: time.openapi({ description: "How far back it is read." }),
    created_at: time,
    last_success_at: lastSuccess,
    catalogue_read_at: time.nullable(),
  })
  .openapi("Account");

const freshnessSchema = z
  .strictObject({
    object: z.literal("freshness"),
    id: z.string(),
    account: z.string(),
    data_as_of: time
      .nullable()
      .openapi({ description: "Everything up to then has been read; null until something has." }),
    lag_seconds: z.int().nullable(),
    last_success_at: lastSuccess,
    open_windows: z.int(),
    failed_windows: z.int(),
    quarantined: z.int(),
    ...stateFields,
  })
  .openapi("Freshness");

const span = z.strictObject({ from: time, to: time });

const coverageSchema = z
  .strictObject({
    object: z.literal("coverage"),
    id: z.string(),
    account: z.string(),
    sync_start: time,
    planned_to: time.nullable(),
    share: z.number().openapi({ description: "Of the time planned so far, from 0 to 1." }),
    covered: z.array(span).openapi({ description: "At most 1000, oldest first." }),
    covered_count: z.int(),
    gaps: z.array(span).openapi({ description: "At most 1000, oldest first." }),
    gap_count: z.int(),
  })
  .openapi("Coverage");

const named = { id: "default", account: "default" };
const accountExample = {
  object: "account",
  ...named,
  base_url: "https://aggregator.example",
  state: "active",
  state_reason: null,
  state_since: null,
  sync_start: "2026-08-16T00:00:00.000Z",
  created_at: "2026-11-14T09:00:00.000Z",
  last_success_at: "2026-11-14T09:59:30.000Z",
  catalogue_read_at: "2026-11-14T06:00:00.000Z",
};
const freshnessExample = {
  object: "freshness",
  ...named,
  data_as_of: "2026-11-14T09:59:00.000Z",
  lag_seconds: 60,
  last_success_at: "2026-11-14T09:59:30.000Z",
  open_windows: 1,
  failed_windows: 0,
  quarantined: 0,
  state: "active",
  state_reason: null,
  state_since: null,
};
const coverageExample = {
  object: "coverage",
  ...named,
  sync_start: "2026-08-16T00:00:00.000Z",
  planned_to: "2026-11-14T09:59:00.000Z",
  share: 1,
  covered: [{ from: "2026-08-16T00:00:00.000Z", to: "2026-11-14T09:59:00.000Z" }],
  covered_count: 1,
  gaps: [],
  gap_count: 0,
};
