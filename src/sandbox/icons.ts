import type { Asset, Fiat, PaymentType, Provider } from "./world/types.ts";

/** Addresses of pictures. The sandbox draws them itself, so that a page built against it works without a network. */
export function assetIcon(origin: string, asset: Asset): string {
  return `${origin}/sandbox/icons/asset-${asset.id}.svg`;
}

export function fiatIcon(origin: string, fiat: Fiat): string {
  return `${origin}/sandbox/icons/fiat-${fiat.id}.svg`;
}

export function paymentTypeIcon(origin: string, type: PaymentType): string {
  return `${origin}/sandbox/icons/payment-${type.id}.svg`;
}

export function providerIcons(origin: string, provider: Provider) {
  const path = `${origin}/sandbox/icons/provider-${provider.id}`;
  return {
    icon: `${path}.svg`,
    icons: { svg: `${path}.svg`, png: { "32x32": `${path}-32x32.png`, "160x160": `${path}-160x160.png` } },
  };
}
