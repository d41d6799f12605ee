/**
 * What a file has shown of itself so far: for a million rows, within some tens of megabytes, which a Map of texts would
 * exceed several times. Keys are the first 96 bits of a SHA-256: two of a million are equal by chance once in 10^17.
 */
export interface KeyTable {
  /** How often the key has been met, this time included. */
  count(keyHash: Buffer): number;
  /** Whether the key is new, or was met with this content, or with another. */
  compare(keyHash: Buffer, contentHash: Buffer): "new" | "same" | "other";
}

export function createKeyTable(): KeyTable {
  let slots = 1 << 12;
  let words = new Int32Array(slots * wordsPerSlot);
  let used = 0;

  /** Where the key is, or where it belongs. */
  function find(table: Int32Array, size: number, a: number, b: number, c: number): number {
    for (let slot = (a >>> 0) & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      const at = slot * wordsPerSlot;
      const isFree = table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0;
      if (isFree || (table[at] === a && table[at + 1] === b && table[at + 2] === c)) return at;
    }
  }

  function grow(): void {
    const larger = new Int32Array(slots * 2 * wordsPerSlot);
    for (let at = 0; at < words.length; at += wordsPerSlot) {
      const [a = 0, b = 0, c = 0] = [words[at], words[at + 1], words[at + 2]];
      if (a === 0 && b === 0 && c === 0) continue;
      const to = find(larger, slots * 2, a, b, c);
      for (let word = 0; word < wordsPerSlot; word++) larger[to + word] = words[at + word] ?? 0;
    }
    words = larger;
    slots *= 2;
  }

  function place(keyHash: Buffer): { at: number; isNew: boolean } {
    if (used * 3 > slots * 2) grow();
    const a = keyHash.readInt32LE(0);
    const b = keyHash.readInt32LE(4);
    // A slot of zeros is free, so no key may be all zeros.
    const c = keyHash.readInt32LE(8) | 1;
    const at = find(words, slots, a, b, c);
    const isNew = words[at + 2] === 0;
    if (isNew) {
      used += 1;
      words[at] = a;
      words[at + 1] = b;
      words[at + 2] = c;
    }
    return { at, isNew };
  }

  return {
    count(keyHash) {
      const { at } = place(keyHash);
      const count = (words[at + 3] ?? 0) + 1;
      words[at + 3] = count;
      return count;
    },
    compare(keyHash, contentHash) {
      const { at, isNew } = place(keyHash);
      const low = contentHash.readInt32LE(0);
      const high = contentHash.readInt32LE(4);
      if (!isNew) return words[at + 3] === low && words[at + 4] === high ? "same" : "other";
      words[at + 3] = low;
      words[at + 4] = high;
      return "new";
    },
  };
}

/** Three of the key, two of what is known about it. */
const wordsPerSlot = 5;
