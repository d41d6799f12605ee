import type { PresentedPeriodDetail } from "../../api/periods/present.ts";

type Line = PresentedPeriodDetail["checklist"]["lines"][number];
type Part = Line["parts"][number];

/** How one provider stands in a month, or the account as a whole. */
export interface Cell {
  state: Part["state"];
  /** The first thing that stands in the way. */
  reason: string | null;
  /** How much money that is about. */
  amounts: Part["amounts"];
}

/** The worst of its lines speaks for a provider; `null` where no line says anything about it. */
export function cellOf(lines: readonly Line[], provider: string | null): Cell | null {
  const found = lines.flatMap(({ line, parts }) =>
    parts.filter((part) => part.provider === provider).map((part) => ({ line, part })),
  );
  if (found.length === 0) return null;
  for (const state of ["red", "amber"] as const) {
    const first = found.find(({ part }) => part.state === state);
    if (first === undefined) continue;
    const { line, part } = first;
    return { state, reason: reasons[line]?.(part) ?? `${part.left} left`, amounts: part.amounts };
  }
  return { state: "green", reason: null, amounts: [] };
}

const count = (part: Part, name: string) => Number(part.figures[name] ?? 0);

const reasons: Record<string, (part: Part) => string> = {
  read: (part) => `${count(part, "hours_missing")} h not read`,
  read_again: (part) => (count(part, "windows_waiting") > 0 ? "being read again" : "not read again"),
  statements: (part) => `${count(part, "days_missing")} days without a statement`,
  payouts: (part) =>
    count(part, "not_tied") > 0
      ? `${count(part, "not_tied")} payouts not tied`
      : `${count(part, "undeclared")} payouts not declared`,
  receipts: (part) => `${part.left} receipts not matched`,
  discrepancies: (part) =>
    part.left > 0 ? `${part.left} discrepancies` : `${count(part, "carried")} carried forward`,
  receivable: (part) => `${part.left} balances not explained`,
  journal: (part) => `${part.left} currencies not balanced`,
  quarantine: (part) => `${part.left} quarantined`,
};
