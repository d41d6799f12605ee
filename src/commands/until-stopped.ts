/** The first signal asks to finish what was begun; a second one leaves at once. */
export function untilStopped(): { promise: Promise<void>; asked: () => boolean } {
  let asked = false;
  const promise = new Promise<void>((resolve) => {
    const onSignal = () => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
  return { promise, asked: () => asked };
}
