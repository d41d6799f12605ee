import { formatInstant } from "../../core/instant.ts";
import type { Ledger, LedgerView } from "../ledger/ledger.ts";

/** A calendar month, UTC. */
export interface Period {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** `2024-05`; `null` for anything else. */
export function parsePeriod(name: string): Period | null {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(name)) return null;
  const [year = 0, month = 0] = name.split("-").map(Number);
  return { name, fromMs: Date.UTC(year, month - 1, 1), toMs: Date.UTC(year, month, 1) };
}

/** The months that the ledger has something of, oldest first. */
export function periodsOf({ ledger, view }: { ledger: Ledger; view: LedgerView }): Period[] {
  const periods: Period[] = [];
  let period = parsePeriod(formatInstant(ledger.history.fromMs).slice(0, 7));
  while (period !== null && period.fromMs <= view.nowMs) {
    periods.push(period);
    period = parsePeriod(formatInstant(period.toMs).slice(0, 7));
  }
  return periods;
}
