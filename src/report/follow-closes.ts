import { DAY } from "../core/duration.ts";
import { compareInstants, type Instant, instantMs } from "../core/instant.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import { type Close, listClosesAt } from "../store/periods/closes.ts";
import type { ReportRequest } from "./parameters.ts";

/** By what was known when the time before a report's period was closed, its opening is read: of one account. */
export interface Prior {
  accountId: number;
  account: string;
  /** The month that was closed; `null` where a person gave the time. */
  month: string | null;
  knownAt: Instant;
}

export interface Followed {
  priors: readonly Prior[];
  /** What a reader of the figures should know about closed months, a sentence each. */
  notes: readonly string[];
}

interface NamedAccount {
  id: number;
  name: string;
}

/**
 * A report that begins where a closed month ends follows from what was signed, each account from its own close. One that
 * begins later does not: what has become known of the closed month counts on the first day after it, and so before.
 */
export async function followCloses(
  snapshot: Snapshot,
  request: ReportRequest,
  accounts: readonly NamedAccount[],
  knownAt: Instant,
): Promise<Followed> {
  const { report, period, moment } = request;
  if (report.showsPriorPeriod === undefined) return { priors: [], notes: [] };
  const closes = await listClosesAt(snapshot, { accountIds: accounts.map(({ id }) => id), at: knownAt });
  const nameOf = (close: Close) => accounts.find(({ id }) => id === close.accountId)?.name ?? "";
  const { from, to } = period;
  const notes = moment.knownAt === null && to !== null ? signedNotes(closes, to, nameOf) : [];
  if (moment.priorKnownAt === "none" || from === null) return { priors: [], notes };
  const asked = moment.priorKnownAt;
  if (asked !== null) {
    return {
      priors: accounts.map(({ id, name }) => ({ accountId: id, account: name, month: null, knownAt: asked })),
      notes,
    };
  }
  const priors = closes
    .filter((close) => close.to === from)
    .map((close) => ({
      accountId: close.accountId,
      account: nameOf(close),
      month: close.month,
      knownAt: close.knownAt,
    }));
  return { priors, notes: [...notes, ...missedNotes(closes, from, nameOf)] };
}

type NameOf = (close: Close) => string;

/** Asked for by what is known now, a closed month has other figures than were signed, and the next one has them too. */
function signedNotes(closes: readonly Close[], to: Instant, nameOf: NameOf): string[] {
  return closes
    .filter((close) => close.to === to)
    .map(
      (close) =>
        `${close.month} of ${nameOf(close)} is closed: this is what is known now, and what has become known since then counts in the next month; known_at=${close.knownAt} gives the figures that were signed`,
    );
}

/** Nearly always a day of another zone was meant. */
function missedNotes(closes: readonly Close[], from: Instant, nameOf: NameOf): string[] {
  return closes
    .filter(
      ({ to }) => compareInstants(to, from) !== 0 && Math.abs(instantMs(to) - instantMs(from)) < 1 * DAY,
    )
    .map(
      (close) =>
        `${close.month} of ${nameOf(close)} is closed and ends at ${close.to}, while this begins at ${from}: it does not follow from what was signed; days in ${close.zone} would`,
    );
}
