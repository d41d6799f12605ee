import type { Log } from "../src/log.ts";
import type { JobName, Payload } from "./queues.ts";

/** All that a job may touch, handed to it by `main`. */
export interface JobDeps {
  log: Log;
  now: () => number;
  /** Host name and process number: who did it. */
  workerName: string;
  recordHeartbeat(heartbeat: { job: string; worker: string; workerAtMs: number }): Promise<void>;
}

export type Handler<Name extends JobName> = (deps: JobDeps, payload: Payload<Name>) => Promise<void>;
