import { statusRank } from "../../core/status.ts";
import type { SandboxStatus } from "../record.ts";

/** One way a transaction can go: the statuses it passes and when, counted from its creation. */
export interface Lifecycle {
  readonly outcome: Outcome;
  readonly steps: readonly Step[];
  /** Of the status of each step: rows are sorted by it, and one is made for every record of a page. */
  readonly ranks: readonly number[];
  /** The first step at which the customer has what was bought or sold for; −1 when none is. */
  readonly delivered: number;
}

export interface Step {
  readonly status: SandboxStatus;
  readonly afterMs: number;
}

/** How fast money and coins move for a provider and payment method. */
export type Speed = keyof typeof speeds;
export type Outcome = (typeof outcomes)[number];

export const outcomes = [
  "completed",
  "completed_at_once",
  "completed_unpaid",
  "failed",
  "failed_after_payment",
  "canceled",
  "expired",
  "abandoned",
  "stuck",
  "reversed",
  "recovered",
  "regressed",
  "rehashed",
] as const;

/** Of 1,000 transactions that do not go through plainly, how many end in which way. */
export const misfortunes: Readonly<Partial<Record<Outcome, number>>> = {
  failed: 330,
  failed_after_payment: 60,
  canceled: 230,
  expired: 180,
  abandoned: 120,
  stuck: 30,
  reversed: 15,
  recovered: 20,
  regressed: 10,
  rehashed: 5,
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const speeds = {
  instant: { pending: 8 * SECOND, paid: 35 * SECOND, completed: 95 * SECOND },
  quick: { pending: 15 * SECOND, paid: 70 * SECOND, completed: 4 * MINUTE },
  normal: { pending: 30 * SECOND, paid: 150 * SECOND, completed: 11 * MINUTE },
  slow: { pending: MINUTE, paid: 6 * MINUTE, completed: 38 * MINUTE },
  bank: { pending: 2 * MINUTE, paid: 26 * HOUR, completed: 27.5 * HOUR },
};

/** Not every day is equally busy: each speed comes in three paces. */
const paces = [0.7, 1, 1.9];
export const paceCount = paces.length;

/** In the order that `lifecycleIndex` counts them. */
export const lifecycles: readonly Lifecycle[] = Object.values(speeds).flatMap((times) =>
  paces.flatMap((pace) =>
    outcomes.map((outcome) => {
      const { pending, paid, completed } = times;
      const steps = stepsOf(outcome, {
        pending: pending * pace,
        paid: paid * pace,
        completed: completed * pace,
      });
      return {
        outcome,
        steps,
        ranks: steps.map(({ status }) => statusRank(status)),
        delivered: steps.findIndex(({ status }) => status === "completed"),
      };
    }),
  ),
);

export function lifecycleIndex(speed: Speed, pace: number, outcome: Outcome): number {
  return (
    (Object.keys(speeds).indexOf(speed) * paceCount + pace) * outcomes.length + outcomes.indexOf(outcome)
  );
}

/**
 * Rare turns come at fixed times rather than at each speed's own: the work of finding the rows of a moment grows with
 * the number of different times, and nobody would see the difference.
 */
function stepsOf(outcome: Outcome, at: { pending: number; paid: number; completed: number }): Step[] {
  const created: Step = { status: "new", afterMs: 0 };
  const pending: Step = { status: "pending", afterMs: at.pending };
  const paid: Step = { status: "paid", afterMs: at.paid };
  const completed: Step = { status: "completed", afterMs: at.completed };
  switch (outcome) {
    case "completed":
      return [created, pending, paid, completed];
    case "completed_at_once":
      return [created, completed];
    case "completed_unpaid":
      return [{ status: "pending", afterMs: 0 }, completed];
    case "failed":
      return [created, pending, { status: "failed", afterMs: at.paid }];
    case "failed_after_payment":
      return [created, pending, paid, { status: "failed", afterMs: at.completed }];
    case "canceled":
      return [created, { status: "canceled", afterMs: at.pending }];
    case "expired":
      return [created, pending, { status: "canceled", afterMs: DAY }];
    case "abandoned":
      return [created];
    case "stuck":
      return [created, pending, paid];
    case "reversed":
      return [created, pending, paid, completed, { status: "failed", afterMs: 6 * DAY }];
    case "recovered":
      return [
        created,
        pending,
        { status: "canceled", afterMs: DAY },
        { status: "completed", afterMs: 50 * HOUR },
      ];
    case "regressed":
      return [
        { status: "pending", afterMs: 0 },
        { status: "paid", afterMs: 10 * MINUTE },
        { status: "pending", afterMs: 20 * MINUTE },
        { status: "completed", afterMs: 40 * MINUTE },
      ];
    case "rehashed":
      return [created, pending, paid, completed, { status: "completed", afterMs: 4 * DAY }];
    default:
      return outcome satisfies never;
  }
}
