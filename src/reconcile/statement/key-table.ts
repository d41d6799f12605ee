/**
 * What a file has shown of itself so far: for a million rows, within some tens of megabytes, which a Map of texts would
 * exceed several times. A key is kept as 96 bits of a hash. Two keys that agree in all of them by accident would reject
 * a row with its reason; they could not make one disappear.
 */
export interface KeyTable {
  /** How often the key has been seen, this time included. */
  count(key: string): number;
  /** Whether the key is new, or was seen with this content, or with another. `contentHash` is hex. */
  compare(key: string, contentHash: string): "new" | "same" | "other";
}

export function createKeyTable(): KeyTable {
  let slots = 1 << 12;
  let words = new Int32Array(slots * wordsPerSlot);
  let used = 0;

  /** Where the key is, or where it belongs. */
  function find(table: Int32Array, size: number, a: number, b: number, c: number): number {
    for (let slot = a & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      const at = slot * wordsPerSlot;
      const isFree = table[at + 2] === 0;
      if (isFree || (table[at] === a && table[at + 1] === b && table[at + 2] === c)) return at;
    }
  }

  function grow(): void {
    const larger = new Int32Array(slots * 2 * wordsPerSlot);
    for (let at = 0; at < words.length; at += wordsPerSlot) {
      const c = words[at + 2] ?? 0;
      if (c === 0) continue;
      const to = find(larger, slots * 2, words[at] ?? 0, words[at + 1] ?? 0, c);
      for (let word = 0; word < wordsPerSlot; word++) larger[to + word] = words[at + word] ?? 0;
    }
    words = larger;
    slots *= 2;
  }

  function place(key: string): { at: number; isNew: boolean } {
    if (used * 3 > slots * 2) grow();
    let a = 0x2545f491;
    let b = 0x1b873593;
    let c = 0x38b34ae5;
    for (let index = 0; index < key.length; index++) {
      const letter = key.charCodeAt(index);
      a = Math.imul(((a << 5) | (a >>> 27)) ^ letter, 0x9e3779b1);
      b = Math.imul(((b << 7) | (b >>> 25)) ^ letter, 0x85ebca77);
      c = Math.imul(((c << 11) | (c >>> 21)) ^ letter, 0xc2b2ae3d);
    }
    a ^= a >>> 15;
    // A slot is free when this word is zero, so no key may have it so.
    c |= 1;
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
    count(key) {
      const { at } = place(key);
      const count = (words[at + 3] ?? 0) + 1;
      words[at + 3] = count;
      return count;
    },
    compare(key, contentHash) {
      const { at, isNew } = place(key);
      const low = Number.parseInt(contentHash.slice(0, 8), 16) | 0;
      const high = Number.parseInt(contentHash.slice(8, 16), 16) | 0;
      if (!isNew) return words[at + 3] === low && words[at + 4] === high ? "same" : "other";
      words[at + 3] = low;
      words[at + 4] = high;
      return "new";
    },
  };
}

/** Three of the key, two of what is known about it. */
const wordsPerSlot = 5;
