import { describe, expect, test } from "vitest";
import type { Instant } from "../../src/core/instant.ts";
import {
  addDays,
  dayOf,
  type DayOrInstant,
  firstOfMonth,
  lastDayBefore,
  monthOf,
  notATime,
  notAZone,
  parseDay,
  parseDayOrInstant,
  parseTime,
  resolvePeriod,
  startOfDay,
} from "../../src/core/period.ts";
import { utc, zoneNamed } from "../../src/core/zone.ts";

const london = zoneNamed("Europe/London");

describe("a day or an instant", () => {
  test.each([
    ["2026-10-01", { day: "2026-10-01" }],
    ["2024-02-29", { day: "2024-02-29" }],
    ["2026-10-01T02:00:00+02:00", { instant: "2026-10-01T00:00:00.000Z" }],
    ["2026-10-01T02:00+02:00", { instant: "2026-10-01T00:00:00.000Z" }],
    ["2026-10-01T00:00Z", { instant: "2026-10-01T00:00:00.000Z" }],
    ["2026-10-01T00:00:00.123456Z", { instant: "2026-10-01T00:00:00.123456Z" }],
    ["1767859200", { instant: "2026-01-08T08:00:00.000Z" }],
  ])("%s", (text, expected) => {
    expect(parseDayOrInstant(text)).toEqual(expected);
  });

  test.each([
    "",
    "yesterday",
    "2026",
    "2026-10",
    "20261001",
    "2026-02-29",
    "2026-13-01",
    "2026-10-01T00:00:00",
    "2026-10-01T00:00",
    "2026-10-01 00:00:00Z",
    " 2026-10-01",
    "0000-01-01",
    // In some zones these begin in a year that cannot be written.
    "0001-01-01",
    "9999-12-31",
    "17678592000000",
  ])("%j is neither", (text) => {
    expect(parseDayOrInstant(text)).toBeNull();
    expect(parseTime(text)).toBeNull();
  });

  test("every day that is one can be found in every zone", () => {
    for (const zone of [zoneNamed("Pacific/Kiritimati"), zoneNamed("Etc/GMT+12")]) {
      for (const day of [theDay("0001-01-02"), theDay("9999-12-30")]) {
        expect(dayOf(startOfDay(day, zone), zone)).toBe(day);
        expect(startOfDay(addDays(day, 1), zone) > startOfDay(day, zone)).toBe(true);
      }
    }
  });

  test("is refused in words that name it and the next step, and repeat no key", () => {
    expect(notATime("noon")).toBe(
      'not a day or a time: "noon". Use 2026-11-14, 2026-11-14T09:30:00Z or unix seconds.',
    );
    const lostPlus = "In an address, write the + of an offset as %2B.";
    expect(notATime("2026-10-01T00:00:00 02:00")).toContain(lostPlus);
    expect(notATime("2026-10-01 02:00")).not.toContain(lostPlus);
    expect(notAZone("BST")).toBe('not a time zone: "BST". Use UTC or an IANA name such as Europe/London.');
    expect(notAZone("tieout_abcdefgh_secret")).toContain("[a key]");
  });
});

describe("a period", () => {
  test("of days begins with the first and ends before the last, in their zone", () => {
    expect(period("2026-10-01", "2026-11-01")).toEqual({
      from: "2026-09-30T23:00:00.000Z",
      to: "2026-11-01T00:00:00.000Z",
      firstDay: "2026-10-01",
      lastDay: "2026-10-31",
    });
  });

  test("of instants is called by the days that it has a part in", () => {
    expect(period("2026-09-30T22:59:59Z", "2026-10-31T23:59:59.999Z")).toMatchObject({
      firstDay: "2026-09-30",
      lastDay: "2026-10-31",
    });
    expect(lastDayBefore({ instant: "2026-11-01T00:00:00.000Z" as Instant }, london)).toBe("2026-10-31");
    expect(lastDayBefore({ instant: "2026-11-01T00:00:00.000001Z" as Instant }, london)).toBe("2026-11-01");
  });

  test("may be open on both sides", () => {
    expect(resolvePeriod({ from: null, to: null }, utc)).toEqual({
      from: null,
      to: null,
      firstDay: null,
      lastDay: null,
    });
  });

  test.each([
    ["2026-10-01", "2026-10-01"],
    ["2026-10-02", "2026-10-01"],
    ["2026-10-01", "2026-09-30T23:00:00Z"],
    ["2026-10-01T00:00:00Z", "2026-10-01T00:00:00Z"],
  ])("from %s to %s is refused", (from, to) => {
    expect(period(from, to)).toEqual({ refused: expect.stringMatching(/^must lie after from; /) as string });
  });

  test("of a day that a zone left out is empty, and no mistake", () => {
    const apia = zoneNamed("Pacific/Apia");
    const skipped = { from: parseDayOrInstant("2011-12-30"), to: parseDayOrInstant("2011-12-31") };
    expect(resolvePeriod(skipped, apia)).toEqual({
      from: "2011-12-30T10:00:00.000Z",
      to: "2011-12-30T10:00:00.000Z",
      firstDay: "2011-12-30",
      lastDay: "2011-12-30",
    });
  });

  test("may be a month", () => {
    expect(monthOf("2026-12", utc)).toEqual({
      from: "2026-12-01T00:00:00.000Z",
      to: "2027-01-01T00:00:00.000Z",
    });
    expect(monthOf("2026-10", london)?.from).toBe("2026-09-30T23:00:00.000Z");
    expect(monthOf("2026-13", utc)).toBeNull();
    expect(monthOf("9999-12", utc)).toBeNull();
    expect(firstOfMonth(theDay("2026-01-31"), -1)).toBe("2025-12-01");
    expect(firstOfMonth(theDay("0050-12-31"), 1)).toBe("0051-01-01");
  });
});

function period(from: string, to: string) {
  return resolvePeriod({ from: asked(from), to: asked(to) }, london);
}

function asked(text: string): DayOrInstant {
  const time = parseDayOrInstant(text);
  if (time === null) throw new Error(`no time: ${text}`);
  return time;
}

function theDay(text: string) {
  const day = parseDay(text);
  if (day === null) throw new Error(`no day: ${text}`);
  return day;
}
