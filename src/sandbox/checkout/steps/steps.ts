import { approval } from "./approval.ts";
import { card } from "./card.ts";
import { challenge } from "./challenge.ts";
import { code } from "./code.ts";
import { contact } from "./contact.ts";
import { deposit } from "./deposit.ts";
import { difference } from "./difference.ts";
import { identity } from "./identity.ts";
import { payoutAccount } from "./payout-account.ts";
import { price } from "./price.ts";
import { review } from "./review.ts";
import type { Step, StepName } from "./step.ts";
import { transfer } from "./transfer.ts";
import { voucher } from "./voucher.ts";

export const steps: Readonly<Record<StepName, Step>> = {
  contact,
  code,
  identity,
  review,
  price,
  card,
  challenge,
  transfer,
  voucher,
  approval,
  "payout-account": payoutAccount,
  deposit,
  difference,
};
