import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstAtMs, localMs, type Zone, zoneNamed } from "../../src/core/zone.ts";
import { periodEnd, periodStart } from "../../src/store/books/zones.ts";
import { localDay, zoneArrays } from "../../src/store/zone-sql.ts";
import { someZones } from "../support/some-zones.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const DAY = 86_400_000;

describe("Postgres, given the changes of a zone", () => {
  test("puts every instant into the day that core puts it into", async () => {
    await fc.assert(
      fc.asyncProperty(anyZone, fc.infiniteStream(awayMs), async (zone, away) => {
        const times = someTimes(zone, away);
        expect(await daysInSql(zone, times)).toEqual(times.map((at) => iso(dayOfMs(zone, at)).slice(0, 10)));
      }),
      { numRuns: 60 },
    );
  });

  test("begins and ends every day, week and month where core does", async () => {
    await fc.assert(
      fc.asyncProperty(anyZone, fc.infiniteStream(awayMs), async (zone, away) => {
        const times = someTimes(zone, away);
        for (const length of ["day", "week", "month"] as const) {
          const expected = times.map((at) => periodOf(zone, at, length).map((edge) => iso(edge)));
          expect(await periodsInSql(zone, times, length)).toEqual(expected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("asks nothing of its own zone data: a zone that is nowhere does as well", async () => {
    const clock = { changesMs: [0], offsetsMs: [0, 123_000] };
    const nowhere: Zone = { name: "Mars/Olympus", clock, dayClock: clock };
    expect(
      await daysInSql(nowhere, [Date.parse("2026-01-01T23:57:56Z"), Date.parse("2026-01-01T23:57:57Z")]),
    ).toEqual(["2026-01-01", "2026-01-02"]);
  });

  test("binds nothing for UTC, and leaves what is missing missing", async () => {
    const bound: string[] = [];
    const bind = (value: string, type: string) => `$${bound.push(value)}::${type}`;
    expect(localDay("t.at", zoneNamed("Etc/UTC"), bind)).toBe("(t.at at time zone 'UTC')::date");
    expect(bound).toEqual([]);
    const day = localDay("null::timestamptz", zoneNamed("Europe/London"), bind);
    expect(await database.db.query(`select ${day} as day`, bound)).toEqual([{ day: null }]);
  });
});

const anyZone = fc.constantFrom(...someZones).map(zoneNamed);
const awayMs = fc.integer({ min: -40 * DAY, max: 40 * DAY });

/** Around each of some changes, at the edges of their days, and beyond the years that have rules. */
function someTimes(zone: Zone, away: Iterator<number>): number[] {
  const around = (at: number) => [at - 1, at, at + Number(away.next().value), at + Number(away.next().value)];
  const days = (at: number) =>
    [-1, 0, 1, 2].map((later) => dayStartMs(zone, dayOfMs(zone, at) + later * DAY));
  const changes = zone.clock.changesMs.filter((_, index) => index % 9 === 0);
  const points = [
    ...changes,
    ...changes.flatMap(days),
    Date.UTC(1950, 5, 1),
    Date.UTC(2026, 6, 1),
    Date.UTC(2150, 6, 1),
  ];
  return points.flatMap(around);
}

async function daysInSql(zone: Zone, times: readonly number[]): Promise<string[]> {
  const values: unknown[] = [times.map(iso)];
  const day = localDay("t.at", zone, (value, type) => `$${values.push(value)}::${type}`);
  const rows = await database.db.query<{ day: string }>(
    `select ${day}::text as day from unnest($1::timestamptz[]) with ordinality as t (at, place) order by place`,
    values,
  );
  return rows.map((row) => row.day);
}

async function periodsInSql(zone: Zone, times: readonly number[], length: string): Promise<string[][]> {
  const { changes, offsets, ends } = zoneArrays(zone);
  const rows = await database.db.query<{ starts: Date; ends: Date }>(
    `select ${periodStart("t.at")} as starts, ${periodEnd("t.at")} as ends
     from unnest($1::timestamptz[]) with ordinality as t (at, place)
     cross join (
       select $2::text as period, ('1 ' || $2)::interval as length, $3::timestamptz[] as changes,
              $4::interval[] as offsets, $5::timestamp[] as ends, $6::boolean as is_utc
     ) as c
     order by place`,
    [times.map(iso), length, changes, offsets, ends, zone.name === "UTC"],
  );
  return rows.map((row) => [row.starts.toISOString(), row.ends.toISOString()]);
}

function periodOf(zone: Zone, at: number, length: "day" | "week" | "month"): [number, number] {
  const day = dayOfMs(zone, at);
  const date = new Date(day);
  const [first, next] = {
    day: [day, day + DAY],
    // Weeks begin on Mondays.
    week: [day - ((date.getUTCDay() + 6) % 7) * DAY, day + (7 - ((date.getUTCDay() + 6) % 7)) * DAY],
    month: [0, 1].map((later) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1)),
  }[length] as [number, number];
  return [dayStartMs(zone, first), dayStartMs(zone, next)];
}

function dayStartMs(zone: Zone, midnightMs: number): number {
  return firstAtMs(zone.dayClock, midnightMs);
}

function dayOfMs(zone: Zone, instantMs: number): number {
  return Math.floor(localMs(zone.dayClock, instantMs) / DAY) * DAY;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
