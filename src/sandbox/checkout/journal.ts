import type { SandboxRecord } from "../record.ts";
import { RefusedError } from "../refusal.ts";
import { openJournalFile } from "./journal-file.ts";
import {
  outcomeSchema,
  purchaseSchema,
  recordsOf,
  statusesOf,
  type JournalEntry,
  type Outcome,
  type Purchase,
} from "./purchase.ts";

/** What people did: kept in memory for reading, and in an append-only file so that it outlives the process. */
export interface Journal {
  add(purchase: Purchase): void;
  /** The first decision stands; a second one is refused. */
  decide(outcome: Outcome): void;
  bySession(sessionId: string): JournalEntry | undefined;
  byTransaction(transactionId: string): JournalEntry | undefined;
  /** One record per status that has come true by `now` (milliseconds), oldest status first. Do not change the array. */
  records(options: { now: number }): readonly SandboxRecord[];
  close(): void;
}

export interface JournalOptions {
  /** Left out: nothing outlives the process. */
  readonly dataDir?: string | undefined;
  /** Sends `partnerContext`, which the specification does not show in a record. */
  readonly extraFields?: boolean | undefined;
  readonly warn: (message: string) => void;
}

export function openJournal(options: JournalOptions): Journal {
  const { extraFields = false, warn } = options;
  const file = options.dataDir === undefined ? null : openJournalFile(options.dataDir, warn);
  const entries = new Map<string, JournalEntry>();
  const transactionOfSession = new Map<string, string>();
  let view = { records: [] as readonly SandboxRecord[], fromMs: 0, untilMs: 0 };

  for (const [index, line] of (file?.lines ?? []).entries()) {
    if (!replay(line)) warn(`checkouts.jsonl, line ${index + 1}: not understood, left out`);
  }

  function replay(line: string): boolean {
    const parsed = parseLine(line);
    if (parsed === null) return false;
    if (parsed.purchase) hold({ purchase: parsed.purchase, outcome: undefined });
    const decided = parsed.outcome && entries.get(parsed.outcome.transactionId);
    if (parsed.outcome && !decided) return false;
    if (decided && parsed.outcome) hold({ purchase: decided.purchase, outcome: parsed.outcome });
    return true;
  }

  function hold(entry: JournalEntry): void {
    entries.set(entry.purchase.transactionId, entry);
    transactionOfSession.set(entry.purchase.sessionId, entry.purchase.transactionId);
    view = { records: [], fromMs: 0, untilMs: 0 };
  }

  return {
    add(purchase) {
      file?.append(JSON.stringify({ purchase }));
      hold({ purchase, outcome: undefined });
    },
    decide(outcome) {
      const entry = entries.get(outcome.transactionId);
      if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
      if (entry.outcome) {
        throw new RefusedError("ALREADY_DECIDED", "This checkout has been used; make a new one.");
      }
      file?.append(JSON.stringify({ outcome }));
      hold({ purchase: entry.purchase, outcome });
    },
    bySession: (sessionId) => entries.get(transactionOfSession.get(sessionId) ?? ""),
    byTransaction: (transactionId) => entries.get(transactionId),
    records({ now }) {
      // Asked with every page of a listing, but different only when a status comes true.
      if (now < view.fromMs || now >= view.untilMs) view = viewAt(entries.values(), now, extraFields);
      return view.records;
    },
    close: () => file?.close(),
  };
}

function viewAt(entries: Iterable<JournalEntry>, nowMs: number, extraFields: boolean) {
  const records: SandboxRecord[] = [];
  let untilMs = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    records.push(...recordsOf(entry, nowMs, extraFields));
    for (const { atMs } of statusesOf(entry)) if (atMs > nowMs && atMs < untilMs) untilMs = atMs;
  }
  records.sort((a, b) => (a.statusDate < b.statusDate ? -1 : a.statusDate > b.statusDate ? 1 : 0));
  return { records, fromMs: nowMs, untilMs };
}

function parseLine(line: string): { purchase?: Purchase; outcome?: Outcome } | null {
  try {
    const value = JSON.parse(line) as { purchase?: unknown; outcome?: unknown };
    if (value.purchase !== undefined) return { purchase: purchaseSchema.parse(value.purchase) };
    if (value.outcome !== undefined) return { outcome: outcomeSchema.parse(value.outcome) };
    return null;
  } catch {
    return null;
  }
}
