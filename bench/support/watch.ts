import { once } from "node:events";
import { forkBeside } from "./fork-beside.ts";

/** One question to `/livez`, and how long an idle server took at the same time. */
export interface Sighting {
  /** By the clock of the machine, in milliseconds. */
  endedAt: number;
  livezMs: number;
  idleMs: number;
}

export interface Watch {
  /** All that was seen since a time, and to the end of the next question after this one. */
  since(beganAt: number): Promise<Sighting[]>;
  stop(): Promise<Sighting[]>;
}

/** Watches `/livez` from another process until it is stopped. */
export async function watchLivez(origin: string): Promise<Watch> {
  const { child } = await forkBeside("watch-livez", [origin]);
  const sightings: Sighting[] = [];
  child.on("message", (seen) => sightings.push(seen as Sighting));
  return {
    since: async (beganAt) => {
      const now = Date.now();
      for (let seen = 0; seen < 2; seen += 1) await once(child, "message");
      return sightings.filter(({ endedAt, livezMs }) => endedAt >= beganAt && endedAt - livezMs <= now);
    },
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.send("stop");
      await ended;
      return sightings;
    },
  };
}

export function longest(sightings: readonly Sighting[], of: "livezMs" | "idleMs"): number {
  return sightings.reduce((most, seen) => Math.max(most, seen[of]), 0);
}
