import type { Given } from "../page/fields.ts";
import type { Html } from "../page/html.ts";
import type { Walk } from "../walk.ts";

/** Steps in which the person does something, by the last part of their address. */
export const stepNames = [
  "contact",
  "code",
  "identity",
  "review",
  "price",
  "card",
  "challenge",
  "transfer",
  "voucher",
  "approval",
  "payout-account",
  "deposit",
  "difference",
] as const;
export type StepName = (typeof stepNames)[number];

export interface Step {
  readonly title: (walk: Walk) => string;
  /** What stands below the title. */
  readonly show: (walk: Walk, given: Given) => Html;
  /** Test data, and buttons for what the world outside would do; shown apart, as the sandbox's own. */
  readonly sandbox?: (walk: Walk) => Html;
  /** Takes what the person sent; a `FieldError` shows the step again. Left out: there is nothing to send. */
  readonly take?: (walk: Walk, form: URLSearchParams) => void;
}
