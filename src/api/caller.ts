import type { Scope } from "../core/scopes.ts";

/** Who asks: a key that was found good. */
export interface Caller {
  keyId: string;
  scopes: ReadonlySet<Scope>;
  accountIds: readonly number[] | null;
}
