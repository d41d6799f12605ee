import { z } from "@hono/zod-openapi";
import type { AccountRow, CoverageRow, FreshnessRow, TimeSpan } from "../../store/accounts/account-reads.ts";
import { describeObject, time } from "../object.ts";
import { isoTime } from "../present.ts";

const named = { id: z.string(), account: z.string() };

const lastSuccess = time
  .nullable()
  .describe("When a request for records was last answered, to within five seconds.");

const stateFields = {
  state: z
    .string()
    .describe(
      "active; failing when no request for records has been answered for two minutes; refused when the aggregator refuses its key or secret; paused by a person.",
    ),
  state_reason: z
    .string()
    .nullable()
    .describe("Why it is not active and, if the key was refused, what to correct."),
  state_since: time.nullable(),
};

export const account = describeObject({
  name: "Account",
  object: "account",
  members: {
    ...named,
    base_url: z.string(),
    ...stateFields,
    sync_start: time.describe("How far back it is read."),
    created_at: time,
    last_success_at: lastSuccess,
    catalogue_read_at: time.nullable(),
  },
  present: (row: AccountRow) => ({ id: row.name, account: row.name }),
  example: {
    name: "default",
    baseUrl: "https://aggregator.example",
    state: "active",
    syncStart: "2026-08-16 00:00:00+00",
    createdAt: "2026-11-14 09:00:00+00",
    lastSuccessAt: "2026-11-14 09:59:30+00",
    catalogueReadAt: "2026-11-14 06:00:00+00",
  },
});

export const freshness = describeObject({
  name: "Freshness",
  object: "freshness",
  members: {
    ...named,
    data_as_of: time.nullable().describe("Everything up to then has been read; null until something has."),
    lag_seconds: z.int().nullable(),
    last_success_at: lastSuccess,
    open_windows: z.int(),
    failed_windows: z.int(),
    quarantined: z.int(),
    ...stateFields,
  },
  present: (row: FreshnessRow) => ({
    id: row.name,
    account: row.name,
    lag_seconds: row.lag_seconds === null ? null : Math.round(row.lag_seconds),
  }),
  example: {
    name: "default",
    data_as_of: "2026-11-14 09:59:00+00",
    lag_seconds: 60,
    last_success_at: "2026-11-14 09:59:30+00",
    open_windows: 1,
    failed_windows: 0,
    quarantined: 0,
    state: "active",
  },
});

const span = z.strictObject({ from: time, to: time });

export const coverage = describeObject({
  name: "Coverage",
  object: "coverage",
  members: {
    ...named,
    sync_start: time,
    planned_to: time.nullable(),
    share: z.number().describe("The share of the time planned so far, from 0 to 1."),
    covered: z.array(span).describe("At most 1000, oldest first."),
    covered_count: z.int(),
    gaps: z.array(span).describe("At most 1000, oldest first."),
    gap_count: z.int(),
  },
  present: (row: CoverageRow) => ({
    id: row.name,
    account: row.name,
    covered: spans(row.covered),
    gaps: spans(row.gaps),
  }),
  example: {
    name: "default",
    sync_start: "2026-08-16 00:00:00+00",
    planned_to: "2026-11-14 09:59:00+00",
    share: 1,
    covered: [{ from: "2026-08-16 00:00:00+00", to: "2026-11-14 09:59:00+00" }],
    covered_count: 1,
    gaps: [],
    gap_count: 0,
  },
});

function spans(list: readonly TimeSpan[]): TimeSpan[] {
  return list.map(({ from, to }) => ({ from: isoTime(from), to: isoTime(to) }));
}
