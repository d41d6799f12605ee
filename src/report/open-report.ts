import { compareInstants, type Instant, parseInstant } from "../core/instant.ts";
import { dayOf, lastDayBefore, type Period } from "../core/period.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import { reportableAccounts, type ReportableAccount } from "../store/accounts/account-reads.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import { type CoverageGap, InvalidParameters, PeriodNotCovered } from "./errors.ts";
import { fileNameOf } from "./file-name.ts";
import type { ReportRequest } from "./parameters.ts";
import { type Moment, resolveMoment } from "./moment.ts";
import type { Report } from "./report.ts";
import type { Selection } from "./report-sql.ts";

/** What the reader may see. */
export interface ReportAccess {
  /** `null`: all accounts. */
  accountIds: readonly number[] | null;
  /** Wallet addresses in full. */
  wallets: boolean;
}

/** A report that may be given out, in the snapshot that it will be read from. */
export interface OpenReport extends Selection {
  asOf: Instant;
  accounts: readonly string[];
  coverage: ReportCoverage;
  fileName: string;
}

interface ReportCoverage {
  /** `null` for reports that do not depend on it. */
  complete: boolean | null;
  gaps: readonly CoverageGap[];
}

/** Refuses what is not covered, unless a part was asked for. */
export async function openReport(
  snapshot: Snapshot,
  request: ReportRequest,
  access: ReportAccess,
): Promise<OpenReport> {
  await prepareSnapshot(snapshot, request.report);
  const accounts = await chooseAccounts(snapshot, request, access);
  const moment = await resolveMoment(snapshot, request, accounts);
  const coverage = await coverageOf(snapshot, request, accounts, toBeCovered(request, moment));
  if (coverage.complete === false && !request.partial)
    throw new PeriodNotCovered(coverage.gaps, request.moment.knownAt);
  const asOf = parseInstant(snapshot.asOf) as Instant;
  const { zone } = request;
  return {
    request,
    moment,
    accountIds: accounts.map(({ id }) => id),
    accounts: accounts.map(({ name }) => name),
    wallets: access.wallets,
    asOf,
    coverage,
    fileName: fileNameOf(
      request,
      // A report about a moment goes as far as that.
      moment === null ? dayOf(asOf, zone) : lastDayBefore({ instant: moment.asAt }, zone),
    ),
  };
}

/**
 * One large statement over all that is stored: compiling it costs more than it saves, and its joins need memory. The books
 * are read by many small look-ups, which cost little in memory and on solid-state disks.
 */
async function prepareSnapshot(snapshot: Snapshot, { moment, joinsInBulk }: Report): Promise<void> {
  await snapshot.query(
    `select set_config('jit', 'off', true), set_config('work_mem', '64MB', true), set_config('random_page_cost', $1, true),
            set_config('enable_nestloop', $2, true)`,
    [moment === undefined ? "4" : "1.1", joinsInBulk === true ? "off" : "on"],
  );
}

/** The state at a moment follows from everything before it; without a given moment, it is how far data has been read. */
function toBeCovered(
  { report, period, moment: asked }: ReportRequest,
  moment: Moment | null,
): Pick<Period, "from" | "to"> {
  if (moment === null || report.reachesBack !== true) return period;
  const isNamed = asked.asAt !== null || (report.moment === "period_end" && period.to !== null);
  // Not only up to now, where it goes on: who names an end wants all of it.
  return { from: period.from, to: isNamed ? (asked.asAt ?? period.to ?? moment.asAt) : null };
}

async function chooseAccounts(
  snapshot: Snapshot,
  { accounts: wanted, moment: { knownAt } }: ReportRequest,
  access: ReportAccess,
): Promise<ReportableAccount[]> {
  const known = await reportableAccounts(snapshot, access.accountIds, knownAt);
  if (wanted === null) return known;
  const names = known.map(({ name }) => name);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length === 0) return known.filter(({ name }) => wanted.includes(name));
  throw new InvalidParameters(
    unknown.map((name) => ({
      path: "account",
      code: "unknown_account",
      message: `account: there is no account ${JSON.stringify(name)}; known are ${names.join(", ") || "none"}`,
    })),
  );
}

/**
 * Whether every account has been read for the whole period. A period without an end goes as far as has been read: it
 * asks for what there is, and then only what lies before can be missing. By what was known at a time, what was read later is
 * missing too; an account that was added later is not, unless there was no other.
 */
async function coverageOf(
  snapshot: Snapshot,
  { report, moment: { knownAt } }: ReportRequest,
  accounts: readonly ReportableAccount[],
  period: { from: Instant | null; to: Instant | null },
): Promise<ReportCoverage> {
  if (!report.needsCoverage) return { complete: null, gaps: [] };
  const gaps: CoverageGap[] = [];
  const begun = knownAt === null ? accounts : accounts.filter(({ coveredTo }) => coveredTo !== null);
  for (const account of begun.length > 0 ? begun : accounts) {
    // What stood at the start of a period came before it; what lies before the first day that was read is not known.
    const from =
      period.from === null || (report.reachesBack && compareInstants(account.syncStart, period.from) < 0)
        ? account.syncStart
        : period.from;
    const to = period.to ?? account.coveredTo;
    if (to === null) gaps.push({ account: account.name, from, to: null });
    else if (compareInstants(from, to) < 0) {
      const found = await readCoverage(snapshot, account.id, { from, to, knownAt });
      gaps.push(
        ...found.gaps.map((gap) => ({ account: account.name, from: instant(gap.from), to: instant(gap.to) })),
      );
    }
  }
  // With no account there is nothing that could have been read.
  return { complete: accounts.length > 0 && gaps.length === 0, gaps };
}

function instant(text: string): string {
  return parseInstant(text) ?? text;
}
