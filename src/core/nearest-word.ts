/** The known word that a mistyped one most likely stands for; `null` when none is near. */
export function nearestWord(given: string, known: readonly string[]): string | null {
  const scored = known.map((word) => ({
    word,
    distance: editDistance(given.toLowerCase(), word.toLowerCase()),
  }));
  const best = scored.toSorted((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= Math.max(2, Math.floor(best.word.length / 3)) ? best.word : null;
}

function editDistance(a: string, b: string): number {
  // Far longer than any word of ours: not a typing error.
  if (a.length > 64) return a.length;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
