import type { HttpDeps } from "./http.ts";

/** The clock, the die and the pause of a program that uses the client as a library; the service passes its own. */
export const edge: Pick<HttpDeps, "now" | "random" | "sleep"> = {
  now: Date.now,
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(new Error("given up"));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
    }),
};
