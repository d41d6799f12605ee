/**
 * Instants. An `Instant` is a canonical text in UTC — `2023-07-28T07:56:42.012Z`, three digits after the point, up to
 * six when more were sent — so that equal instants are `===`, hash alike, and keep the microseconds that `Date` drops.
 */
export type Instant = string & { readonly brand: "instant" };

// Only what ISO 8601 calls a time with its zone. `new Date("1")` is a day in 2001, and a time without zone is local.
const instantForm = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?(\d{2}))$/;

/** Reads a date and time with `Z` or an offset; `null` for any other text, and for a day that does not exist. */
export function parseInstant(text: string): Instant | null {
  if (isCanonical(text)) return text;
  const found = instantForm.exec(text);
  if (!found) return null;
  const [, wallClock = "", fraction = "", sign, hours = "0", minutes = "0"] = found;
  const wallClockMs = Date.parse(`${wallClock}Z`);
  // The engine reads 30 February as 2 March and 24:00 as the next day; going back shows both.
  if (Number.isNaN(wallClockMs) || isoSeconds(wallClockMs) !== wallClock) return null;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
  const utcMs = wallClockMs - offsetMs;
  if (utcMs < earliestMs || utcMs > latestMs) return null;
  return `${isoSeconds(utcMs)}.${canonicalFraction(fraction)}Z` as Instant;
}

/** The instant of a clock that counts milliseconds since 1970. */
export function formatInstant(epochMs: number): Instant {
  if (!(epochMs >= earliestMs && epochMs <= latestMs)) throw new RangeError(`not an instant: ${epochMs}`);
  return new Date(epochMs).toISOString() as Instant;
}

/** Milliseconds since 1970, rounded down: for arithmetic with durations, not for comparing. */
export function instantMs(instant: Instant): number {
  return Date.parse(`${instant.slice(0, 23)}Z`);
}

export function compareInstants(a: Instant, b: Instant): -1 | 0 | 1 {
  // Without its `Z`, a shorter fraction is a prefix of the longer one, and so the order of texts is that of time.
  const left = a.slice(0, -1);
  const right = b.slice(0, -1);
  return left < right ? -1 : left > right ? 1 : 0;
}

// What the specification shows, and so nearly every text: it is read once for each record.
const canonicalForm =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
/** Every month has this day and those before it. */
const safeDay = "28";

function isCanonical(text: string): text is Instant {
  if (!canonicalForm.test(text)) return false;
  // What the engine writes for the same instant is canonical, and nothing else is.
  return text.slice(8, 10) <= safeDay || new Date(text).toISOString() === text;
}

// Four-digit years: what ISO 8601 writes without a sign, and Postgres reads. There is no year 0.
export const earliestMs = Date.parse("0001-01-01T00:00:00.000Z");
export const latestInstant = "9999-12-31T23:59:59.999Z" as Instant;
const latestMs = Date.parse(latestInstant);

function isoSeconds(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19);
}

// Six digits, because a Postgres timestamp holds no more, and a hash must be recomputable from the stored row.
function canonicalFraction(digits: string): string {
  return digits.slice(0, 6).replace(/0+$/, "").padEnd(3, "0");
}
