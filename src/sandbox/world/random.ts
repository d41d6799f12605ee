/**
 * Chance without a generator: a number is looked up by what it is for, so any part of the world can be computed alone,
 * in any order, and comes out the same. 32 bits, integer arithmetic only.
 */
export function hash32(seed: string, ...parts: readonly (string | number)[]): number {
  let hash = absorbText(0x811c9dc5, seed);
  for (const part of parts) {
    // A separator between parts, so that ("ab", "c") and ("a", "bc") are different questions.
    hash = typeof part === "number" ? absorbInteger(hash, part) : absorbText(hash ^ 0x9e3779b9, part);
  }
  return scramble(hash);
}

/** The same for hot paths: one 32-bit state and one integer, no text and no array. */
export function mix32(state: number, value: number): number {
  return scramble(absorbInteger(state, value));
}

/** A whole number in `[0, bound)`. */
export function below(bound: number, hash: number): number {
  return Math.floor(((hash >>> 0) / 0x1_0000_0000) * bound);
}

/** True in the given share of cases. For chance only: a share is a ratio, never an amount. */
export function happens(share: number, hash: number): boolean {
  return (hash >>> 0) / 0x1_0000_0000 < share;
}

export function pick<T>(choices: readonly T[], hash: number): T {
  const chosen = choices[below(choices.length, hash)];
  if (chosen === undefined) throw new RangeError("nothing to pick from");
  return chosen;
}

/** As many pseudo-random bytes as wanted, from the same question asked with a counter. */
export function hashBytes(count: number, seed: string, ...parts: readonly (string | number)[]): Uint8Array {
  const bytes = new Uint8Array(count);
  const state = hash32(seed, ...parts);
  for (let at = 0; at < count; at += 4) {
    const word = mix32(state, at);
    for (let i = 0; i < 4 && at + i < count; i++) bytes[at + i] = (word >>> (8 * i)) & 0xff;
  }
  return bytes;
}

function absorbText(state: number, text: string): number {
  let hash = state;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

function absorbInteger(state: number, value: number): number {
  // Times in milliseconds have more than 32 bits: both halves count.
  const low = Math.imul(value | 0, 0xcc9e2d51);
  const high = Math.imul(Math.floor(value / 0x1_0000_0000) | 0, 0x1b873593);
  return Math.imul(scramble(state ^ low) + high, 5) + 0xe6546b64;
}

/** The last step of MurmurHash3: every bit of the input reaches every bit of the result. */
function scramble(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
