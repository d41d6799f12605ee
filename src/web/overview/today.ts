import { kindsSeenBy } from "../../api/approvals/routes.ts";
import type { PresentedPeriod, PresentedPeriodDetail } from "../../api/periods/schema.ts";
import { hindranceOfProposal } from "../../access/approvals.ts";
import { counted } from "../../core/counted.ts";
import { totalDiscrepancies, type ValueTotal } from "../../store/books/discrepancy-reads.ts";
import { listOpenAlerts } from "../../store/notify/alerts.ts";
import { listApprovals } from "../../store/people/approvals.ts";
import { askApi } from "../ask-api.ts";
import { keptDetail } from "../close/kept-detail.ts";
import { periodPath } from "../close/parts.tsx";
import { readWaitingMonths } from "../close/second-signature.tsx";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";

/** One thing that waits for the visitor: how many, how much money, and where to deal with it. */
export interface Waiting {
  title: string;
  note: string;
  count: number;
  amounts: { currency: string; amount: string }[];
  href: string;
  tone: "bad" | "warn" | "calm";
}

/** The states of payouts that should have come, by the code of what is found. */
const overdueCodes = ["payout_overdue", "payout_not_received"];
const approvalsMax = 200;
const alertsShown = 5;
/** Months close in order, so the first that is open is the one to work on. */
const accountsLooked = 5;

export interface Today {
  /** Most pressing first; what nothing waits in is left out. */
  waiting: Waiting[];
  /** A checklist is still being worked out. */
  isPartial: boolean;
}

/** What needs someone today. */
export async function readToday(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  options: { waitMs: number },
): Promise<Today> {
  const reconciles = may(visitor, "reconcile:read");
  const [alerts, overdue, mine, approvals, reopening, months, free] = await Promise.all([
    openAlerts(visitor),
    reconciles ? overduePayouts(visitor) : [],
    reconciles ? assignedToMe(visitor) : [],
    waitingApprovals(visitor),
    reconciles ? monthsToReopen(visitor) : [],
    reconciles ? checklistLines(web, c, visitor, options) : { waiting: [], isPartial: false },
    may(visitor, "reconcile:write") ? unassigned(visitor) : [],
  ]);
  return {
    waiting: [...alerts, ...overdue, ...mine, ...approvals, ...reopening, ...months.waiting, ...free],
    isPartial: months.isPartial,
  };
}

async function openAlerts(visitor: Visitor): Promise<Waiting[]> {
  const open = await listOpenAlerts(visitor.reader);
  // Those who cannot open the alerts screen see all of them here.
  const shown = may(visitor, "settings:write") ? open.slice(0, alertsShown) : open;
  const alert = { title: "Alert", tone: "bad" } as const;
  const lines: Waiting[] = shown.map(({ title, path }) => ({
    ...alert,
    amounts: [],
    note: title,
    count: 1,
    href: path,
  }));
  const more = open.length - shown.length;
  if (more > 0)
    lines.push({ ...alert, amounts: [], note: "and more", count: more, href: "/settings/alerts" });
  return lines;
}

async function overduePayouts({ reader }: Visitor): Promise<Waiting[]> {
  const totals = await totalDiscrepancies(reader, { open: true, code: overdueCodes });
  return waitingIn(totals, {
    title: "Overdue payouts",
    note: "declared or due, but not received",
    href: `/discrepancies?${new URLSearchParams({ code: overdueCodes.join(",") }).toString()}`,
    tone: "bad",
  });
}

async function assignedToMe({ reader, name }: Visitor): Promise<Waiting[]> {
  const totals = await totalDiscrepancies(reader, { open: true, owner: name });
  return waitingIn(totals, {
    title: "Assigned to me",
    note: "open discrepancies in your name",
    href: `/discrepancies?${new URLSearchParams({ owner: name }).toString()}`,
    tone: "warn",
  });
}

async function unassigned({ reader }: Visitor): Promise<Waiting[]> {
  const totals = await totalDiscrepancies(reader, { open: true, owner: null, level: ["error"] });
  return waitingIn(totals, {
    title: "Unassigned",
    note: "open errors without an owner",
    href: "/discrepancies?owner=unassigned&level=error",
    tone: "warn",
  });
}

async function waitingApprovals(visitor: Visitor): Promise<Waiting[]> {
  const { rows } = await listApprovals(
    visitor.reader,
    { kind: kindsSeenBy(visitor.caller), state: ["proposed"] },
    { limit: approvalsMax, after: null },
  );
  const forMe = rows.filter((row) => hindranceOfProposal(visitor.caller, row) === null);
  if (forMe.length === 0) return [];
  return [
    {
      title: "Approvals",
      note: "proposed by someone else, for you to decide",
      count: forMe.length,
      amounts: [],
      href: "/approvals",
      tone: "warn",
    },
  ];
}

async function monthsToReopen(visitor: Visitor): Promise<Waiting[]> {
  const months = await readWaitingMonths(visitor);
  const forMe = months.filter(({ first, hindrance }) => first.event === "reopen_asked" && hindrance === null);
  return forMe.map(({ first: { account, month, name, reason } }) => ({
    title: `Reopen ${month}`,
    note: `${account}: ${name} asks to reopen it (${reason ?? ""}), and another person has to agree`,
    count: 1,
    amounts: [],
    href: periodPath({ account, month }),
    tone: "warn",
  }));
}

/** Of the first month of each account that is over and not closed: the lines that are not green. */
async function checklistLines(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  options: { waitMs: number },
): Promise<Today> {
  const now = web.api.deps.now();
  const { data } = await askApi<{ data: PresentedPeriod[] }>(web, c, visitor, "/v1/periods");
  const firsts = new Map<string, PresentedPeriod>();
  for (const period of data) {
    if (Date.parse(period.to) > now || period.state === "closed" || firsts.has(period.account)) continue;
    firsts.set(period.account, period);
  }
  const looked = [...firsts.values()].slice(0, accountsLooked);
  const found = await Promise.all(
    looked.map(async (period) => ({
      period,
      lines: leftOf(await keptDetail(web, c, visitor, period, options)),
    })),
  );
  return {
    waiting: [
      ...found.flatMap(({ period, lines }) => monthWaiting(period, lines)),
      ...othersWaiting(firsts.size - looked.length),
    ],
    isPartial: found.some(({ lines }) => lines === null),
  };
}

function othersWaiting(count: number): Waiting[] {
  if (count === 0) return [];
  const note = `months to close in ${counted(count, "other account")}`;
  return [{ title: "Close", note, count, amounts: [], href: "/close", tone: "calm" }];
}

/** The lines that are not green. */
function leftOf(detail: PresentedPeriodDetail | null): string[] | null {
  if (detail === null) return null;
  return detail.checklist.lines.filter(({ state }) => state !== "green").map(({ title }) => title);
}

function monthWaiting({ account, month, state }: PresentedPeriod, lines: string[] | null): Waiting[] {
  const href = periodPath({ account, month });
  const title = `Close ${month}`;
  if (state === "prepared") {
    const note = `${account}: prepared, waiting for the second signature`;
    return [{ title, note, count: 1, amounts: [], href, tone: "calm" }];
  }
  if (lines === null) {
    const note = `${account}: its checklist is still being computed`;
    return [{ title, note, count: 1, amounts: [], href, tone: "calm" }];
  }
  if (lines.length === 0) {
    const note = `${account}: its checklist is complete, and it can be prepared`;
    return [{ title, note, count: 1, amounts: [], href, tone: "calm" }];
  }
  const note = `${account}, open on its checklist: ${lines.join("; ")}`;
  return [{ title, note, count: lines.length, amounts: [], href, tone: "warn" }];
}

function waitingIn(
  totals: readonly ValueTotal[],
  about: Pick<Waiting, "title" | "note" | "href" | "tone">,
): Waiting[] {
  const count = totals.reduce((sum, { discrepancies }) => sum + discrepancies, 0);
  if (count === 0) return [];
  const amounts = totals.flatMap(({ currency, value }) =>
    currency === null || value === null ? [] : [{ currency, amount: value }],
  );
  return [{ ...about, count, amounts }];
}
