import type { z } from "@hono/zod-openapi";
import { instantMs } from "../../core/instant.ts";
import { instantAt } from "../../core/period.ts";
import { utc, zoneNamed } from "../../core/zone.ts";
import type { DiscrepancyChange } from "../../store/books/discrepancy-changes.ts";
import { accountsOfDiscrepancies } from "../../store/books/discrepancy-reads.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { listCalendars } from "../../store/periods/calendar.ts";
import type { Api } from "../deps.ts";
import { problem } from "../problem.ts";
import type { actionSchema } from "./action-schema.ts";

/** A change as it was asked for: the day that it is booked on is not yet a time. */
export type AskedChange = z.output<typeof actionSchema>;

/** A day begins in the zone of the account's months. */
export async function dated(
  api: Api,
  reader: AccountReader,
  ids: readonly number[],
  change: AskedChange,
): Promise<DiscrepancyChange> {
  if (change.action !== "resolve" && change.action !== "write_off") return change;
  const { booked_at: time, ...rest } = change;
  if (time === undefined) return rest;
  const zones = "day" in time ? await zonesOf(reader, ids) : [];
  if (zones.length > 1) {
    throw refused(
      `These accounts have days of different zones (${zones.join(", ")}): decide account by account.`,
    );
  }
  const at = instantAt(time, zoneNamed(zones[0] ?? utc.name));
  if (instantMs(at) > api.deps.now()) {
    throw refused("The day to count from is in the future: leave it out to book it now.");
  }
  return { ...rest, booked_at: at };
}

const refused = (why: string) => problem("invalid_body", why, { param: "booked_at" });

async function zonesOf({ database, accountIds }: AccountReader, ids: readonly number[]): Promise<string[]> {
  const concerned = await accountsOfDiscrepancies({ database, accountIds }, ids);
  const calendars = await listCalendars({ database, accountIds: concerned });
  return [...new Set(calendars.map(({ zone }) => zone.name))];
}
