/**
 * Long pieces of work that would run one right after the other get a turn each: between two of them the process looks at
 * what has arrived. Without it, pages that arrive together are all made ready before the next request of any of them is
 * sent, so their answers arrive together again, and the CPU idles in between.
 */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}
