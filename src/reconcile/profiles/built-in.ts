import { type Profile, profileSchema } from "../statement/profile.ts";
import { alchemypay } from "./alchemypay.ts";
import { banxa, banxaLegacy } from "./banxa.ts";
import { coinbase } from "./coinbase.ts";
import { commissionSummary } from "./commission-summary.ts";
import { generic } from "./generic.ts";
import { guardarian } from "./guardarian.ts";
import { mercuryo } from "./mercuryo.ts";
import { moonpay } from "./moonpay.ts";
import { ramp } from "./ramp.ts";
import { simplex } from "./simplex.ts";
import { stripe } from "./stripe.ts";
import { topper } from "./topper.ts";
import { transak } from "./transak.ts";

/**
 * No provider publishes the header of its export: these follow the field names of their interfaces, which exports
 * usually do. A profile that does not fit is corrected as data, by its user.
 */
export const builtInProfiles: readonly Profile[] = [
  alchemypay,
  banxa,
  banxaLegacy,
  coinbase,
  commissionSummary,
  generic,
  guardarian,
  mercuryo,
  moonpay,
  ramp,
  simplex,
  stripe,
  topper,
  transak,
].map((source) => profileSchema.parse(source));
