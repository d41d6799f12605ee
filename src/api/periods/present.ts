import type { z } from "@hono/zod-openapi";
import type { Period } from "../../close/period.ts";
import type { PeriodDetail } from "../../close/read-period.ts";
import { exactIsoTime, isoTime } from "../present.ts";
import type { periodDetailSchema, periodSchema } from "./schemas.ts";

export type PresentedPeriod = z.output<typeof periodSchema>;

export type PresentedPeriodDetail = z.output<typeof periodDetailSchema>;

export function presentPeriod({ account, month, zone, from, to, state, row }: Period): PresentedPeriod {
  return {
    object: "period",
    account,
    month,
    timezone: zone.name,
    from,
    to,
    state,
    known_at: row?.knownAt ? exactIsoTime(row.knownAt) : null,
    pack_sha256: row?.packSha256?.toString("hex") ?? null,
    prepared: signature(row?.preparedBy, row?.preparedByName, row?.preparedAt),
    closed: signature(row?.closedBy, row?.closedByName, row?.closedAt),
    reopen_asked: row?.reopenAskedBy
      ? { by: row.reopenAskedBy, name: row.reopenAskedByName ?? row.reopenAskedBy }
      : null,
  };
}

export function presentPeriodDetail(detail: PeriodDetail): PresentedPeriodDetail {
  const { period, checklist, accepted, changes, events } = detail;
  return {
    ...presentPeriod(period),
    changes,
    checklist,
    accepted: accepted.map(({ line, reason }) => ({ line, reason })),
    events: events.map(({ event, actor, actorName, at, reason, knownAt, packSha256 }) => ({
      event: event as PresentedPeriodDetail["events"][number]["event"],
      by: actor,
      name: actorName,
      at: isoTime(at),
      reason,
      known_at: knownAt === null ? null : exactIsoTime(knownAt),
      pack_sha256: packSha256?.toString("hex") ?? null,
    })),
  };
}

function signature(by?: string | null, name?: string | null, at?: string | null) {
  return by && at ? { by, name: name ?? by, at: isoTime(at) } : null;
}
