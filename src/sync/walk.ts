import type { WindowLease } from "../store/windows/window-leases.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";

/** A window that one worker has claimed: what every step needs. */
export interface ClaimedWindow {
  deps: SyncDeps;
  account: SyncAccount;
  lease: WindowLease;
  /** Aborted when the worker should stop. */
  signal: AbortSignal;
}

/** One worker reading one window. */
export interface Walk extends ClaimedWindow {
  /** Aborted when the worker should stop, and when the lease was lost: for whatever takes long. */
  leased: AbortSignal;
}

/** How a walk ended, if not with an error. */
export type WalkEnd = "sealed" | "split" | "released";
