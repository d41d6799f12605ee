import { hash32, mix32 } from "../world/random.ts";

/**
 * Transaction ids are ULIDs: ten characters of creation time, sixteen that look random. Here those sixteen hold the
 * transaction's number, scrambled with the seed, and a check, so that an id leads back to its transaction without a
 * search, and an id that was made up leads nowhere.
 */
export interface IdCodec {
  encode(index: number, createdMs: number): string;
  /** `null` for any text that `encode` would not have made for that number, its time aside. */
  decode(id: string): { index: number; createdMs: number } | null;
}

export function createIdCodec(seed: string): IdCodec {
  const keys = [0, 1, 2, 3].map((number) => hash32(seed, "transaction-id", number));
  const checkKey = hash32(seed, "transaction-id", "check");

  return {
    encode(index, createdMs) {
      let left = Math.floor(index / halfSize);
      let right = index & halfMask;
      // A Feistel network: whatever the rounds do, running them backwards undoes it.
      for (const key of keys) {
        const before = left;
        left = right;
        right = before ^ round(key, right);
      }
      const check = mix32(checkKey, index);
      writeTime(createdMs);
      writeHalf(10, left);
      writeHalf(14, check & halfMask);
      writeHalf(18, right);
      writeHalf(22, mix32(check, index) & halfMask);
      return written.toString("latin1");
    },
    decode(id) {
      if (!ulidForm.test(id)) return null;
      let left = readLetters(id, 10, 14);
      let right = readLetters(id, 18, 22);
      for (const key of keys.toReversed()) [left, right] = [right ^ round(key, left), left];
      const index = left * halfSize + right;
      const createdMs = readLetters(id, 0, 10);
      return this.encode(index, createdMs) === id ? { index, createdMs } : null;
    },
  };
}

function round(key: number, half: number): number {
  return mix32(key, half) & halfMask;
}

/** Two halves of 20 bits: a million million transactions. */
const halfSize = 2 ** 20;
const halfMask = halfSize - 1;
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const ulidForm = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const codes = Buffer.from(letters);
/** An id is put together here and becomes a text in one go. */
const written = Buffer.alloc(26);

function writeTime(ms: number): void {
  // In two parts of 25 bits, because bit operations end at 32.
  let low = ms % 2 ** 25;
  let high = Math.floor(ms / 2 ** 25);
  for (let at = 4; at >= 0; at--) {
    written[at] = codes[high & 31] as number;
    written[at + 5] = codes[low & 31] as number;
    high >>= 5;
    low >>= 5;
  }
}

function writeHalf(at: number, bits: number): void {
  written[at] = codes[bits >> 15] as number;
  written[at + 1] = codes[(bits >> 10) & 31] as number;
  written[at + 2] = codes[(bits >> 5) & 31] as number;
  written[at + 3] = codes[bits & 31] as number;
}

function readLetters(id: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 32 + letters.indexOf(id.charAt(at));
  return value;
}
