import { tellQuery } from "./aggregator.ts";
import type { Row } from "./history.ts";
import { type Finding, type Judged, tellRow, tellTime, tellWindow } from "./judge.ts";
import { keyMs } from "./listing.ts";
import type { Outcome } from "./run-world.ts";
import type { StoredWindow } from "./state.ts";
import type { World } from "./world.ts";

const findingsMax = 5;

/** All that a person needs to understand what went wrong, and to see it again. */
export function tellFailure(outcome: Outcome, mistake?: string): string {
  const { world, findings } = outcome;
  const again = `npm run simulate -- --seed ${world.seed}${mistake === undefined ? "" : ` --mistake "${mistake}"`}`;
  const distinct = [...new Map(findings.map((finding) => [finding.kind + finding.tells, finding])).values()];
  const shown = distinct.slice(0, findingsMax).flatMap((finding) => tellFinding(outcome, finding));
  const more = distinct.length > findingsMax ? [`and ${distinct.length - findingsMax} more`] : [];
  return [
    `seed ${world.seed}: ${distinct.length} promises were not kept`,
    ...tellWorld(world),
    ...shown,
    ...more,
    `see it again:       ${again}`,
    `with every event:   ${again} --trace`,
    "",
  ].join("\n");
}

export function tellWorld(world: World): string[] {
  const { settings, machines } = world;
  return [
    `  the world: ${world.workers} workers from ${tellTime(world.startMs)} to ${tellTime(world.endMs)}; ${tellFields({ ...settings, ...machines })}`,
    ...world.accounts.map(
      ({ name, syncStartMs, aheadMs, rows, dialect, faults }) =>
        `  ${name}: ${rows.length} rows, read from ${tellTime(syncStartMs)}; ${tellFields({ aheadMs, ...dialect, ...faults })}`,
    ),
  ];
}

/** What is not nothing. */
function tellFields(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== 0 && value !== null)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}

function tellFinding({ judged }: Outcome, { kind, tells, account, row, window }: Finding): string[] {
  const state = judged.findLast((one) => one.account === account);
  const lines = [`* ${kind}: ${tells}${account ? ` (${account.name})` : ""}`];
  if (!state) return lines;
  if (row) lines.push(...tellRowHistory(state, row));
  const windows = row ? windowsOf(state, row) : window ? [window] : [];
  lines.push(...windows.map((one) => `    ${tellProgress(one)}`));
  lines.push(...tellReadings(state, windows, row));
  return lines;
}

function tellRowHistory({ account, state }: Judged, row: Row): string[] {
  const until = row.visibleToMs === Infinity ? "" : ` to ${tellTime(row.visibleToMs)}`;
  const kept = [...state.statuses, ...state.quarantined].find(({ identity }) => identity === row.identity);
  const siblings = account.rows.filter(({ transactionId }) => transactionId === row.transactionId);
  return [
    `    ${tellRow(row)} could be read from ${tellTime(row.visibleFromMs)}${until}; ${kept ? `first seen ${tellTime(kept.firstSeenMs)}` : "is not in our tables"}`,
    `    ${row.identity}`,
    ...siblings.map(
      ({ number, raw, dateMs }) =>
        `    row ${number}: ${String((raw as { status?: unknown }).status)} at ${tellTime(dateMs)}`,
    ),
  ];
}

function windowsOf({ account, state }: Judged, row: Row): StoredWindow[] {
  const ms = keyMs(account.dialect, row);
  return state.windows.filter(({ fromMs, toMs, kind }) => kind !== "refresh" && fromMs <= ms && ms < toMs);
}

function tellProgress(window: StoredWindow): string {
  const {
    state,
    plannedMs,
    startedMs,
    sealedMs,
    worker,
    fence,
    pages,
    read,
    added,
    restarts,
    endedBy,
    errorCode,
  } = window;
  const times = [plannedMs, startedMs, sealedMs].map((ms) => (ms === null ? "never" : tellTime(ms)));
  return `${tellWindow(window)}: ${state}, planned ${times[0]}, started ${times[1]}, sealed ${times[2]}, by ${worker}; ${tellFields({ fence, pages, read, added, restarts, endedBy, errorCode, cursor: window.cursor })}`;
}

const readingsMax = 30;

/** What was asked for in the range of these windows, and answered; and where the row was in it. */
function tellReadings(
  { exchanges }: Judged,
  windows: readonly StoredWindow[],
  row: Row | undefined,
): string[] {
  const asked = exchanges.filter(({ query, rows }) =>
    row && rows.includes(row)
      ? true
      : windows.some(
          ({ fromMs, toMs }) =>
            Math.abs(Date.parse(query.from ?? "") - fromMs) <= 2 &&
            Math.abs(Date.parse(query.to ?? "") - toMs) <= 4,
        ),
  );
  const lines = asked.slice(0, readingsMax).map(({ atMs, process, query, rows, nextCursor, error }) => {
    const has = row && rows.includes(row) ? ` with row ${row.number}` : "";
    const answer = error ?? `${rows.length} rows${has}, next ${nextCursor ?? "none"}`;
    return `    ${tellTime(atMs)} ${process} asked for ${tellQuery(query)}: ${answer}`;
  });
  return asked.length > readingsMax
    ? [...lines, `    and ${asked.length - readingsMax} more requests`]
    : lines;
}
