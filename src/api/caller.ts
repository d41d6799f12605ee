import type { Scope } from "../core/scopes.ts";

/** Who asks: a key that was found good. */
export interface Caller {
  keyId: string;
  scopes: ReadonlySet<Scope>;
  accountIds: readonly number[] | null;
}

/** Who is at the other end: the address that limits go by, and whether they speak https. */
export interface Client {
  address: string;
  secure: boolean;
  /** A proxy that is trusted has passed the request on. */
  proxied: boolean;
}
