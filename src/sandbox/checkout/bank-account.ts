import type { Purchase } from "./purchase.ts";

/** Where customers send money to, on both surfaces. The number is a well-known example and belongs to nobody. */
export function bankAccountOf(purchase: Purchase) {
  return {
    iban: "DE02120300000000202051",
    bic: "BYLADEM1001",
    bankName: "Sandbox Bank",
    bankAddress: "1 Example Street, Berlin",
    accountName: `${purchase.providerId} deposits`,
    accountAddress: "2 Example Street, Berlin",
  };
}
