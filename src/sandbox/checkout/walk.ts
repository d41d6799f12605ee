import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import type { Asset, Fiat, Network, PaymentType, Provider } from "../world/types.ts";
import type { Progress } from "./progress.ts";
import type { JournalEntry, Purchase } from "./purchase.ts";

/** One person's way through one checkout, as it stands at the moment of a request. */
export interface Walk {
  readonly deps: SandboxDeps;
  readonly entry: JournalEntry;
  readonly purchase: Purchase;
  readonly progress: Progress;
  readonly provider: Provider;
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly network: Network;
  readonly method: PaymentType;
  /** Path of the checkout's page; its steps are below it. */
  readonly home: string;
  readonly nowMs: number;
}

export function openWalk(deps: SandboxDeps, entry: JournalEntry, home: string): Walk {
  const { purchase, progress } = entry;
  const { world } = deps;
  const [fiatId, assetId] =
    purchase.side === "buy" ? [purchase.source, purchase.target] : [purchase.target, purchase.source];
  const provider = world.providerById.get(purchase.providerId);
  const fiat = world.fiatById.get(fiatId);
  const asset = world.assetById.get(assetId);
  const network = world.networkById.get(asset?.network ?? "");
  const method = world.paymentTypeById.get(purchase.method);
  if (!provider || !fiat || !asset || !network || !method) {
    throw new RefusedError("NOT_FOUND", "This checkout is about things that no longer exist.");
  }
  return {
    deps,
    entry,
    purchase,
    progress,
    provider,
    fiat,
    asset,
    network,
    method,
    home,
    nowMs: deps.now(),
  };
}

/** Keeps how far the person has come. */
export function note({ deps, progress }: Walk, changes: Partial<Progress>): void {
  deps.journal.note({ ...progress, ...changes });
}

/** Changes the order before it is decided; its records tell it as another `new`. */
export function amend({ deps, purchase, nowMs }: Walk, changes: Partial<Purchase>): void {
  const last = purchase.amendedMs ?? purchase.createdMs;
  // Two records of one status and one date would contradict each other.
  deps.journal.amend({ ...purchase, ...changes, amendedMs: Math.max(nowMs, last + 1) });
}

/** The same walk after something was kept. */
export function reopen({ deps, entry, home }: Walk): Walk {
  return openWalk(deps, deps.journal.byTransaction(entry.purchase.transactionId) ?? entry, home);
}
