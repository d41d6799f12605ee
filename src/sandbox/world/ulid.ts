/** ULIDs: 48 bits of time and 80 of chance as 26 letters of Crockford's base 32, so that ids sort by their birth. */
export function makeUlid(atMs: number, chance: Uint8Array): string {
  let time = "";
  for (let left = atMs, i = 0; i < 10; i++, left = Math.floor(left / 32)) time = letters[left % 32] + time;
  let bits = 0n;
  for (let i = 0; i < 10; i++) bits = (bits << 8n) | BigInt(chance[i] ?? 0);
  let rest = "";
  for (let i = 0; i < 16; i++, bits >>= 5n) rest = letters[Number(bits & 31n)] + rest;
  return time + rest;
}

/** The time a ULID was made at; `null` when the text is none. */
export function ulidTimeMs(ulid: string): number | null {
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(ulid)) return null;
  let atMs = 0;
  for (const letter of ulid.slice(0, 10)) atMs = atMs * 32 + letters.indexOf(letter);
  return atMs;
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
