import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstAtMs, localMs, type Zone, zoneNamed } from "../../src/core/zone.ts";
import { localDay } from "../../src/store/zone-sql.ts";
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
    [-1, 0, 1, 2].map((later) => firstAtMs(zone.dayClock, dayOfMs(zone, at) + later * DAY));
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

function dayOfMs(zone: Zone, instantMs: number): number {
  return Math.floor(localMs(zone.dayClock, instantMs) / DAY) * DAY;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
