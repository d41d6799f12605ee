import { z, type OpenAPIHono } from "@hono/zod-openapi";
import {
  addDecimals,
  compareDecimals,
  decimal,
  decimalFromUnits,
  truncateDecimal,
  zero,
  type Decimal,
} from "../../core/decimal.ts";
import { newTransactionId } from "../checkout/open-purchase.ts";
import type { Caller, SandboxDeps, SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { assetIcon, fiatIcon, paymentTypeIcon } from "../icons.ts";
import { enabledProviders } from "../open-providers.ts";
import { booleanParameter } from "../parameters.ts";
import { RefusedError } from "../refusal.ts";
import { exactNumber } from "../wire.ts";
import { findAsset, findFiat, findPaymentType } from "../world/lookup.ts";
import { limitsOf, outside } from "../world/market.ts";
import { fiatToBuy, quoteBuy, type Order } from "../world/quote.ts";
import type { Asset, Fiat, PaymentType, Provider, World } from "../world/types.ts";
import { anyCountryParameter, readPlace } from "./country.ts";
import { displayPrecision } from "./gateways.ts";
import { ratesResponse } from "./schemas.ts";
import { whyClosed } from "./why-closed.ts";
import { firstStep } from "./steps.ts";

export function addRates(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  addEndpoint(
    app,
    deps,
    {
      method: "get",
      path: "/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}",
      operationId: "listRates",
      summary: "What each gateway offers for one amount; unavailable gateways say why",
      tag: "earlier",
      auth: "optional",
      params: z.object({
        fromCurrency: z.string().openapi({ example: "EUR" }),
        toCurrency: z.string().openapi({ example: "BTC" }),
        paymentMethod: z.string().openapi({ example: "creditCard" }),
        amount: z
          .string()
          .regex(/^0*[1-9]\d*$/, "expected a positive whole number")
          .max(amountDigitsMax, `expected at most ${amountDigitsMax} digits`)
          .openapi({ type: "integer", example: 100 }),
      }),
      query: z.object({
        country: anyCountryParameter,
        includeIcons: booleanParameter,
        amountInCrypto: booleanParameter,
      }),
      response: ratesResponse,
    },
    ({ c, caller, params, query }) => {
      const place = readPlace(deps, c, query.country);
      const wish: RateWish = {
        caller,
        within: place.within,
        ...readWish(deps, params),
        amount: decimal(params.amount),
        amountInCrypto: query.amountInCrypto,
        country: place.home,
        atMs: deps.now(),
      };
      const icons = query.includeIcons ? { icons: iconsOf(deps.origin(), wish) } : {};
      return enabledProviders(deps, caller, { side: "buy", ...place.within }).map((provider) =>
        Object.assign(
          { identifier: provider.id, duration: durationOf(provider) },
          rateOf(deps, provider, wish),
          icons,
        ),
      );
    },
  );
}

/** More than any money there is; exact arithmetic has its limits too. */
const amountDigitsMax = 40;

interface RateWish {
  readonly caller: Caller;
  /** Where the gateway must do business: nowhere in particular when all countries were asked for. */
  readonly within: { readonly country?: string };
  readonly fiat: Fiat;
  readonly asset: Asset;
  readonly method: PaymentType;
  readonly amount: Decimal;
  readonly amountInCrypto: boolean;
  readonly country: string;
  readonly atMs: number;
}

function rateOf(deps: SandboxDeps, provider: Provider, wish: RateWish) {
  const { world } = deps;
  const closed = whyClosed(deps, provider, wish);
  if (closed !== null) return { available: false, error: { ...closed, limit: exactNumber(zero) } };
  const places = displayPrecision(world, provider, wish.asset);
  const order = { ...wish, provider, method: wish.method.id };
  const limits = limitsOf(world, { ...order, side: "buy", places });
  // In the unit of the amount that was asked about: it is the number to change.
  const bounds = wish.amountInCrypto ? limitsInCrypto(world, order, { ...limits, places }) : limits;
  const missed = outside(wish.amount, bounds);
  if (missed) {
    const unit = wish.amountInCrypto ? wish.asset.code : wish.fiat.code;
    const message = `The ${missed.type === "MIN" ? "minimum" : "maximum"} is ${missed.limit} ${unit}`;
    return { available: false, error: { type: missed.type, message, limit: exactNumber(missed.limit) } };
  }
  const inAmount = wish.amountInCrypto ? within(limits, fiatToBuy(world, order)) : wish.amount;
  const quote = quoteBuy(world, { ...order, amount: inAmount });
  const outAmount = wish.amountInCrypto ? wish.amount : truncateDecimal(quote.payout, places);
  return {
    available: true,
    rate: exactNumber(quote.rate),
    fees: exactNumber(addDecimals(quote.networkFee, quote.transactionFee)),
    requiredKYC: provider.kyc === "low" ? ["email"] : ["email", ["passport", "drivingLicense"]],
    receivedCrypto: exactNumber(outAmount),
    nextStep: firstStep(deps, {
      step: "form",
      transactionId: newTransactionId(deps),
      apiKey: (wish.caller ?? deps.accounts.first).apiKey,
      providerId: provider.id,
      fiat: wish.fiat.id,
      asset: wish.asset.id,
      method: wish.method.id,
      country: wish.country,
      inAmount,
      outAmount,
      atMs: wish.atMs,
    }),
  };
}

interface Bounds {
  readonly min: Decimal;
  readonly max: Decimal;
}

/** What the smallest and the largest payment buy: exactly these amounts are accepted, and nothing beyond them. */
function limitsInCrypto(
  world: World,
  order: Order,
  { min, max, places }: Bounds & { places: number },
): Bounds {
  const bought = (amount: Decimal) => quoteBuy(world, { ...order, amount }).payout;
  const unit = decimalFromUnits(1n, places);
  const least = truncateDecimal(bought(min), places);
  return {
    min: least === bought(min) ? least : addDecimals(least, unit),
    max: truncateDecimal(bought(max), places),
  };
}

/** A coin so coarse that less money would buy the same amount still costs no less than the minimum. */
function within({ min, max }: Bounds, amount: Decimal): Decimal {
  if (compareDecimals(amount, min) < 0) return min;
  return compareDecimals(amount, max) > 0 ? max : amount;
}

function readWish(
  deps: SandboxDeps,
  params: { fromCurrency: string; toCurrency: string; paymentMethod: string },
) {
  const fiat = findFiat(deps.world, params.fromCurrency);
  if (!fiat) throw missing("fromCurrency", "expected a fiat currency");
  const asset = findAsset(deps.world, params.toCurrency);
  if (!asset) throw missing("toCurrency", "expected a crypto currency");
  const method = findPaymentType(deps.world, params.paymentMethod);
  if (!method) throw missing("paymentMethod", "expected a payment method");
  return { fiat, asset, method };
}

function missing(field: string, expected: string): RefusedError {
  return new RefusedError(
    "CURRENCY_NOT_FOUND",
    `${field}: ${expected}; GET /gateways lists what there is`,
    field,
  );
}

function durationOf({ secondsToDeliver: seconds }: Provider) {
  const minutes = Math.ceil(seconds / 60);
  return { seconds, message: `About ${minutes} minute${minutes === 1 ? "" : "s"}` };
}

function iconsOf(origin: string, { fiat, asset, method }: RateWish) {
  return {
    fromCurrency: fiatIcon(origin, fiat),
    toCurrency: assetIcon(origin, asset),
    paymentMethod: paymentTypeIcon(origin, method),
  };
}
