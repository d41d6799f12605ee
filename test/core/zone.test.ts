import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findZone, firstAtMs, localMs, type Zone, zoneNamed, zoneNames } from "../../src/core/zone.ts";
import { someZones } from "../support/some-zones.ts";

describe("a zone's name", () => {
  test.each([
    ["Europe/London", "Europe/London"],
    ["europe/LONDON", "Europe/London"],
    ["utc", "UTC"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    // ICU would call these by the older names.
    ["Asia/Kolkata", "Asia/Kolkata"],
    ["Europe/Kyiv", "Europe/Kyiv"],
    ["Etc/GMT+5", "Etc/GMT+5"],
  ])("%s is written %s", (given, name) => {
    expect(findZone(given)?.name).toBe(name);
  });

  test.each([
    // Known to ICU, or to Postgres, or to both, as something else.
    ..."BST IST AST CST EST PST EST5EDT CET GMT Japan GMT+5 UTC+3 posix/Europe/London localtime".split(" "),
    ..."+02:00 -05 Z Mars Mars/Olympus Europe/ /London Europe/London/ Europe//London ../etc/passwd".split(
      " ",
    ),
    "",
    " UTC",
    "Europe/London\n",
    "Europe/London\0",
    "constructor",
  ])("%j is none", (given) => {
    expect(findZone(given)).toBeNull();
  });

  test("is known for the zones that people can choose", () => {
    expect(zoneNames()).toEqual(expect.arrayContaining(["UTC", "Europe/London", "Pacific/Apia"]));
    for (const name of someZones) expect(findZone(name)?.name).toBe(name);
  });
});

test.each([
  ["America/Boa_Vista", "2000-10-08T04:00:00.000Z", "2000-10-15T03:00:00.000Z"],
  ["America/Recife", "2000-10-08T03:00:00.000Z", "2000-10-15T02:00:00.000Z"],
  ["America/Noronha", "2000-10-08T02:00:00.000Z", "2000-10-15T01:00:00.000Z"],
])("changes are found even where the clocks went forward for a week only: %s", (name, ...expected) => {
  const changes = zoneNamed(name).clock.changesMs.map((at) => new Date(at).toISOString());
  expect(changes.filter((at) => at.startsWith("2000-10"))).toEqual(expected);
});

test("offsets with seconds are kept", () => {
  const monrovia = zoneNamed("Africa/Monrovia");
  expect(shown(monrovia, "1971-06-01T00:00:00Z")).toBe("1971-05-31T23:15:30.000Z");
  expect(shown(monrovia, "1973-06-01T00:00:00Z")).toBe("1973-06-01T00:00:00.000Z");
});

describe("a clock that changes", () => {
  const berlin = zoneNamed("Europe/Berlin");

  test("shows an hour twice: the first is meant", () => {
    expect(first(berlin, "2026-10-25T02:30:00Z")).toBe("2026-10-25T00:30:00.000Z");
    expect(first(berlin, "2026-10-25T03:00:00Z")).toBe("2026-10-25T02:00:00.000Z");
  });

  test("never shows another hour: the moment of the change is meant", () => {
    expect(first(berlin, "2026-03-29T01:59:59Z")).toBe("2026-03-29T00:59:59.000Z");
    expect(first(berlin, "2026-03-29T02:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
    expect(first(berlin, "2026-03-29T02:59:59.999Z")).toBe("2026-03-29T01:00:00.000Z");
    expect(first(berlin, "2026-03-29T03:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
  });

  test("goes back over midnight, and each half hour is still found", () => {
    const stJohns = zoneNamed("America/St_Johns");
    expect(first(stJohns, "2010-11-06T23:30:00Z")).toBe("2010-11-07T02:00:00.000Z");
    expect(first(stJohns, "2010-11-07T00:00:30Z")).toBe("2010-11-07T02:30:30.000Z");
    expect(first(stJohns, "2010-11-07T00:30:00Z")).toBe("2010-11-07T04:00:00.000Z");
    expect(shown(stJohns, "2010-11-07T03:00:00Z")).toBe("2010-11-06T23:30:00.000Z");
  });
});

describe("of any zone", () => {
  test("the clock shows what Intl shows", () => {
    fc.assert(
      fc.property(anyZone, anyInstant, (name, instantMs) => {
        expect(localMs(zoneNamed(name).clock, instantMs)).toBe(shownByIntl(name, instantMs));
      }),
      { numRuns: 300 },
    );
  });

  test("an instant comes back from its local time, or the first of two does", () => {
    fc.assert(
      fc.property(anyZone, nearAChange, (name, pick) => {
        const { clock } = zoneNamed(name);
        const instantMs = pick(clock.changesMs);
        const back = firstAtMs(clock, localMs(clock, instantMs));
        expect(localMs(clock, back)).toBe(localMs(clock, instantMs));
        expect(back).toBeLessThanOrEqual(instantMs);
      }),
      { numRuns: 300 },
    );
  });

  test("days follow one another without a gap, and each instant lies in one", () => {
    const wrong = someZones.flatMap((name) => {
      const { clock, dayClock } = zoneNamed(name);
      const startOf = (midnightMs: number) => firstAtMs(dayClock, midnightMs);
      const isTiled = (instantMs: number) => {
        const day = Math.floor(localMs(dayClock, instantMs) / DAY) * DAY;
        const [start, next, afterNext] = [startOf(day), startOf(day + DAY), startOf(day + 2 * DAY)];
        // A day that was left out begins where the next one does. Both clocks agree on when a day begins.
        return start <= instantMs && instantMs < next && next <= afterNext && start === firstAtMs(clock, day);
      };
      const times = clock.changesMs.flatMap((change) => aroundMs.map((away) => change + away));
      return [0, ...times].filter((at) => !isTiled(at)).map((at) => `${name} ${new Date(at).toISOString()}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** Every half hour, and the instants beside it, for 26 hours on either side. */
const aroundMs = Array.from({ length: 105 }, (_, index) => (index - 52) * 1_800_000).flatMap((at) => [
  at - 1,
  at,
  at + 1,
]);
const DAY = 86_400_000;

const anyZone = fc.constantFrom(...someZones);
const anyInstant = fc
  .integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1_000 - 1 })
  .map((seconds) => seconds * 1_000);
/** Where things go wrong, if they do: within three days of a change, or anywhere in a zone that has none. */
const nearAChange = fc
  .tuple(fc.nat(), fc.integer({ min: -3 * DAY, max: 3 * DAY }), anyInstant)
  .map(([index, awayMs, elsewhere]) => (changes: readonly number[]) => {
    const change = changes[index % Math.max(changes.length, 1)];
    return change === undefined ? elsewhere : change + awayMs;
  });

function shown(zone: Zone, instant: string): string {
  return new Date(localMs(zone.clock, Date.parse(instant))).toISOString();
}

function first(zone: Zone, local: string): string {
  return new Date(firstAtMs(zone.clock, Date.parse(local))).toISOString();
}

function shownByIntl(timeZone: string, instantMs: number): number {
  const numeric = "numeric";
  const fields = {
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  } as const;
  const format = new Intl.DateTimeFormat("en", { timeZone, hourCycle: "h23", ...fields });
  const parts = Object.fromEntries(
    format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: string) => parts[type] ?? 0;
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
}
