import { SECOND } from "../core/duration.ts";

/** The first signal asks to finish what was begun; a second one leaves at once. */
export function untilStopped(): Promise<void> {
  let asked = false;
  return new Promise<void>((resolve) => {
    const onSignal = () => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}

/**
 * For when everything is closed. What still holds the process open, such as a connection to a Redis that is away, is not waited
 * for; the timer itself holds nothing open.
 */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), SECOND).unref();
}
