/** What to type into a checkout, and what it does. The pages show it, and docs/sandbox.md has it as tables. */

/** For the e-mail address and for the bank's challenge. */
export const testCode = "123456";

export type CardResult = "paid" | "card_declined" | "insufficient_funds" | "challenge";

export const testCards: readonly {
  readonly number: string;
  readonly result: CardResult;
  readonly about: string;
}[] = [
  { number: "4242424242424242", result: "paid", about: "goes through" },
  { number: "5555555555554444", result: "paid", about: "goes through (Mastercard)" },
  { number: "4000000000003220", result: "challenge", about: "needs 3-D Secure first" },
  { number: "4000000000000002", result: "card_declined", about: "is declined" },
  { number: "4000000000009995", result: "insufficient_funds", about: "is refused: insufficient funds" },
];

export type IdentityResult = "approved" | "refused" | "review" | "review_refused";

/** By family name, whatever its case. */
export const testNames: readonly {
  readonly name: string;
  readonly result: IdentityResult;
  readonly about: string;
}[] = [
  { name: "Refused", result: "refused", about: "is refused at once" },
  { name: "Review", result: "review", about: "is reviewed for five sandbox minutes, then approved" },
  { name: "Doubtful", result: "review_refused", about: "is reviewed for five sandbox minutes, then refused" },
];

export function identityOf(familyName: string): IdentityResult {
  const known = testNames.find(({ name }) => name.toLowerCase() === familyName.toLowerCase());
  return known?.result ?? "approved";
}

/** A document that is always refused. */
export const refusedDocument = "X0000000";

export type VoucherResult = "paid" | "voucher_used" | "voucher_expired" | "voucher_too_small";

export const testVouchers: readonly {
  readonly code: string;
  readonly result: VoucherResult;
  readonly about: string;
}[] = [
  { code: "TEST-PAID-0001", result: "paid", about: "is worth exactly the amount" },
  { code: "TEST-USED-0002", result: "voucher_used", about: "was used before" },
  { code: "TEST-GONE-0003", result: "voucher_expired", about: "has expired" },
  { code: "TEST-LESS-0004", result: "voucher_too_small", about: "is worth less than the amount" },
];

/** For payouts. */
export const testIban = "DE89370400440532013000";
export const testAccount = "000123456789";

/** After so many refused payments the order fails. */
export const refusalsMax = 3;

/** In groups of four, as on a card. */
export function grouped(digits: string): string {
  return digits.replaceAll(/(.{4})(?=.)/g, "$1 ");
}
