import type { Decimal } from "../../core/decimal.ts";
import type { Caller, SandboxDeps } from "../context.ts";
import { chainHash, providerTransactionId } from "../ledger/identifiers.ts";
import type { Side } from "../world/market.ts";
import { hash32 } from "../world/random.ts";
import type { Asset, Fiat, PaymentType, Provider } from "../world/types.ts";
import { makeUlid } from "../world/ulid.ts";
import type { Purchase } from "./purchase.ts";
import type { Theme } from "./theme.ts";

export interface PurchaseRequest {
  readonly side: Side;
  readonly provider: Provider;
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly method: PaymentType;
  /** Upper case. */
  readonly country: string;
  readonly inAmount: Decimal;
  readonly outAmount: Decimal;
  readonly walletAddress: string;
  readonly walletMemo?: string | undefined;
  readonly partnerContext?: string | undefined;
  readonly redirectUrl?: string | undefined;
  readonly user?: string | undefined;
  readonly theme?: Theme | undefined;
  readonly surface?: "earlier" | undefined;
  /** When the price was made, where it does not stand for the whole session. */
  readonly quotedMs?: number | undefined;
}

/** Starts an order and keeps it: status `new`, and a session in which the person can decide. */
export function openPurchase(
  deps: SandboxDeps,
  caller: Caller,
  request: PurchaseRequest,
  givenId?: string,
): Purchase {
  const { side, provider, fiat, asset, method } = request;
  const { walletMemo, partnerContext, redirectUrl, user, theme, surface, quotedMs } = request;
  const createdMs = deps.now();
  const transactionId = givenId ?? newTransactionId(deps);
  const family = deps.world.networkById.get(asset.network)?.family ?? "evm";
  const number = hash32("checkout", transactionId);
  const purchase: Purchase = {
    transactionId,
    // Anyone who knows the session can decide in it, so it is drawn, never derived.
    sessionId: Buffer.from(deps.randomBytes(18)).toString("base64url"),
    createdMs,
    expiresMs: createdMs + deps.settings.sessionSeconds * 1000,
    apiKey: (caller ?? deps.accounts.first).apiKey,
    country: request.country,
    side,
    providerId: provider.id,
    providerTransactionId: providerTransactionId(provider.id, checkoutsStart + number, {
      key: hash32("provider", provider.id),
      value: number,
    }),
    method: method.id,
    source: side === "buy" ? fiat.id : asset.id,
    target: side === "buy" ? asset.id : fiat.id,
    inAmount: request.inAmount,
    outAmount: request.outAmount,
    transactionHash: chainHash(family, { key: hash32("hash", transactionId), value: number }),
    walletAddress: request.walletAddress,
    ...(walletMemo === undefined ? {} : { walletMemo }),
    ...(partnerContext === undefined ? {} : { partnerContext }),
    ...(redirectUrl === undefined ? {} : { redirectUrl }),
    ...(user === undefined ? {} : { user }),
    ...(theme === undefined ? {} : { theme }),
    ...(surface === undefined ? {} : { surface }),
    ...(quotedMs === undefined ? {} : { quotedMs }),
  };
  deps.journal.add(purchase);
  return purchase;
}

/** Some providers count their orders. The numbers of the seeded history end far below. */
const checkoutsStart = 2 ** 40;

export function newTransactionId(deps: SandboxDeps): string {
  return makeUlid(deps.now(), deps.randomBytes(10));
}
