import { createHash, timingSafeEqual } from "node:crypto";
import { RefusedError } from "../refusal.ts";
import type { Account } from "./account.ts";

/** All accounts of a sandbox, found by their keys. */
export interface KeyRing {
  /** Owns what is done without a key. */
  readonly first: Account;
  readonly accounts: readonly Account[];
  /** The account of the key in the header; refuses a request without one. */
  require(header: string | undefined): Account;
  /** For endpoints that answer without a key: a key that is sent must still be right, or a typing error stays unseen. */
  find(header: string | undefined): Account | null;
  /** The account of both headers. */
  requireSecret(header: string | undefined, secret: string | undefined): Account;
}

export function createKeyRing(accounts: readonly [Account, ...Account[]]): KeyRing {
  // By digest: the time of a look-up then tells nothing about the keys.
  const byDigest = new Map(accounts.map((account) => [digest(account.apiKey).toString("hex"), account]));

  function find(header: string | undefined): Account | null {
    if (header === undefined || header === "") return null;
    const account = byDigest.get(digest(header).toString("hex"));
    if (account) return account;
    throw new RefusedError(
      "API_KEY_INVALID",
      "The API key in the Authorization header is not known here. The header holds the key itself, without a scheme.",
      "Authorization",
    );
  }

  function require(header: string | undefined): Account {
    const account = find(header);
    if (account) return account;
    throw new RefusedError(
      "API_KEY_MISSING",
      "Send your API key in the Authorization header.",
      "Authorization",
    );
  }

  return {
    first: accounts[0],
    accounts,
    find,
    require,
    requireSecret(header, secret) {
      const account = require(header);
      if (secret === undefined || secret === "") {
        throw new RefusedError(
          "API_SECRET_MISSING",
          "Send your API secret in the x-service-secret header.",
          "x-service-secret",
        );
      }
      if (!timingSafeEqual(digest(secret), digest(account.apiSecret))) {
        throw new RefusedError(
          "API_SECRET_INVALID",
          "The secret in the x-service-secret header does not belong to this key.",
          "x-service-secret",
        );
      }
      return account;
    },
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
