import { commissionLayouts, genericLayout } from "./commission-layouts.ts";
import type { Layout } from "./layout.ts";
import { orderLayouts } from "./order-layouts.ts";

export function layoutOf(providerId: string): Layout {
  return commissionLayouts[providerId] ?? orderLayouts[providerId] ?? genericLayout;
}
