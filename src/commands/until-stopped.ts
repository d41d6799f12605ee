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
