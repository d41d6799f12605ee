import {
  type DecisionWord,
  decisionWords,
  discrepancySheet,
  editedColumns,
  rowColumns,
  sheetRowsMax,
} from "../core/discrepancy-sheet.ts";
import { TieoutError } from "../core/errors.ts";
import type { Instant } from "../core/instant.ts";
import type { DayOrInstant } from "../core/period.ts";
import {
  changeDiscrepancies,
  type DiscrepancyChange,
  holdDiscrepancies,
  type RefusedChange,
  type SeenDiscrepancy,
} from "../store/books/discrepancy-changes.ts";
import { holdPeriods } from "../store/periods/carry-writes.ts";
import { alreadyWaits } from "../store/people/approvals.ts";
import type { AccountReader } from "../store/conditions.ts";
import { type Database, joinTransaction, type Transaction, type TransactionWork } from "../store/database.ts";
import { bookingTimeOf } from "./booking-time.ts";
import { openWorkbook } from "./workbook/open-workbook.ts";
import { readSheet } from "./workbook/read-sheet.ts";
import { WorkbookError } from "./workbook/workbook-error.ts";

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
  readonly changed: readonly { row: number; id: number; actions: readonly string[] }[];
  readonly refused: readonly { row: number; id: number | null; code: ReviewRefusal; reason: string }[];
}

export type ReviewRefusal = RefusedChange["why"] | "invalid_row" | "given_twice";

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
  const rows = await readRows(bytes);
  const review: TransactionWork<ReviewOutcome> = async (tx, client) => {
    const refused: ReviewOutcome["refused"][number][] = rows.flatMap((row) =>
      "refused" in row ? [row.refused] : [],
    );
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
    // Before the first entry in the audit log: a signature holds this, and then waits for its turn there.
    if (wanted.length > 0) await holdPeriods(tx);
    await apply(joinTransaction(tx, client), wanted, failures, request);
    for (const { edit } of wanted) {
      const failure = failures.get(edit.id);
      if (failure) refused.push({ row: edit.row, id: edit.id, code: failure.why, reason: reasonOf(failure) });
    }
    const changed = wanted.filter(({ edit }) => !failures.has(edit.id));
    return {
      rows: rows.length,
      unchanged: steps.length - wanted.length,
      changed: changed.map(({ edit, changes }) => ({
        row: edit.row,
        id: edit.id,
        actions: changes.map(({ action }) => action),
      })),
      refused: refused.toSorted((a, b) => a.row - b.row),
    };
  };
  return request.preview ? database.rehearse(review) : database.transaction(review);
}

interface Edit {
  readonly row: number;
  readonly id: number;
  readonly version: number;
  readonly decision: DecisionWord | null;
  readonly owner: string | null;
  readonly note: string | null;
}

type ReadRow = { edit: Edit } | { refused: ReviewOutcome["refused"][number] };

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

/** Rows that want the same are changed together. What is changed has a version more when its next change comes. */
async function apply(
  database: Database,
  wanted: readonly Wanted[],
  failures: Map<number, RefusedChange>,
  { reader, actor, requestId, vouchedBy = null }: ReviewRequest,
): Promise<void> {
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
      if (change.action !== "comment")
        for (const id of outcome.changed) versions.set(id, (versions.get(id) ?? 0) + 1);
    }
  }
}

function reasonOf({ why, state, approvalId }: RefusedChange): string {
  if (why === "version_mismatch") return `someone else has changed it meanwhile; it is ${state} now`;
  if (why === "already_proposed") return alreadyWaits(approvalId ?? 0);
  if (why === "approval_required")
    return "it is above the limit, and the key has no owner who could propose it";
  if (why === "not_found") return "there is no such discrepancy";
  return `it is ${state}: that step is not possible from there`;
}

async function readRows(bytes: AsyncIterable<Buffer>): Promise<ReadRow[]> {
  try {
    const book = await openWorkbook(bytes);
    const sheet = book.sheets.find(({ name }) => name === discrepancySheet);
    if (sheet === undefined)
      throw new WorkbookError(`it has no sheet ${discrepancySheet}: send back the one that was downloaded`);
    const notes = { formulas: 0, hiddenRows: 0 };
    const found: ReadRow[] = [];
    const given = new Set<number>();
    let columns: Columns | null = null;
    for await (const rows of readSheet(book, sheet, forms, notes)) {
      for (const { rowNo, cells } of rows) {
        if (columns === null) columns = findColumns(cells);
        else found.push(readRow(rowNo, cells, columns, given));
        if (found.length > sheetRowsMax)
          throw new WorkbookError(`it has more than ${sheetRowsMax} rows: send it back in parts`);
      }
    }
    if (columns === null) throw new WorkbookError("it is empty: send back the one that was downloaded");
    return found;
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw new TieoutError("review_refused", `the workbook was not read: ${error.message}`);
  }
}

const forms = {
  columnsMax: 100,
  number: (decimal: string) => decimal,
  percent: (decimal: string) => decimal,
  time: (wallMs: number) => new Date(wallMs).toISOString(),
};

type Columns = Readonly<Record<keyof typeof rowColumns | keyof typeof editedColumns, number>>;

/** By their names: columns may have been moved, added or taken out, but for these. */
function findColumns(header: readonly string[]): Columns {
  const place = (name: string) => {
    const found = header.indexOf(name);
    if (found === -1)
      throw new WorkbookError(
        `the column ${name} is missing in its first row: send back the one that was downloaded`,
      );
    return found;
  };
  return {
    id: place(rowColumns.id),
    version: place(rowColumns.version),
    decision: place(editedColumns.decision),
    owner: place(editedColumns.owner),
    note: place(editedColumns.note),
  };
}

function readRow(row: number, cells: readonly string[], columns: Columns, given: Set<number>): ReadRow {
  const long = Object.values(columns).find((at) => (cells[at]?.length ?? 0) > cellCharsMax);
  const cell = (name: keyof Columns) => (cells[columns[name]] ?? "").trim() || null;
  // Before anything is built from it: thousands of cells may share one long text.
  if (long !== undefined)
    return {
      refused: {
        row,
        id: null,
        code: "invalid_row",
        reason: `column ${long + 1} has more than ${cellCharsMax} characters`,
      },
    };
  const id = /^dis_([1-9]\d{0,14})$/.exec(cell("id") ?? "")?.[1];
  const refuse = (reason: string, code: ReviewRefusal = "invalid_row"): ReadRow => ({
    refused: { row, id: id === undefined ? null : Number(id), code, reason },
  });
  if (id === undefined) return refuse(`${rowColumns.id} is not an id such as dis_12`);
  const version = cell("version") ?? "";
  if (!/^[1-9]\d{0,8}$/.test(version))
    return refuse(`${rowColumns.version} is not the number that was downloaded`);
  if (given.has(Number(id))) return refuse("the same discrepancy is in a row further up", "given_twice");
  given.add(Number(id));
  const word = cell("decision")?.toLowerCase() ?? null;
  const decision = decisionWords.find((one) => one === word) ?? null;
  if (word !== null && decision === null)
    return refuse(
      `${JSON.stringify(word.slice(0, 40))} is not a decision: choose one of ${decisionWords.join(", ")}`,
    );
  const [owner, note] = [cell("owner"), cell("note")];
  if ((decision === "resolve" || decision === "write_off") && note === null)
    return refuse(`${decision} needs a reason: write it into ${editedColumns.note}`);
  if ((owner?.length ?? 0) > ownerCharsMax)
    return refuse(`${editedColumns.owner} has more than ${ownerCharsMax} characters`);
  if ((note?.length ?? 0) > noteCharsMax)
    return refuse(`${editedColumns.note} has more than ${noteCharsMax} characters`);
  return { edit: { row, id: Number(id), version: Number(version), decision, owner, note } };
}

const ownerCharsMax = 100;
const noteCharsMax = 2_000;
/** Spaces around a text are ignored, but a cell this long is not a typing mistake. */
const cellCharsMax = 10_000;
