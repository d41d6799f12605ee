/** The start of a purchase or sale: it returns the page to present to the customer. */
import { LosslessNumber } from "lossless-json";
import { z } from "zod";
import type { Decimal } from "../core/decimal.ts";
import { writeExactJson } from "./exact-json.ts";
import type { CallOptions } from "./http.ts";
import type { Surface, TransactionType } from "./surface.ts";
import { orNull, readAs, wireDecimal, wireInteger, wireText } from "./wire.ts";

/** Which fields are required is not shown; without these four no provider could begin. */
export interface CheckoutRequest {
  readonly onramp: string;
  readonly source: string;
  readonly destination: string;
  readonly amount: Decimal;
  readonly type?: TransactionType;
  readonly paymentMethod?: string;
  readonly network?: string;
  readonly uuid?: string;
  /** Our client's own order reference: the best way back from a transaction to the order. */
  readonly partnerContext?: string;
  readonly originatingHost?: string;
  readonly metaData?: { readonly quoteId: string };
  /** `memo` for the chains that need one: XRP, XLM, TON, HBAR. Sent as it is, with whatever else a provider wants. */
  readonly wallet?: { readonly address: string; readonly memo?: string; readonly [more: string]: unknown };
  readonly supportedParams?: {
    readonly theme?: CheckoutTheme;
    /** The aggregator wants `success` URL-encoded: a `URL` is encoded here, a text is sent as it is. */
    readonly partnerData?: { readonly redirectUrl: { readonly success: string | URL } };
  };
}

interface CheckoutTheme {
  readonly isDark?: boolean;
  readonly themeName?: string;
  readonly primaryColor?: string;
  readonly secondaryColor?: string;
  readonly primaryTextColor?: string;
  readonly secondaryTextColor?: string;
  readonly cardColor?: string;
  readonly borderRadius?: string | number | null;
}

const checkoutAnswer = z.looseObject({
  message: z.looseObject({
    validationInformation: orNull(z.boolean()),
    status: orNull(wireText),
    sessionInformation: z.looseObject({
      onramp: orNull(wireText),
      source: orNull(wireText),
      destination: orNull(wireText),
      amount: orNull(wireDecimal),
      type: orNull(wireText),
      paymentMethod: orNull(wireText),
      network: orNull(wireText),
      uuid: orNull(wireText),
      originatingHost: orNull(wireText),
      wallet: orNull(z.looseObject({ address: orNull(wireText) })),
      supportedParams: orNull(z.looseObject({})),
      country: orNull(wireText),
      /** A timestamp whose unit is not shown. */
      expiringTime: orNull(wireInteger),
      sessionId: wireText,
    }),
    transactionInformation: z.looseObject({
      transactionId: wireText,
      url: wireText,
      type: orNull(wireText),
      params: orNull(z.looseObject({ permissions: orNull(wireText) })),
    }),
  }),
});
export type Checkout = z.output<typeof checkoutAnswer>["message"];

export function checkoutEndpoints(surface: Surface) {
  return {
    /** Never repeated by itself: a checkout whose answer was lost may exist. */
    async createCheckout(request: CheckoutRequest, call?: CallOptions): Promise<Checkout> {
      const template = "/checkout/intent";
      const answer = await surface.http.send(
        {
          method: "POST",
          template,
          path: template,
          headers: { ...surface.headers, "content-type": "application/json" },
          // A number on the wire, with our own digits.
          body: writeExactJson(withEncodedUrl({ ...request, amount: new LosslessNumber(request.amount) })),
          call: { ...call, attemptsMax: 1 },
        },
        readAs(checkoutAnswer),
      );
      return answer.value.message;
    },
  };
}

type SentRequest = Omit<CheckoutRequest, "amount"> & { readonly amount: LosslessNumber };

function withEncodedUrl(request: SentRequest): SentRequest {
  const { supportedParams } = request;
  const success = supportedParams?.partnerData?.redirectUrl.success;
  if (!(success instanceof URL)) return request;
  const partnerData = {
    ...supportedParams?.partnerData,
    redirectUrl: { success: encodeURIComponent(success.href) },
  };
  return { ...request, supportedParams: { ...supportedParams, partnerData } };
}
