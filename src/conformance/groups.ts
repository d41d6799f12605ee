import type { CheckGroup } from "./check.ts";
import { assets } from "./checks/assets.ts";
import { checkout } from "./checks/checkout.ts";
import { defaults } from "./checks/defaults.ts";
import { gateways } from "./checks/gateways.ts";
import { isolation } from "./checks/isolation.ts";
import { onramps, onrampsAll } from "./checks/onramps.ts";
import { paymentTypes, paymentTypesOfFiat } from "./checks/payment-types.ts";
import { buyQuoteGroup, sellQuoteGroup } from "./checks/quotes.ts";
import { rate } from "./checks/rate.ts";
import { steps } from "./checks/steps.ts";
import { supported } from "./checks/supported.ts";
import { transaction, transactions } from "./checks/transactions.ts";

/** Every check of the suite, in the order of the specification. */
export const checkGroups: readonly CheckGroup[] = [
  supported,
  paymentTypes,
  paymentTypesOfFiat,
  defaults,
  assets,
  onrampsAll,
  onramps,
  buyQuoteGroup,
  sellQuoteGroup,
  checkout,
  transaction,
  transactions,
  isolation,
  gateways,
  rate,
  steps,
];
