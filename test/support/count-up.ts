const starts: (() => void)[] = [];

/**
 * Counts 1, 2, 3 … and begins anew with every test file, although the files of a worker share their modules: names, hashes and
 * times that are made of such a number must not depend on which files came before.
 */
export function countUp(): () => number {
  let count = 0;
  starts.push(() => (count = 0));
  return () => ++count;
}

/** Called before each file. */
export function countAnew(): void {
  for (const start of starts) start();
}
