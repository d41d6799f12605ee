import { z } from "@hono/zod-openapi";
import { DAY } from "../../core/duration.ts";
import { formatInstant, instantMs, parseInstant } from "../../core/instant.ts";
import { instantAt, resolvePeriod } from "../../core/period.ts";
import { utc } from "../../core/zone.ts";
import {
  listSummary,
  type SummaryGroup,
  summaryGroups,
  summaryKeyset,
  type SummaryQuestion,
  type SummaryRow,
} from "../../store/transactions/summary-reads.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { type CursorList, readCursor, unreadable } from "../cursor.ts";
import { cursorList, freshnessFor, listResponse, listText, turnPage } from "../list.ts";
import { describeObject, time } from "../object.ts";
import { listParameters, oneOf, several } from "../parameters.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { sendListText } from "../send.ts";
import { timeParameter, zoneParameter } from "../time-parameters.ts";
import { recordFilters } from "./query.ts";

const daysDefault = 30;

const query = z.strictObject({
  ...listParameters,
  from: timeParameter("Start of the period, inclusive; if left out: 30 days before its end."),
  to: timeParameter("End of the period, exclusive; if left out: now."),
  tz: zoneParameter,
  group_by: several(
    {
      description:
        "What the figures are grouped by, besides the two currencies. If left out: day and provider.",
      enum: [...summaryGroups],
      example: "day",
    },
    oneOf(summaryGroups),
  ),
  ...recordFilters,
});

const summary = describeObject({
  name: "SummaryRow",
  object: "summary",
  members: {
    id: z.string().describe("Its groups, joined."),
    day: z.string().nullable().describe("Calendar day in tz; like the others, null unless grouped by it."),
    account: z.string().nullable(),
    provider: z.string().nullable(),
    transaction_type: z.string().nullable(),
    status: z.string().nullable(),
    payment_method: z.string().nullable(),
    country: z.string().nullable(),
    source_currency: z.string().nullable(),
    target_currency: z.string().nullable(),
    transactions: z.int(),
    in_amount: z.string().nullable().describe("Exact sum of source_currency."),
    out_amount: z.string().nullable().describe("Exact sum of target_currency."),
  },
  present: (row: SummaryRow, groups: readonly SummaryGroup[]) => ({
    id: [...groups.map((group) => row[group]), row.source_currency, row.target_currency]
      .map((part) => part ?? "")
      .join("|"),
    transactions: Number(row.transactions),
  }),
  example: {
    day: "2026-11-13",
    provider: "moonpay",
    source_currency: "eur",
    target_currency: "btc",
    transactions: "12",
    in_amount: "1204.5",
    out_amount: "0.01828144",
  },
  exampleWith: [["day", "provider"]],
});

/** Counts and sums, never across currencies. */
export function addSummaryRoute(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/summary",
      operationId: "getSummary",
      summary: "Counts and sums by day, provider and currency",
      description: "Transactions by their latest status, whose date lies in the period.",
      tag: "Transactions",
      access: needs("transactions:read"),
      query,
      response: listResponse(
        "SummaryList",
        summary,
        { url: "/v1/summary", description: "A page of figures." },
        {
          members: { from: time, to: time, tz: z.string() },
          example: { from: "2026-10-15T00:00:00.000Z", to: "2026-11-14T00:00:00.000Z", tz: "UTC" },
        },
      ),
      errors: ["cursor_mismatch", "query_too_slow"],
    },
    async ({ c, caller, reader, query: asked }) => {
      const list = cursorList(c, pinnedKeyset, "default");
      const question = readQuestion(asked, endMs(list, asked.cursor) ?? api.deps.now());
      const positionOf = (row: SummaryRow) => [question.to, ...summaryKeyset.positionOf(row)];
      const { rows, hasMore, nextCursor } = await turnPage(list, asked, positionOf, (page) =>
        listSummary(reader, question, { ...page, after: page.after?.slice(1) ?? null }),
      );
      const { from, to, zone } = question;
      const head = {
        hasMore,
        nextCursor,
        dataAsOf: await freshnessFor(api, caller),
        more: `,${JSON.stringify({ from, to, tz: zone.name }).slice(1, -1)}`,
      };
      const objects = rows.map((row) => summary.present(row, question.groups));
      return sendListText(c, listText(c.req.path, head, objects));
    },
  );
}

/** The cursor also holds the end of the period: with a later "now" on each page, the figures would be of different periods. */
const pinnedKeyset = {
  ...summaryKeyset.keyset,
  keys: [{ expression: null, kind: "text" as const }, ...summaryKeyset.keyset.keys],
};

/** The end of the first page's period. */
function endMs(list: CursorList, cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const [to = ""] = readCursor(list, cursor);
  const instant = parseInstant(to);
  if (instant === null) throw unreadable();
  return instantMs(instant);
}

function readQuestion(asked: z.output<typeof query>, nowMs: number): SummaryQuestion {
  const zone = asked.tz ?? utc;
  const to = asked.to ?? { instant: formatInstant(nowMs) };
  const daysBefore = instantMs(instantAt(to, zone)) - daysDefault * DAY;
  const from = asked.from ?? { instant: formatInstant(Math.max(daysBefore, 0)) };
  const period = resolvePeriod({ from, to }, zone);
  if ("refused" in period) throw problem("invalid_parameter", `to ${period.refused}.`, { param: "to" });
  const groups: readonly SummaryGroup[] = asked.group_by ?? ["day", "provider"];
  return { ...asked, from: instantAt(from, zone), to: instantAt(to, zone), zone, groups };
}
