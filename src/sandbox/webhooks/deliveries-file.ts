import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Which events are dealt with, so that a restart does not tell them all again. */
export interface Deliveries {
  has(eventId: string): boolean;
  add(eventId: string): void;
}

export function openDeliveries(dataDir: string | undefined): Deliveries {
  const done = new Set<string>();
  if (dataDir === undefined) return { has: (id) => done.has(id), add: (id) => void done.add(id) };
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, "webhooks.log");
  if (existsSync(path)) for (const id of readFileSync(path, "utf8").split("\n")) done.add(id);
  return {
    has: (id) => done.has(id),
    add(id) {
      done.add(id);
      // A line that is lost in a crash means one more delivery, which every receiver must expect anyway.
      appendFileSync(path, `${id}\n`);
    },
  };
}
