import { z, type OpenAPIHono } from "@hono/zod-openapi";
import {
  addDecimals,
  decimal,
  divideDecimals,
  truncateDecimal,
  zero,
  type Decimal,
} from "../../core/decimal.ts";
import { newTransactionId } from "../checkout/open-purchase.ts";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { addEndpoint } from "../endpoint.ts";
import { assetIcon, fiatIcon, paymentTypeIcon } from "../icons.ts";
import { booleanParameter } from "../parameters.ts";
import { RefusedError } from "../refusal.ts";
import { exactNumber } from "../wire.ts";
import { findAsset, findFiat, findPaymentType } from "../world/lookup.ts";
import { missedLimit, providersFor, serves } from "../world/market.ts";
import { fiatToBuy, quoteBuy } from "../world/quote.ts";
import type { Asset, Fiat, PaymentType, Provider } from "../world/types.ts";
import { anyCountryParameter, readPlace } from "./country.ts";
import { displayPrecision } from "./gateways.ts";
import { ratesResponse } from "./schemas.ts";
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
          .regex(/^[1-9]\d{0,11}$/, "expected a positive whole number")
          .openapi({ type: "integer", example: 100 }),
      }),
      query: z.object({
        country: anyCountryParameter,
        includeIcons: booleanParameter,
        amountInCrypto: booleanParameter,
      }),
      response: ratesResponse,
    },
    ({ c, params, query }) => {
      const { home, within } = readPlace(deps, c, query.country);
      const wish: RateWish = {
        ...readWish(deps, params),
        amount: decimal(params.amount),
        amountInCrypto: query.amountInCrypto,
        country: home,
        atMs: deps.now(),
      };
      const icons = query.includeIcons ? { icons: iconsOf(deps.origin(), wish) } : {};
      return providersFor(deps.world, { side: "buy", ...within }).map((provider) =>
        Object.assign(
          { identifier: provider.id, duration: durationOf(provider) },
          rateOf(deps, provider, wish),
          icons,
        ),
      );
    },
  );
}

interface RateWish {
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
  if (!serves(provider, { side: "buy", fiat: wish.fiat, asset: wish.asset, method: wish.method })) {
    const message = `${provider.displayName} does not sell ${wish.asset.code} for ${wish.fiat.code} by ${wish.method.name}`;
    return { available: false, error: { type: "OTHER", message, limit: exactNumber(zero) } };
  }
  const order = { ...wish, provider, method: wish.method.id };
  const fiatAmount = wish.amountInCrypto ? fiatToBuy(world, order) : wish.amount;
  const quote = quoteBuy(world, { ...order, amount: fiatAmount });
  const missed = missedLimit(world, { provider, fiat: wish.fiat, fiatAmount, atMs: wish.atMs });
  if (missed) {
    // In the unit of the amount that was asked about: it is the number to change.
    const limit = wish.amountInCrypto
      ? divideDecimals(missed.limit, quote.rate, { places: 8 })
      : missed.limit;
    const unit = wish.amountInCrypto ? wish.asset.code : wish.fiat.code;
    const message = `${missed.type === "MIN" ? "The minimum" : "The maximum"} is ${limit} ${unit}`;
    return { available: false, error: { type: missed.type, message, limit: exactNumber(limit) } };
  }
  const received = truncateDecimal(quote.payout, displayPrecision(world, provider, wish.asset));
  const outAmount = wish.amountInCrypto ? wish.amount : received;
  return {
    available: true,
    rate: exactNumber(quote.rate),
    fees: exactNumber(addDecimals(quote.networkFee, quote.transactionFee)),
    requiredKYC: provider.kyc === "low" ? ["email"] : ["email", ["passport", "drivingLicense"]],
    receivedCrypto: exactNumber(outAmount),
    nextStep: firstStep(deps, {
      step: "form",
      transactionId: newTransactionId(deps),
      providerId: provider.id,
      fiat: wish.fiat.id,
      asset: wish.asset.id,
      method: wish.method.id,
      country: wish.country,
      inAmount: fiatAmount,
      outAmount,
      atMs: wish.atMs,
    }),
  };
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
