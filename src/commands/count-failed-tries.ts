import type { SyncLog } from "../sync/deps.ts";

/**
 * For a command that says by itself why it waits: during an outage every window fails again and again, and a line for each
 * would hide that sentence. They are counted instead, and kept for those who ask for everything.
 */
export function countFailedTries(log: SyncLog): { log: SyncLog; count: () => number } {
  let count = 0;
  const unlessFailed = (write: (fields: object) => void) => (fields: object) => {
    if (!("event" in fields) || fields.event !== "window_failed") return write(fields);
    count++;
    log.debug(fields);
  };
  return {
    count: () => count,
    log: {
      debug: (fields) => log.debug(fields),
      info: (fields) => log.info(fields),
      warn: unlessFailed((fields) => log.warn(fields)),
      error: unlessFailed((fields) => log.error(fields)),
    },
  };
}
