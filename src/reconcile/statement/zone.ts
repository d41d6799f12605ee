/**
 * From the wall clock of an IANA zone to the instant, both in milliseconds; the wall clock as if it were UTC. Of an
 * hour that occurs twice the earlier instant; `null` for one that does not exist. The function itself is `null` when
 * nobody knows the zone.
 */
export function createZone(name: string): ((wallMs: number) => number | null) | null {
  if (name === "UTC") return (wallMs) => wallMs;
  const offsetAt = offsetReader(name);
  if (!offsetAt) return null;
  // Rows come in order of time, so the offset of an hour is asked for again and again.
  let hour = Number.NaN;
  let offsets: readonly number[] = [];
  return (wallMs) => {
    const wallHour = Math.floor(wallMs / HOUR);
    if (wallHour !== hour) {
      hour = wallHour;
      // A day on either side sees every offset that this wall clock could have; the larger one is earlier in time.
      offsets = [...new Set([offsetAt(wallMs - DAY), offsetAt(wallMs + DAY)])].toSorted((a, b) => b - a);
    }
    for (const offset of offsets) {
      const instantMs = wallMs - offset;
      if (offsetAt(instantMs) === offset) return instantMs;
    }
    return null;
  };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How far the zone's wall clock is ahead of UTC at an instant. */
function offsetReader(name: string): ((instantMs: number) => number) | null {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  const known = new Map<number, number>();
  return (instantMs) => {
    // Offsets change on quarters of an hour, nowhere in between.
    const quarter = Math.floor(instantMs / QUARTER);
    let offset = known.get(quarter);
    if (offset === undefined) {
      const at = quarter * QUARTER;
      const part = Object.fromEntries(
        format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
      );
      const wall = Date.UTC(
        part["year"] ?? 0,
        (part["month"] ?? 1) - 1,
        part["day"] ?? 1,
        part["hour"] ?? 0,
        part["minute"] ?? 0,
        part["second"] ?? 0,
      );
      offset = wall - at;
      if (known.size >= offsetsKnownMax) known.clear();
      known.set(quarter, offset);
    }
    return offset;
  };
}

const QUARTER = HOUR / 4;
const offsetsKnownMax = 10_000;
