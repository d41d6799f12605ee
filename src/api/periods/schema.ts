import { z } from "@hono/zod-openapi";
import { checklistLines } from "../../close/checklist.ts";
import type { Period } from "../../close/period.ts";
import type { PeriodDetail } from "../../close/read-period.ts";
import type { ChangedFact } from "../../core/changes-text.ts";
import type { Instant } from "../../core/instant.ts";
import { utc } from "../../core/zone.ts";
import type { PeriodEventRow } from "../../store/periods/period-reads.ts";
import { describeObject, time } from "../object.ts";
import { exactIsoTime, isoTime } from "../present.ts";

const signature = z.strictObject({ by: z.string(), name: z.string(), at: time });

const periodMembers = {
  account: z.string(),
  month: z.string(),
  timezone: z.string(),
  from: z.string(),
  to: z.string(),
  state: z.enum(["open", "prepared", "closed", "reopened"]),
  known_at: z
    .string()
    .nullable()
    .describe("Once it is prepared or closed: only what was known by then counts."),
  pack_sha256: z.string().nullable().describe("SHA-256 of the manifest of its pack."),
  prepared: signature.nullable(),
  closed: signature.nullable(),
  reopen_asked: z
    .strictObject({ by: z.string(), name: z.string() })
    .nullable()
    .describe("Who asked to reopen it, until a second person agrees."),
};

const knownAt = "2026-10-05 09:12:44.120381+00";
const preparedAt = "2026-10-05 09:12:51.204+00";
const packSha256 = Buffer.from("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "hex");

const examplePeriod = {
  account: "default",
  month: "2026-09",
  zone: utc,
  from: "2026-09-01T00:00:00.000Z",
  to: "2026-10-01T00:00:00.000Z",
  state: "closed",
  row: {
    knownAt,
    packSha256,
    preparedBy: "person:1",
    preparedByName: "Alice Example",
    preparedAt,
    closedBy: "person:2",
    closedByName: "Bob Example",
    closedAt: "2026-10-05 10:02:11.871+00",
  },
} as Period;

export const period = describeObject({
  name: "Period",
  object: "period",
  members: periodMembers,
  present: ({ zone, row }: Period) => ({
    timezone: zone.name,
    known_at: row?.knownAt ? exactIsoTime(row.knownAt) : null,
    pack_sha256: row?.packSha256?.toString("hex") ?? null,
    prepared: signed(row?.preparedBy, row?.preparedByName, row?.preparedAt),
    closed: signed(row?.closedBy, row?.closedByName, row?.closedAt),
    reopen_asked: row?.reopenAskedBy
      ? { by: row.reopenAskedBy, name: row.reopenAskedByName ?? row.reopenAskedBy }
      : null,
  }),
  example: examplePeriod,
});

function signed(by?: string | null, name?: string | null, at?: string | null) {
  return by && at ? { by, name: name ?? by, at: isoTime(at) } : null;
}

const lineStates = ["green", "amber", "red"] as const;

const part = z.strictObject({
  provider: z.string().nullable().describe("`null`: it concerns the account as a whole."),
  state: z.enum(lineStates),
  total: z.int(),
  left: z.int(),
  amounts: z
    .array(z.strictObject({ currency: z.string(), amount: z.string() }))
    .describe("What is left, by currency."),
  carried_amounts: z
    .array(z.strictObject({ currency: z.string(), amount: z.string() }))
    .optional()
    .describe(
      "What was carried forward, by currency, on lines that allow it. Checklists signed with version 0.1.0 lack it.",
    ),
  figures: z.record(z.string(), z.union([z.number(), z.string()])),
});

const line = z
  .strictObject({
    line: z.enum(checklistLines as [string, ...string[]]),
    title: z.string(),
    state: z.enum(lineStates),
    says: z.string(),
    total: z.int(),
    left: z.int(),
    parts: z.array(part),
    link: z.string().describe("Where the page shows what is left."),
  })
  .openapi("ChecklistLine");

const checklist = z
  .strictObject({ as_at: z.string(), known_at: z.string(), lines: z.array(line) })
  .openapi("Checklist");

const eventNames = ["prepared", "lapsed", "approved", "reopen_asked", "reopened"] as const;

const changedFact = z.strictObject({
  fact: z.string(),
  changes: z.int(),
  first: z.array(z.string()).describe("The first few of them, by their ids."),
});

export const presentFact = ({ fact, changes, first = [] }: ChangedFact) => ({
  fact,
  changes,
  first: [...first],
});

const periodEvent = z.strictObject({
  event: z.enum(eventNames),
  by: z.string(),
  name: z.string(),
  at: time,
  reason: z.string().nullable(),
  known_at: z.string().nullable(),
  pack_sha256: z.string().nullable(),
  changes: z.array(changedFact).nullable().describe("For `lapsed`: what had changed beneath the signature."),
});

function presentEvent(row: PeriodEventRow): z.output<typeof periodEvent> {
  return {
    event: row.event as (typeof eventNames)[number],
    by: row.actor,
    name: row.actorName,
    at: isoTime(row.at),
    reason: row.reason,
    known_at: row.knownAt === null ? null : exactIsoTime(row.knownAt),
    pack_sha256: row.packSha256?.toString("hex") ?? null,
    changes: (row.changes as ChangedFact[] | null | undefined)?.map(presentFact) ?? null,
  };
}

export const periodDetail = describeObject({
  name: "PeriodDetail",
  object: "period",
  members: {
    ...periodMembers,
    changes: z.array(changedFact).describe("What has changed since it was prepared: the preparation lapses."),
    checklist: checklist.describe("As it was signed, or as it is now while the month is open."),
    accepted: z.array(z.strictObject({ line: z.string(), reason: z.string() })),
    events: z.array(periodEvent),
  },
  present: (detail: PeriodDetail) => ({
    ...period.present(detail.period),
    changes: detail.changes.map(presentFact),
    accepted: detail.accepted.map(({ line: name, reason }) => ({ line: name, reason })),
    events: detail.events.map(presentEvent),
  }),
  example: {
    period: examplePeriod,
    changes: [],
    checklist: {
      as_at: "2026-10-01T00:00:00.000Z",
      known_at: "2026-10-05T09:12:44.120381Z" as Instant,
      lines: [
        {
          line: "read",
          title: "Everything read from the aggregator",
          state: "green",
          says: "No gaps.",
          total: 1,
          left: 0,
          parts: [
            {
              provider: null,
              state: "green",
              total: 1,
              left: 0,
              amounts: [],
              figures: { gaps: 0, hours_missing: 0, minutes_missing: 0 },
            },
          ],
          link: "/sync?account=default",
        },
      ],
    },
    accepted: [],
    events: [
      {
        event: "prepared",
        actor: "person:1",
        actorName: "Alice Example",
        at: preparedAt,
        reason: null,
        knownAt,
        packSha256,
      } as PeriodEventRow,
    ],
  },
});

export const presentPeriod = period.present;
export const presentPeriodDetail = periodDetail.present;
export type PresentedPeriod = ReturnType<typeof presentPeriod>;
export type PresentedPeriodDetail = ReturnType<typeof presentPeriodDetail>;
