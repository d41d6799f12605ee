import { MINUTE } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import type { Instant } from "../core/instant.ts";
import { instantOf, readClock } from "../store/clock-time.ts";
import type { Database } from "../store/database.ts";
import { withSnapshot } from "../store/exports/copy-report.ts";
import { safeUntil } from "../store/transactions/transaction-reads.ts";
import { addPeriodEvent, type PeriodEventToAdd, type Signer } from "../store/periods/period-writes.ts";
import { type Checklist, type ChecklistLine, checklistLines, readChecklist } from "./checklist.ts";
import { type AcceptedLine, currentContents } from "./pack-contents.ts";
import { isOver, type Period } from "./period.ts";
import { askToReadAgain } from "./read-again.ts";
import { type OnFile, withPackParts } from "./write-pack.ts";

/** The month is not in order, and the reasons why it should be signed all the same are missing. */
export class NotInOrder extends TieoutError {
  readonly lines: readonly ChecklistLine[];

  constructor(period: Period, lines: readonly ChecklistLine[]) {
    const told = lines.map(({ line, says }) => `${line}: ${says}`).join(" ");
    super(
      "period_refused",
      `${period.month} is not in order. ${told} Put it in order, or accept each with a reason.`,
    );
    this.lines = lines;
  }
}

const statementTimeoutMs = 5 * MINUTE;

/** The checklist as things are known now; nothing is written. */
export async function checkPeriod(database: Database, period: Period): Promise<Checklist> {
  // Asked before any snapshot is taken, so that each of them has all that was known by then.
  const knownAt = instantOf(await safeUntil(database));
  return readChecklist(
    {
      inSnapshot: (read) => withSnapshot(database, { statementTimeoutMs, knownBefore: knownAt }, read),
      knownAt,
      now: instantOf(await readClock(database)),
    },
    period,
  );
}

/**
 * Signs the month as it is known now: its checklist, the reasons for what is red, and the hash of its pack. The first time,
 * the month is asked to be read again from the aggregator, which has to be over before it is in order.
 */
export async function preparePeriod(
  database: Database,
  period: Period,
  accepted: readonly AcceptedLine[],
  signer: Signer,
  {
    writing = database,
    onFile,
  }: {
    /** Where the signature is written, if that is to happen together with something else. */
    writing?: Database;
    onFile?: OnFile;
  } = {},
): Promise<{ checklist: Checklist; packSha256: string; knownAt: Instant }> {
  refuseUnknownLines(accepted);
  if (!isOver(period, await readNow(database)))
    throw new TieoutError("period_refused", `${period.month} is not over yet`);
  const checklist = await checkPeriod(database, period);
  const knownAt = checklist.known_at;
  // A write that began before the end of the month may still run; then not all of the month is known.
  if (!isOver(period, knownAt))
    throw new TieoutError("period_refused", `${period.month} has only just ended: try again in a minute`);
  if (period.state === "closed")
    throw new TieoutError("period_refused", `${period.month} is closed: reopen it first`);
  await askToReadAgain(database, period, checklist);
  const red = checklist.lines.filter(({ line, state }) => state === "red" && !isAccepted(line, accepted));
  if (red.length > 0) throw new NotInOrder(period, red);
  // Reasons for lines that are in order would say something that is not so.
  const kept = accepted.filter(({ line }) =>
    checklist.lines.some((one) => one.line === line && one.state === "red"),
  );
  const contents = currentContents(period);
  const order = { period, knownAt, contents, checklist, accepted: kept };
  const packSha256 = await withPackParts(
    database,
    order,
    async ({ manifestSha256 }) => manifestSha256,
    onFile,
  );
  await addPeriodEvent(
    writing,
    {
      ...eventOf(period),
      event: "prepared",
      knownAt,
      packSha256,
      checklist: { ...checklist, contents },
      accepted: kept,
    },
    signer,
  );
  return { checklist, packSha256, knownAt };
}

export function eventOf({
  accountId,
  account,
  month,
  zone,
  from,
  to,
}: Period): Omit<PeriodEventToAdd, "event"> {
  return { accountId, account, month, zone: zone.name, from, to };
}

function isAccepted(line: string, accepted: readonly AcceptedLine[]): boolean {
  return accepted.some((one) => one.line === line && one.reason.trim() !== "");
}

function refuseUnknownLines(accepted: readonly AcceptedLine[]): void {
  for (const { line } of accepted) {
    if (checklistLines.includes(line)) continue;
    throw new TieoutError(
      "period_refused",
      `the checklist has no line ${JSON.stringify(line)}; it has ${checklistLines.join(", ")}`,
    );
  }
}

async function readNow(database: Database): Promise<Instant> {
  return instantOf(await readClock(database));
}
