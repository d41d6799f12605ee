import type { WindowLease } from "../store/windows/window-leases.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";

/** One worker reading one window: what every step needs. */
export interface Walk {
  deps: SyncDeps;
  account: SyncAccount;
  lease: WindowLease;
  /** Aborted when the worker should stop. */
  signal: AbortSignal;
}

/** How a walk ended, if not with an error. */
export type WalkEnd = "sealed" | "split" | "released";
