import type { PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { counted, groupDigits } from "../../core/counted.ts";

type Line = PresentedPeriodDetail["checklist"]["lines"][number];
type Part = Line["parts"][number];

/** `accepted`: red, and someone has given a reason why that may be. `carried`: nothing is left but what was carried forward. */
export type ShownState = Part["state"] | "accepted" | "carried";

/** A line, or one provider's part of it. */
export function shownState({
  state,
  left,
  carried,
}: {
  state: Part["state"];
  left: number;
  carried: number;
}): ShownState {
  return state === "amber" && left === 0 && carried > 0 ? "carried" : state;
}

/** How one provider stands in a month, or the account as a whole. */
export interface Cell {
  state: ShownState;
  /** The first thing that stands in the way. */
  reason: string | null;
  /** How much money that is about. */
  amounts: Part["amounts"];
}

/** The worst of its lines speaks for a provider; `null` where no line says anything about it. */
export function cellOf(
  lines: readonly Line[],
  provider: string | null,
  accepted: ReadonlySet<string> = new Set(),
): Cell | null {
  const found = lines.flatMap(({ line, parts }) =>
    parts.filter((part) => part.provider === provider).map((part) => ({ line, part })),
  );
  if (found.length === 0) return null;
  const stateOf = (line: string, state: Part["state"]) =>
    state === "red" && accepted.has(line) ? "accepted" : state;
  for (const state of ["red", "accepted", "amber"] as const) {
    const first = found.find(({ line, part }) => stateOf(line, part.state) === state);
    if (first === undefined) continue;
    const { line, part } = first;
    // What is carried forward is still money that someone has to look after.
    const amounts = part.left === 0 ? (part.carried_amounts ?? part.amounts) : part.amounts;
    const shown =
      state === "accepted" ? state : shownState({ ...part, state, carried: count(part, "carried") });
    return { state: shown, reason: reasons[line]?.(part) ?? `${groupDigits(part.left)} left`, amounts };
  }
  return { state: "green", reason: null, amounts: [] };
}

const count = (part: Part, name: string) => Number(part.figures[name] ?? 0);

/** A month that lasts is read up to some minutes ago: in hours that is none. Checklists signed earlier have hours only. */
function missingTime(part: Part): string {
  const hours = count(part, "hours_missing");
  const minutes = count(part, "minutes_missing") || Math.round(hours * 60);
  if (minutes < 1) return "the last minutes";
  if (minutes < 60) return `${minutes} min`;
  return hours < 72 ? `${groupDigits(hours)} h` : counted(Math.round(hours / 24), "day");
}

const reasons: Record<string, (part: Part) => string> = {
  read: (part) => `${missingTime(part)} not read`,
  read_again: (part) => (count(part, "windows_waiting") > 0 ? "being read again" : "not read again"),
  statements: (part) => `${counted(count(part, "days_missing"), "day")} without a statement`,
  payouts: (part) =>
    count(part, "not_tied") > 0
      ? `${counted(count(part, "not_tied"), "payout")} not tied`
      : count(part, "undeclared") > 0
        ? `${counted(count(part, "undeclared"), "payout")} not declared`
        : `${counted(count(part, "carried"), "payout")} carried forward`,
  receipts: (part) =>
    part.left > 0
      ? `${counted(part.left, "receipt")} not matched`
      : `${counted(count(part, "carried"), "receipt")} carried forward`,
  discrepancies: (part) =>
    part.left > 0
      ? counted(part.left, "discrepancy", "discrepancies")
      : `${groupDigits(count(part, "carried"))} carried forward`,
  receivable: (part) => `${counted(part.left, "balance")} not explained`,
  journal: (part) => `${counted(part.left, "currency", "currencies")} not balanced`,
  quarantine: (part) => `${groupDigits(part.left)} quarantined`,
};
