import type { WindowLease } from "../store/windows/window-leases.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";

/** One worker reading one window: what every step of it needs. */
export interface Walk {
  deps: SyncDeps;
  account: SyncAccount;
  lease: WindowLease;
  /** Raised when the worker is to stop. */
  signal: AbortSignal;
}

/** How a walk came to its end without an error. */
export type WalkEnd = "sealed" | "split" | "released";
