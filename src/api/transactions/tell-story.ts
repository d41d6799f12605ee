import { detailColumns } from "../../core/record-fields.ts";
import type { StatusReadRow } from "../../store/transactions/status-reads.ts";
import type {
  FindingRow,
  StoryDiscrepancyEvent,
  StoryMatch,
  StoryWindow,
} from "../../store/transactions/story-reads.ts";
import { isoTime, maskWallet, windowId } from "../present.ts";
import { referenceTo } from "../references.ts";

export function tellStatus(
  row: StatusReadRow,
  before: StatusReadRow | undefined,
  windows: ReadonlyMap<string, StoryWindow>,
  sight: { wallets: boolean },
) {
  return {
    kind: "status" as const,
    at: isoTime(row.status_date),
    clock: "aggregator" as const,
    what: before === undefined ? `first known as ${row.status}` : `${before.status} → ${row.status}`,
    status: row.status,
    changes: before === undefined ? [] : changesBetween(before, row, sight),
    source: {
      type: "status_row" as const,
      record_hash: row.record_hash,
      read_at: isoTime(row.first_seen_at),
      window: tellWindow(windows, row.window_id),
    },
  };
}

export function tellFinding(row: FindingRow, windows: ReadonlyMap<string, StoryWindow>) {
  return {
    kind: "finding" as const,
    at: isoTime(row.found_at),
    clock: "tieout" as const,
    what: findingWords[row.finding] ?? row.finding,
    finding: row.finding,
    source: {
      type: "deep_read" as const,
      read_at: isoTime(row.found_at),
      window: tellWindow(windows, row.window_id),
    },
  };
}

/** A match is one event, and its end, where it has one, another. */
export function tellMatch(row: StoryMatch) {
  const source = {
    type: "statement_line" as const,
    line: referenceTo("line", row.line_id),
    statement: referenceTo("statement", row.statement_id),
    file_name: row.file_name,
    line_no: row.line_no,
  };
  const where = `line ${row.line_no} of ${row.file_name}`;
  const made = {
    kind: "match" as const,
    at: isoTime(row.matched_at),
    clock: "tieout" as const,
    what: `${row.role === "settles" ? "settled by" : "related to"} ${where} (${row.line_type}, by ${row.rule})`,
    by: row.made_by,
    source,
  };
  if (row.ended_at === null) return [made];
  const what = `no longer matched with ${where}: ${row.ended_reason ?? ""}`;
  return [made, { ...made, at: isoTime(row.ended_at), what, by: row.ended_by ?? "rules" }];
}

export function tellDiscrepancy(row: StoryDiscrepancyEvent) {
  const owner = row.event === "assigned" ? ` to ${row.owner ?? "no one"}` : "";
  const reason = row.reason === null ? "" : `: ${row.reason}`;
  return {
    kind: "discrepancy" as const,
    at: isoTime(row.at),
    clock: "tieout" as const,
    what: `${row.code} ${row.event}${owner}${reason}`,
    by: row.actor,
    state: row.state,
    source: { type: "discrepancy" as const, discrepancy: referenceTo("discrepancy", row.discrepancy_id) },
  };
}

const findingWords: Record<string, string> = {
  appeared: "found by a deep re-read; no earlier reading had it",
  changed: "a deep re-read found a status that no earlier reading had",
  vanished: "the aggregator no longer returns it",
  returned: "the aggregator returns it again",
};

/** Without its details when the window's row is gone; the number is still shown. */
function tellWindow(windows: ReadonlyMap<string, StoryWindow>, id: string) {
  const window = windows.get(id);
  return {
    id: windowId(id),
    kind: window?.kind ?? null,
    from: isoTime(window?.range_from ?? null),
    to: isoTime(window?.range_to ?? null),
    sealed_at: isoTime(window?.sealed_at ?? null),
  };
}

/** Which of our keys it was read with says nothing about the transaction. */
const compared = detailColumns.filter((column) => column !== "api_key");

function changesBetween(before: StatusReadRow, after: StatusReadRow, sight: { wallets: boolean }) {
  return compared
    .filter((field) => before[field] !== after[field])
    .map((field) => {
      const show = (value: string | null) =>
        field === "wallet_address" && !sight.wallets ? maskWallet(value) : value;
      return { field, before: show(before[field]), after: show(after[field]) };
    });
}
