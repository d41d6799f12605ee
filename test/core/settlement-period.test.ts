import fc from "fast-check";
import { expect, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import { periodLengths, periodsBetween } from "../../src/core/settlement-period.ts";
import { firstAtMs, localMs, type Zone, zoneNamed } from "../../src/core/zone.ts";
import { someZones } from "../support/some-zones.ts";

const DAY = 86_400_000;

test("periods follow one another without a gap, each from midnight to midnight in its zone", () => {
  const atMs = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) });
  fc.assert(
    fc.property(
      fc.constantFrom(...someZones),
      fc.constantFrom(...periodLengths),
      atMs,
      fc.nat(400),
      (name, length, fromMs, days) => {
        const zone = zoneNamed(name);
        const toMs = fromMs + days * DAY;
        const periods = periodsBetween(
          { from: formatInstant(fromMs), to: formatInstant(toMs) },
          length,
          zone,
        );
        const edges = periods.map(({ from, to }) => [Date.parse(from), Date.parse(to)]);
        // A day that was left out in its zone has no period of its own.
        const wanted = [fromMs, toMs]
          .map((at) => periodOf(zone, at, length))
          .filter(([from, to]) => from !== to);
        expect(edges).toEqual(expect.arrayContaining(wanted));
        expect(edges.slice(1).map(([from]) => from)).toEqual(edges.slice(0, -1).map(([, to]) => to));
      },
    ),
    { numRuns: 300 },
  );
});

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
