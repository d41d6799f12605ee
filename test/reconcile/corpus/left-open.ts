import { isFinalStatus } from "../../../src/core/status.ts";
import type { PlantedCase } from "./judge-corpus.ts";

/**
 * What the history itself leaves behind: transactions whose last status is open. Nobody plants them in a statement, and all
 * of the corpus is long over, so each must be reported as stale.
 */
export function leftOpen(records: string): PlantedCase[] {
  const last = new Map<string, { status: string; statusDate: string }>();
  for (const line of records.split("\n").filter((each) => each !== "")) {
    const { text } = JSON.parse(line) as { text: string };
    const record = JSON.parse(text) as { transactionId: string; status: string; statusDate: string };
    const held = last.get(record.transactionId);
    if (held === undefined || held.statusDate <= record.statusDate) last.set(record.transactionId, record);
  }
  return [...last]
    .filter(([, { status }]) => !isFinalStatus(status))
    .map(([transactionId]) => ({
      case: "left_open_in_records",
      codes: ["stale_open"],
      file: "",
      lines: [],
      transactionId,
    }));
}
