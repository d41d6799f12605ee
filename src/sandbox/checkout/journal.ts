import type { SandboxRecord } from "../record.ts";
import { RefusedError } from "../refusal.ts";
import { openJournalFile } from "./journal-file.ts";
import { progressSchema, type Progress } from "./progress.ts";
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
  /** The customer corrected an order that is still undecided. */
  amend(purchase: Purchase): void;
  /** How far the person has come in an order that is still undecided. */
  note(progress: Progress): void;
  /** The first decision stands; a second one is refused. */
  decide(outcome: Outcome): void;
  bySession(sessionId: string): JournalEntry | undefined;
  byTransaction(transactionId: string): JournalEntry | undefined;
  /** The orders of one user of an account, oldest first. */
  ofUser(apiKey: string, user: string): readonly JournalEntry[];
  /** Every order there is, oldest first. */
  all(): Iterable<JournalEntry>;
  /**
   * One record of the account's orders per status that has come true by `now` (milliseconds), oldest status first: the
   * same array until something changes. Do not change it.
   */
  records(options: { now: number; apiKey: string }): readonly SandboxRecord[];
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
  const ofUser = new Map<string, string[]>();
  const views = new Map<string, JournalView>();

  for (const [index, line] of (file?.lines ?? []).entries()) {
    if (!replay(line)) warn(`checkouts.jsonl, line ${index + 1}: not understood, left out`);
  }

  function replay(line: string): boolean {
    const parsed = parseLine(line);
    if (parsed === null) return false;
    if (parsed.purchase) holdPurchase(parsed.purchase);
    const { progress, outcome } = parsed;
    const known = entries.get((progress ?? outcome)?.transactionId ?? "");
    if (!parsed.purchase && !known) return false;
    if (known && progress) hold({ ...known, progress });
    if (known && outcome) hold({ ...known, outcome });
    return true;
  }

  /** One whose id is known already is a correction. */
  function holdPurchase(purchase: Purchase): void {
    const known = entries.get(purchase.transactionId);
    const { transactionId } = purchase;
    const before = known ? [...known.before, known.purchase] : [];
    hold({ purchase, before, progress: known?.progress ?? { transactionId }, outcome: undefined });
    if (known || purchase.user === undefined) return;
    const key = userKey(purchase.apiKey, purchase.user);
    ofUser.set(key, [...(ofUser.get(key) ?? []), transactionId]);
  }

  function hold(entry: JournalEntry): void {
    entries.set(entry.purchase.transactionId, entry);
    transactionOfSession.set(entry.purchase.sessionId, entry.purchase.transactionId);
    views.delete(entry.purchase.apiKey);
  }

  return {
    add(purchase) {
      file?.append(JSON.stringify({ purchase }));
      holdPurchase(purchase);
    },
    amend(purchase) {
      const entry = entries.get(purchase.transactionId);
      if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
      file?.append(JSON.stringify({ purchase }));
      holdPurchase(purchase);
    },
    note(progress) {
      const entry = entries.get(progress.transactionId);
      if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
      file?.append(JSON.stringify({ progress }));
      // No record tells of it, so the views stay.
      entries.set(progress.transactionId, { ...entry, progress });
    },
    decide(outcome) {
      const entry = entries.get(outcome.transactionId);
      if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
      if (entry.outcome) {
        throw new RefusedError("ALREADY_DECIDED", "This checkout has been used; make a new one.");
      }
      file?.append(JSON.stringify({ outcome }));
      hold({ ...entry, outcome });
    },
    bySession: (sessionId) => entries.get(transactionOfSession.get(sessionId) ?? ""),
    byTransaction: (transactionId) => entries.get(transactionId),
    ofUser: (apiKey, user) =>
      (ofUser.get(userKey(apiKey, user)) ?? [])
        .map((id) => entries.get(id))
        .filter((entry) => entry !== undefined),
    all: () => entries.values(),
    records({ now, apiKey }) {
      // Asked with every page of a listing, but different only when a status comes true.
      let view = views.get(apiKey);
      if (!view || now < view.fromMs || now >= view.untilMs) {
        const own = [...entries.values()].filter(({ purchase }) => purchase.apiKey === apiKey);
        views.set(apiKey, (view = viewAt(own, now, extraFields)));
      }
      return view.records;
    },
    close: () => file?.close(),
  };
}

function userKey(apiKey: string, user: string): string {
  return `${apiKey} ${user}`;
}

interface JournalView {
  readonly records: readonly SandboxRecord[];
  /** While the clock stands in here, nothing new comes true. */
  readonly fromMs: number;
  readonly untilMs: number;
}

function viewAt(entries: Iterable<JournalEntry>, nowMs: number, extraFields: boolean): JournalView {
  const records: SandboxRecord[] = [];
  let untilMs = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    records.push(...recordsOf(entry, nowMs, extraFields));
    for (const { atMs } of statusesOf(entry)) if (atMs > nowMs && atMs < untilMs) untilMs = atMs;
  }
  records.sort((a, b) => (a.statusDate < b.statusDate ? -1 : a.statusDate > b.statusDate ? 1 : 0));
  return { records, fromMs: nowMs, untilMs };
}

function parseLine(line: string): { purchase?: Purchase; progress?: Progress; outcome?: Outcome } | null {
  try {
    const value = JSON.parse(line) as { purchase?: unknown; progress?: unknown; outcome?: unknown };
    if (value.purchase !== undefined) return { purchase: purchaseSchema.parse(value.purchase) };
    if (value.progress !== undefined) return { progress: progressSchema.parse(value.progress) };
    if (value.outcome !== undefined) return { outcome: outcomeSchema.parse(value.outcome) };
    return null;
  } catch {
    return null;
  }
}
