import { isEnabled } from "./accounts/account.ts";
import type { Caller, SandboxDeps } from "./context.ts";
import { providersFor, type Wish } from "./world/market.ts";
import type { Provider } from "./world/types.ts";

/** The providers that the caller may use for such an order, whether they are up or not. */
export function enabledProviders({ world }: SandboxDeps, caller: Caller, wish: Wish): Provider[] {
  return providersFor(world, wish).filter(({ id }) => isEnabled(caller, id));
}

/** Those that would take the order now. */
export function openProviders(deps: SandboxDeps, caller: Caller, wish: Wish): Provider[] {
  return enabledProviders(deps, caller, wish).filter((provider) => !isDown(deps, provider));
}

export function isDown({ switches }: SandboxDeps, { id }: Provider): boolean {
  return switches.trouble.outages.has(id);
}
