/** What has become known since a month was signed: how many facts of a kind, and the first few of them by name. */
export interface ChangedFact {
  fact: string;
  changes: number;
  /** Ids, as people find them; not in what earlier versions kept. */
  first?: readonly string[];
}

/** `1 record (T9), 4 findings (dis_12 missing_from_statement, dis_13 missing_from_statement, and 2 more)` */
export function changesText(changed: readonly ChangedFact[]): string {
  return changed.map(factText).join(", ");
}

function factText({ fact, changes, first = [] }: ChangedFact): string {
  const words = fact.replaceAll("_", " ");
  const counted = `${changes} ${changes === 1 ? words.replace(/(ches|s)$/, (end) => (end === "ches" ? "ch" : "")) : words}`;
  if (first.length === 0) return counted;
  const more = changes > first.length ? [`and ${changes - first.length} more`] : [];
  return `${counted} (${[...first, ...more].join(", ")})`;
}
