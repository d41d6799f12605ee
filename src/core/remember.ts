/** What was found a moment ago, so that a busy client does not ask the database the same thing for every request. */
export interface Memory<T> {
  get(key: string, find: () => Promise<T>): Promise<T>;
  forget(key: string): void;
}

const entriesMax = 10_000;

export function createMemory<T>(deps: { now: () => number; keepMs: number }): Memory<T> {
  const held = new Map<string, { value: Promise<T>; untilMs: number }>();
  return {
    get(key, find) {
      const known = held.get(key);
      if (known !== undefined && known.untilMs > deps.now()) return known.value;
      // Bounded, because keys come from outside: thousands of wrong ones must not fill the memory.
      if (held.size >= entriesMax) held.clear();
      const value = find();
      held.set(key, { value, untilMs: deps.now() + deps.keepMs });
      // Don't cache failures: the next request tries again.
      value.catch(() => held.delete(key));
      return value;
    },
    forget: (key) => void held.delete(key),
  };
}
