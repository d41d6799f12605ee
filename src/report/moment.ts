import assert from "node:assert";
import { compareInstants, type Instant, parseInstant } from "../core/instant.ts";
import { hasFunctionalCurrency } from "../store/accounts/account-reads.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import { InvalidParameters } from "./errors.ts";
import { type Followed, followCloses } from "./follow-closes.ts";
import type { ReportRequest } from "./parameters.ts";

/** What a question about the books is asked of: how things stood, and by whose knowledge. */
export interface Moment extends Followed {
  asAt: Instant;
  knownAt: Instant;
  /** Whether any of the accounts has a functional currency. */
  isValued: boolean;
}

/**
 * `null` for reports that show what is there now. What is stored is stamped before it is committed, so only a `known_at`
 * before every write that still runs gives the same bytes for ever: a later one is refused.
 */
export async function resolveMoment(
  snapshot: Snapshot,
  request: ReportRequest,
  accounts: readonly { id: number; name: string }[],
): Promise<Moment | null> {
  const { report, moment, period } = request;
  if (report.moment === undefined) return null;
  const ending = report.moment === "apart" ? null : period.to;
  if (report.moment === "period_end" && ending !== null && moment.asAt !== null)
    throw invalid("as_at", "given_twice", "the period of this report ends at its moment; give to or as_at");
  const certain = instantOf(snapshot.knownAt);
  const knownAt = moment.knownAt ?? certain;
  if (compareInstants(knownAt, certain) > 0)
    throw invalid(
      "known_at",
      "not_known_yet",
      `is after ${certain}, up to which everything is stored; leave it out`,
    );
  const { priorKnownAt } = moment;
  if (priorKnownAt !== null && priorKnownAt !== "none" && compareInstants(priorKnownAt, knownAt) > 0)
    throw invalid("prior_known_at", "not_known_yet", `is after ${knownAt}, the report's known_at`);
  // With `known_at` alone, `as_at` is the same moment, so that tomorrow the answer is the same.
  // A period that is not over goes as far as that: what providers have dated ahead does not count yet.
  const now = moment.knownAt ?? instantOf(snapshot.asOf);
  const asAt = moment.asAt ?? earlier(ending ?? now, now);
  if (
    ending === null &&
    report.moment === "period_end" &&
    period.from !== null &&
    compareInstants(period.from, asAt) >= 0
  )
    throw moment.asAt === null
      ? invalid("from", "empty_period", `must lie before ${asAt}, where this report ends`)
      : invalid("as_at", "empty_period", `must lie after from; ${asAt} does not lie after ${period.from}`);
  const isValued = await hasFunctionalCurrency(snapshot, {
    accountIds: accounts.map(({ id }) => id),
    knownAt,
  });
  return { asAt, knownAt, isValued, ...(await followCloses(snapshot, request, accounts, knownAt)) };
}

export function earlier(a: Instant, b: Instant): Instant {
  return compareInstants(a, b) < 0 ? a : b;
}

function instantOf(text: string): Instant {
  const instant = parseInstant(text);
  assert(instant !== null, "the database writes instants that can be read");
  return instant;
}

function invalid(path: string, code: string, message: string): InvalidParameters {
  return new InvalidParameters([{ path, code, message: `${path}: ${message}` }]);
}
