/**
 * Remembers the last few thousand results. A transaction has several statuses that are read minutes apart, and what
 * they share need not be worked out for each. Everything here is a pure function of the number, so forgetting is free.
 */
export function memoByIndex<T extends { readonly index: number }>(
  make: (index: number) => T,
): (index: number) => T {
  const held: (T | undefined)[] = Array.from({ length: memoSize }, () => undefined);
  return (index) => {
    const at = index & (memoSize - 1);
    const known = held[at];
    if (known !== undefined && known.index === index) return known;
    const made = make(index);
    held[at] = made;
    return made;
  };
}

/** A power of two. A page looks back over some hundred transactions, and several readers walk in different places. */
const memoSize = 8192;
