import { counted, groupDigits } from "../core/counted.ts";
import { compareInstants, type Instant } from "../core/instant.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import {
  type ChecklistPart,
  type ChecklistScope,
  discrepanciesLine,
  payoutsLine,
  quarantineLine,
  readAgainLine,
  readLine,
  readParts,
  receiptsLine,
  statementsLine,
} from "../store/periods/checklist-sql.ts";
import { journalParts, type MoneyScope, receivableParts } from "./checklist-money.ts";
import { isOver, type Period } from "./period.ts";

export type LineState = ChecklistPart["state"];

/** One line of the checklist: computed, never ticked by hand. */
export interface ChecklistLine {
  line: string;
  title: string;
  state: LineState;
  /** What was found, in one sentence. */
  says: string;
  total: number;
  left: number;
  parts: ChecklistPart[];
  /** Where the page shows what is left. */
  link: string;
}

export interface Checklist {
  as_at: string;
  known_at: Instant;
  lines: ChecklistLine[];
}

interface LineDefinition {
  line: string;
  title: string;
  read: (snapshot: Snapshot, scope: MoneyScope) => Promise<ChecklistPart[]>;
  says: (figures: Figures, parts: readonly ChecklistPart[]) => string;
  link: (of: LinkScope) => string;
  /** Read beside the others, because it takes as long as all of them. */
  isLong?: true;
}

/** The month, and by which moments its checklist is read. */
type LinkScope = Period & { asAt: Instant; knownAt: Instant };

type Figures = (name: string) => number;

const by = (statement: string) => (snapshot: Snapshot, scope: ChecklistScope) =>
  readParts(snapshot, statement, scope);
const filtered =
  (path: string, more: Record<string, string> = {}) =>
  ({ account }: LinkScope) =>
    `${path}?${new URLSearchParams({ account, ...more }).toString()}`;

/** The report of the month, as the checklist has read it. */
const reported =
  (report: string) =>
  ({ account, from, to, zone, priorKnownAt }: LinkScope) => {
    const prior = priorKnownAt === null ? {} : { prior_known_at: priorKnownAt };
    return `/reports/${report}?${new URLSearchParams({ account, from, to, tz: zone.name, ...prior }).toString()}`;
  };

/** The same items that the line counts: by what was known when it was read. */
const listed = (report: string, asked: (of: LinkScope) => Record<string, string>) => (of: LinkScope) =>
  `/reports/${report}?${new URLSearchParams({ account: of.account, ...asked(of), known_at: of.knownAt, tz: of.zone.name }).toString()}`;

function missingTime(sum: Figures): string {
  const minutes = sum("minutes_missing");
  if (minutes < 60) return counted(minutes, "minute");
  const hours = sum("hours_missing");
  return hours < 72 ? counted(hours, "hour") : counted(Math.round(hours / 24), "day");
}

const lines: readonly LineDefinition[] = [
  {
    line: "read",
    title: "Everything read from the aggregator",
    read: by(readLine),
    says: (sum) =>
      sum("gaps") === 0 ? "No gaps." : `${counted(sum("gaps"), "gap")}, ${missingTime(sum)} not read.`,
    link: filtered("/sync"),
  },
  {
    line: "read_again",
    title: "Read again after the end of the month and compared",
    read: by(readAgainLine),
    says: (sum) => {
      const found = `${counted(sum("appeared"), "record")} appeared, ${groupDigits(sum("changed"))} changed, ${groupDigits(sum("vanished"))} vanished.`;
      if (sum("minutes_missing") === 0) return `Read again: ${found}`;
      const waiting = sum("windows_waiting");
      return waiting > 0
        ? `Requested; ${counted(waiting, "part is", "parts are")} still to be read.`
        : `Not read again yet: ${missingTime(sum)}.`;
    },
    link: filtered("/sync"),
  },
  {
    line: "statements",
    title: "A statement of every provider for every day",
    read: by(statementsLine),
    says: (sum, parts) => {
      const missing = parts.filter((part) => Number(part.figures["days_missing"]) > 0);
      if (missing.length === 0) return "Statements cover every day.";
      const left = missing.reduce((count, part) => count + part.left, 0);
      return `Statements missing: ${counted(sum("days_missing"), "day")} at ${counted(missing.length, "provider")}, with ${counted(left, "completed order")}.`;
    },
    link: filtered("/statements"),
  },
  {
    line: "payouts",
    title: "Every payout tied",
    read: by(payoutsLine),
    says: (sum) => {
      const carried =
        sum("carried") === 0 ? "" : ` ${groupDigits(sum("carried"))} not tied, carried forward.`;
      return `${groupDigits(sum("tied"))} tied, ${groupDigits(sum("not_tied"))} not tied, ${groupDigits(sum("undeclared"))} not declared yet.${carried}`;
    },
    link: listed("payout-reconciliation.v1", ({ from, to }) => ({ from, to, status: "not_tied" })),
  },
  {
    line: "receipts",
    title: "Every receipt matched or explained",
    read: by(receiptsLine),
    says: (sum, parts) => {
      const total = parts.reduce((count, part) => count + part.total, 0);
      if (total === 0) return "No bank lines.";
      const carried = sum("carried") === 0 ? "" : ` ${groupDigits(sum("carried"))} carried forward.`;
      const unmatched = sum("unmatched");
      return unmatched === 0
        ? `${counted(total, "bank line")}, all matched or explained.${carried}`
        : `${groupDigits(unmatched)} of ${counted(total, "bank line")} ${unmatched === 1 ? "is" : "are"} unmatched and unexplained.${carried}`;
    },
    link: filtered("/discrepancies", { code: "receipt_without_payout" }),
  },
  {
    line: "discrepancies",
    title: "Every discrepancy of level error closed or carried forward",
    read: by(discrepanciesLine),
    says: (sum) => {
      if (sum("open") === 0) return "None is open.";
      const before = sum("carried_before");
      const earlier = before === 0 ? "" : ` ${groupDigits(before)} came from earlier months.`;
      return `${groupDigits(sum("open"))} not closed, ${groupDigits(sum("carried"))} of them carried forward.${earlier}`;
    },
    link: listed("open-errors.v1", ({ asAt }) => ({ as_at: asAt })),
  },
  {
    line: "receivable",
    title: "Receivable without an unexplained part",
    isLong: true,
    read: receivableParts,
    says: (sum) => {
      const [untied, unrated] = [sum("functional_not_tied"), sum("without_rate")];
      const earlier = sum("of_earlier_months");
      return [
        sum("unexplained") === 0
          ? "Every balance is explained."
          : `${counted(sum("unexplained"), "balance is", "balances are")} not explained.`,
        untied > 0 &&
          `${counted(untied, "balance does", "balances do")} not follow from the journal in the functional currency.`,
        unrated > 0 &&
          `${counted(unrated, "balance lacks", "balances lack")} a rate to the functional currency.`,
        earlier > 0 &&
          `${groupDigits(earlier)} changed for earlier months after those were closed: see the column prior_period of the receivable.`,
      ]
        .filter((sentence) => sentence !== false)
        .join(" ");
    },
    link: reported("receivable.v1"),
  },
  {
    line: "journal",
    title: "Journal balanced, and tied to the receivable",
    isLong: true,
    read: journalParts,
    says: (sum) =>
      sum("not_balanced") + sum("not_tied") === 0
        ? `${counted(sum("entries"), "entry", "entries")}, balanced and tied.`
        : `${counted(sum("not_balanced"), "currency does", "currencies do")} not balance, ${counted(sum("not_tied"), "is", "are")} not tied to the receivable.`,
    link: reported("journal.v1"),
  },
  {
    line: "quarantine",
    title: "No quarantined record",
    read: by(quarantineLine),
    says: (sum) =>
      sum("records") === 0
        ? "None."
        : `${counted(sum("records"), "record")} of the month could not be understood.`,
    link: () => "/sync/quarantine",
  },
];

export const checklistLines: readonly string[] = lines.map(({ line }) => line);

/** Lines that are read one after the other; the lanes are read side by side. */
const lanes: readonly (readonly LineDefinition[])[] = [
  lines.filter(({ isLong }) => isLong !== true),
  ...lines.filter(({ isLong }) => isLong === true).map((line) => [line]),
];

export interface ChecklistDeps {
  /** Runs a lane in a snapshot of its own: what was known at a time is the same in all of them. */
  inSnapshot: <T>(read: (snapshot: Snapshot) => Promise<T>) => Promise<T>;
  knownAt: Instant;
  now: Instant;
}

/** How the month stood at its end, or stands now while it lasts, by what was known at a time. */
export async function readChecklist(deps: ChecklistDeps, period: Period): Promise<Checklist> {
  const { knownAt, now } = deps;
  const to = compareInstants(period.to, now) < 0 ? period.to : now;
  const scope = { ...period, to, knownAt };
  const readLane = (lane: readonly LineDefinition[]) =>
    deps.inSnapshot(async (snapshot) => {
      await snapshot.query("select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)");
      const made: ChecklistLine[] = [];
      for (const definition of lane) {
        const parts = await definition.read(snapshot, scope);
        made.push(
          lineOf(
            definition,
            { ...period, asAt: to, knownAt },
            isOver(period, now) ? parts : parts.map(notYet),
          ),
        );
      }
      return made;
    });
  const made = (await Promise.all(lanes.map(readLane))).flat();
  const inOrder = lines.flatMap(({ line }) => made.filter((one) => one.line === line));
  return { as_at: to, known_at: knownAt, lines: inOrder };
}

/** While a month lasts, nothing in it is late. */
function notYet(part: ChecklistPart): ChecklistPart {
  return part.state === "red" ? { ...part, state: "amber" } : part;
}

function lineOf(
  { line, title, says, link }: LineDefinition,
  scope: LinkScope,
  parts: ChecklistPart[],
): ChecklistLine {
  const total = (pick: (part: ChecklistPart) => number) => parts.reduce((sum, part) => sum + pick(part), 0);
  // Counts and hours, not money: these may be added up as numbers.
  const figures: Figures = (name) => Math.round(total((part) => Number(part.figures[name] ?? 0)) * 10) / 10;
  return {
    line,
    title,
    state: worst(parts.map(({ state }) => state)),
    says: says(figures, parts),
    total: total((part) => part.total),
    left: total((part) => part.left),
    parts,
    link: link(scope),
  };
}

export function worst(states: readonly LineState[]): LineState {
  if (states.includes("red")) return "red";
  return states.includes("amber") ? "amber" : "green";
}
