import type { Instant } from "../core/instant.ts";
import type { DayOrInstant } from "../core/period.ts";
import {
  changeDiscrepancies,
  type DiscrepancyChange,
  holdDiscrepancies,
  type RefusedChange,
  type SeenDiscrepancy,
} from "../store/books/discrepancy-changes.ts";
import { findOwner, notAnOwner } from "../store/books/discrepancy-owner.ts";
import { holdPeriods } from "../store/periods/carry-writes.ts";
import { alreadyWaits } from "../store/people/approvals.ts";
import type { AccountReader } from "../store/conditions.ts";
import { type Database, joinTransaction, type Transaction, type TransactionWork } from "../store/database.ts";
import { bookingTimeOf } from "./booking-time.ts";
import { type Edit, readReviewRows, type RefusedRow } from "./read-review-rows.ts";

export interface ReviewRequest {
  readonly reader: Pick<AccountReader, "accountIds">;
  readonly actor: string;
  readonly requestId: string;
  /** Who could have sent it in their name. */
  readonly vouchedBy?: string | null;
  /** From when its decisions count; left out: from now. */
  readonly bookedAt?: DayOrInstant | undefined;
  /** Shows what would be changed, and changes nothing. */
  readonly preview: boolean;
}

/** What became of each row that was sent back. Together they are all rows of the sheet. */
export interface ReviewOutcome {
  readonly rows: number;
  readonly unchanged: number;
  readonly changed: readonly ReviewedRow[];
  readonly refused: readonly RefusedRow[];
}

export interface ReviewedRow {
  readonly row: number;
  readonly id: number;
  readonly actions: readonly string[];
  readonly code: string;
  readonly value: string | null;
  readonly currency: string | null;
  readonly note: string | null;
  /** A write-off above the limit: proposed, and another person has to approve it. */
  readonly isProposed: boolean;
}

/**
 * Takes a workbook of discrepancies back. Each row is judged by itself: one that someone else has changed meanwhile, or
 * that says something that cannot be done, is refused with its reason, and the others are changed, all in one database
 * transaction and each with its line in the audit log.
 */
export async function reviewDiscrepancies(
  database: Database,
  bytes: AsyncIterable<Buffer>,
  request: ReviewRequest,
): Promise<ReviewOutcome> {
  const rows = await readReviewRows(bytes);
  const review: TransactionWork<ReviewOutcome> = async (tx, client) => {
    const refused: RefusedRow[] = rows.flatMap((row) => ("refused" in row ? [row.refused] : []));
    const edits = rows.flatMap((row) => ("edit" in row ? [row.edit] : []));
    const held = await holdDiscrepancies(tx, request.reader, edits);
    const bookings = await bookingTimes(
      tx,
      edits.map(({ id }) => held.get(id)?.accountId),
      request.bookedAt,
    );
    const steps = edits.map((edit) => ({
      edit,
      changes: changesOf(edit, held.get(edit.id)?.owner ?? null, bookings.get(held.get(edit.id)?.accountId)),
    }));
    const wanted = steps.filter(({ changes }) => changes.length > 0);
    // Comments overwrite nothing and ask for no version; a row that was seen as it no longer is, is stale all the same.
    const failures = new Map(
      wanted.flatMap(({ edit: { id, version } }): [number, RefusedChange][] => {
        const one = held.get(id);
        if (one === undefined || one.version === version) return [];
        return [[id, { id, why: "version_mismatch", state: one.state }]];
      }),
    );
    for (const [id, refusal] of await unknownOwners(tx, wanted, held, request))
      if (!failures.has(id)) failures.set(id, refusal);
    // Before the first entry in the audit log: a signature holds this, and then waits for its turn there.
    if (wanted.length > 0) await holdPeriods(tx);
    const proposed = await apply(joinTransaction(tx, client), wanted, failures, request);
    for (const { edit } of wanted) {
      const failure = failures.get(edit.id);
      if (failure)
        refused.push({ row: edit.row, id: edit.id, code: failure.why, reason: reasonOf(failure, edit) });
    }
    const changed = wanted.filter(({ edit }) => !failures.has(edit.id));
    return {
      rows: rows.length,
      unchanged: steps.length - wanted.length,
      changed: changed.map(({ edit: { row, id, note }, changes }) => ({
        row,
        id,
        actions: changes.map(({ action }) => action),
        code: held.get(id)?.code ?? "",
        value: held.get(id)?.value ?? null,
        currency: held.get(id)?.valueCurrency ?? null,
        note,
        isProposed: proposed.has(id),
      })),
      refused: refused.toSorted((a, b) => a.row - b.row),
    };
  };
  return request.preview ? database.rehearse(review) : database.transaction(review);
}

interface Wanted {
  readonly edit: Edit;
  readonly changes: readonly DiscrepancyChange[];
}

/** By account: a day begins in the zone of the account's months. */
async function bookingTimes(
  tx: Transaction,
  accountIds: readonly (number | undefined)[],
  bookedAt: DayOrInstant | undefined,
): Promise<Map<number | undefined, Instant>> {
  const times = new Map<number | undefined, Instant>();
  for (const accountId of new Set(accountIds)) {
    const booking = accountId === undefined ? null : await bookingTimeOf(tx, accountId, bookedAt);
    if (booking !== null) times.set(accountId, booking.at);
  }
  return times;
}

/** The decision first: if it is refused, the rest of the row is not done either. */
function changesOf(
  { decision, owner, note }: Edit,
  ownerNow: string | null,
  bookedAt: Instant | undefined,
): DiscrepancyChange[] {
  const closes = decision === "resolve" || decision === "write_off";
  return [
    ...(closes
      ? [{ action: decision, reason: note ?? "", booked_at: bookedAt }]
      : decision === null
        ? []
        : [{ action: decision }]),
    ...(owner === ownerNow ? [] : [{ action: "assign" as const, owner }]),
    ...(note !== null && !closes ? [{ action: "comment" as const, comment: note }] : []),
  ];
}

/** Before anything is done: a row whose owner is unknown is refused with its decision. */
async function unknownOwners(
  tx: Transaction,
  wanted: readonly Wanted[],
  held: Awaited<ReturnType<typeof holdDiscrepancies>>,
  { actor }: ReviewRequest,
): Promise<[number, RefusedChange][]> {
  const found: [number, RefusedChange][] = [];
  const given = wanted.flatMap(({ edit, changes }) =>
    changes.flatMap((change) => {
      const one = held.get(edit.id);
      return one && change.action === "assign" && change.owner !== null
        ? [{ ...one, given: change.owner }]
        : [];
    }),
  );
  for (const name of new Set(given.map((one) => one.given))) {
    const items = given.filter((one) => one.given === name);
    const { barred } = await findOwner(tx, items, { given: name, actor });
    for (const { id, state } of items)
      if (barred.has(id)) found.push([id, { id, why: "owner_unknown", state }]);
  }
  return found;
}

/**
 * Rows that want the same are changed together. What is changed has a version more when its next change comes. Says what was
 * proposed to another person instead.
 */
async function apply(
  database: Database,
  wanted: readonly Wanted[],
  failures: Map<number, RefusedChange>,
  { reader, actor, requestId, vouchedBy = null }: ReviewRequest,
): Promise<Set<number>> {
  const proposed = new Set<number>();
  const versions = new Map(wanted.map(({ edit }) => [edit.id, edit.version]));
  const longest = Math.max(0, ...wanted.map(({ changes }) => changes.length));
  for (let step = 0; step < longest; step++) {
    const groups = new Map<string, { change: DiscrepancyChange; ids: number[] }>();
    for (const { edit, changes } of wanted) {
      const change = changes[step];
      if (change === undefined || failures.has(edit.id)) continue;
      const key = JSON.stringify(change);
      const group = groups.get(key) ?? { change, ids: [] };
      groups.set(key, group);
      group.ids.push(edit.id);
    }
    for (const { change, ids } of groups.values()) {
      const seen: SeenDiscrepancy[] = ids.map((id) => ({ id, version: versions.get(id) ?? 0 }));
      const author = { actor, requestId, vouchedBy };
      const outcome = await changeDiscrepancies(database, reader, seen, change, author);
      for (const refusal of outcome.refused) failures.set(refusal.id, refusal);
      for (const { id } of outcome.proposed) proposed.add(id);
      if (change.action !== "comment")
        for (const id of outcome.changed) versions.set(id, (versions.get(id) ?? 0) + 1);
    }
  }
  return proposed;
}

function reasonOf({ why, state, approvalId }: RefusedChange, { owner }: Edit): string {
  if (why === "version_mismatch") return `someone else has changed it meanwhile; it is ${state} now`;
  if (why === "already_proposed") return alreadyWaits(approvalId ?? 0);
  if (why === "approval_required")
    return "it is above the limit, and the key has no owner who could propose it";
  if (why === "owner_unknown") return notAnOwner(owner ?? "");
  if (why === "not_found") return "there is no such discrepancy";
  return `it is ${state}: that step is not possible from there`;
}
