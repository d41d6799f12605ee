import { createServer, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks `/livez` of the service, and in turn a server of its own that does nothing else, over and over; tells of every
 * answer how long it took. What both wait for is the machine, and not the service. A process of its own, so that nothing
 * it measures is its own work.
 */
const [origin = ""] = process.argv.slice(2);

const idle = createServer((_, response) => response.end("ok"));
await new Promise<void>((resolve) => idle.listen(0, "127.0.0.1", resolve));
const address = idle.address();
const idleOrigin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
idle.unref();

const stopping = new AbortController();
process.on("message", () => stopping.abort());
process.send?.("ready");
while (!stopping.signal.aborted) {
  const idleMs = await timeOf(idleOrigin);
  const livezMs = await timeOf(`${origin}/livez`);
  process.send?.({ endedAt: Date.now(), livezMs, idleMs });
  await sleep(5);
}
process.disconnect();

function timeOf(url: string): Promise<number> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    request(url, (answer) => {
      answer.resume().on("end", () => resolve(performance.now() - begun));
    })
      .on("error", reject)
      .end();
  });
}
