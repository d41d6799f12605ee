/** No server may silence us for longer, not even by mistake. */
const retryAfterMsMax = 10 * 60_000;

/** `Retry-After` in seconds or as an HTTP date, made into milliseconds from now; `null` when it is neither. */
export function parseRetryAfter(header: string, nowMs: number): number | null {
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMsMax);
  const until = parseHttpDate(text, nowMs);
  return until === null ? null : Math.min(Math.max(until - nowMs, 0), retryAfterMsMax);
}

/** The forms that a recipient must accept (RFC 9110, 5.6.7). Servers send the first; the others are obsolete. */
const forms = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** The date of an HTTP header, in milliseconds since 1970; `nowMs` says which century a year of two digits is in. */
export function parseHttpDate(text: string, nowMs: number): number | null {
  for (const form of forms) {
    const { day = "", month = "", year = "", time = "" } = form.exec(text)?.groups ?? {};
    const monthNo = months.indexOf(month) + 1;
    if (monthNo === 0) continue;
    const date = `${wholeYear(year, nowMs)}-${twoDigits(monthNo)}-${twoDigits(Number(day))}`;
    const ms = Date.parse(`${date}T${time}Z`);
    // `Date` takes 31 June for 1 July.
    return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== date ? null : ms;
  }
  return null;
}

/** A year that would be more than 50 years ahead is the last one with the same two digits, as the RFC has it. */
function wholeYear(year: string, nowMs: number): string {
  if (year.length === 4) return year;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const inThisCentury = thisYear - (thisYear % 100) + Number(year);
  return String(inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
