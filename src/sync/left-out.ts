import type { SyncDeps } from "./deps.ts";

/** Enough to ask the aggregator about, and not a page of the log. */
const namedMax = 10;

/** Collects what the aggregator's client leaves out of lists, each item once, and names it in the log. */
export function collectLeftOut() {
  const items = new Set<string>();
  return {
    /** To be passed with each call. */
    onLeftOut: (item: string) => void items.add(item),
    logTo: (log: SyncDeps["log"], line: { event: string; account: string }): void => {
      if (items.size > 0) log.warn({ ...line, items: items.size, first: [...items].slice(0, namedMax) });
    },
  };
}
