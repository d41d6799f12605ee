const zero = 0x30;
/** Excel counts a 29 February 1900 that never was; from the day after it all programs agree. */
const firstDay = 61;

/** The day that a spreadsheet stores for `2026-10-01` at `at`; `null` when there is no date there that it could store. */
export function serialDay(bytes: Uint8Array, at: number): number | null {
  if (bytes[at + 4] !== dash || bytes[at + 7] !== dash) return null;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  // The days of the civil calendar since 1 March of the year 0, and from there to 30 December 1899.
  const shifted = month > 2 ? month - 3 : month + 9;
  const counted = month > 2 ? year : year - 1;
  const era = Math.floor(counted / 400);
  const yearOfEra = counted - era * 400;
  const dayOfYear = Math.floor((153 * shifted + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const serial = era * 146_097 + dayOfEra - 693_899;
  return serial >= firstDay ? serial : null;
}

/** Ten digits of a day are a hundredth of a millisecond: a reader that rounds to milliseconds finds the one written. */
export const dayDigits = 10;

/** The part of its day of a time such as `…T12:34:56.789Z`, in units of the tenth digit. */
export function dayFraction(bytes: Uint8Array, at: number): number {
  const seconds =
    twoDigits(bytes, at + 11) * 3_600 + twoDigits(bytes, at + 14) * 60 + twoDigits(bytes, at + 17);
  const milliseconds = seconds * 1_000 + twoDigits(bytes, at + 20) * 10 + ((bytes[at + 22] as number) - zero);
  return Math.round((milliseconds * 10 ** dayDigits) / 86_400_000);
}

const dash = 0x2d;

function twoDigits(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) - zero) * 10 + ((bytes[at + 1] as number) - zero);
}
