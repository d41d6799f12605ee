import { differ, notApplicable } from "./check.ts";
import { type Lane, missedLimit, ratesOf } from "./rates.ts";
import { show } from "./rules.ts";
import type { Answer, Target } from "./target.ts";

interface LimitQuestion {
  readonly lane: Lane;
  readonly type: "MIN" | "MAX";
  readonly query: Readonly<Record<string, string>>;
}

const limitsAskedMax = 4;
const looksMax = 7;
const wrongsNeeded = 3;
/** Wider than any limit moves between two requests. */
const margin = 0.01;
/** So little, and so much, that everyone with a limit names it. */
const far = { MIN: 1, MAX: 1_000_000_000 };

/** A limit allows the first whole amount inside it and refuses the one before. */
export async function holdsLimits(target: Target, asked: LimitQuestion): Promise<void> {
  const { lane, type, query } = asked;
  const { items } = await ratesOf(target, lane, far[type], query);
  const missed = items.filter((entry) => missedLimit(entry, type) !== null);
  if (missed.length === 0) notApplicable(`no gateway says ${type} at ${far[type]}`);
  for (const { identifier } of missed.slice(0, limitsAskedMax)) await holdsLimit(target, asked, identifier);
}

interface Wrong {
  readonly answer: Answer;
  readonly expected: string;
  readonly seen: string;
}

/**
 * A provider with limits in another money moves them with every price. So a limit that moved while it was tried is tried
 * again, what seems wrong must seem so three times, and a limit that never rests is tried a little further off.
 */
async function holdsLimit(target: Target, asked: LimitQuestion, identifier: unknown): Promise<void> {
  const wrongs: Wrong[] = [];
  for (let looks = 1; looks < looksMax; looks++) {
    const found = await lookAt(target, asked, identifier, 0);
    if (found === "right") return;
    if (found === "moved") continue;
    wrongs.push(found);
    if (wrongs.length === wrongsNeeded) differ(found.answer, found.expected, found.seen);
  }
  const further = await lookAt(target, asked, identifier, margin);
  if (typeof further !== "string") differ(further.answer, further.expected, further.seen);
}

async function lookAt(
  target: Target,
  { lane, type, query }: LimitQuestion,
  identifier: unknown,
  slackShare: number,
): Promise<"right" | "moved" | Wrong> {
  const entryAt = async (amount: number) => {
    const { answer, items } = await ratesOf(target, lane, amount, query, true);
    const entry = items.find((one) => one["identifier"] === identifier);
    return { answer, seen: show(entry?.["error"] ?? "available"), limit: missedLimit(entry, type) };
  };
  const { limit } = await entryAt(far[type]);
  if (limit === null) return "moved";
  const slack = limit * slackShare;
  const [inside, outside] =
    type === "MIN"
      ? [Math.ceil(limit + slack), Math.ceil(limit - slack) - 1]
      : [Math.floor(limit - slack), Math.floor(limit + slack) + 1];
  const within = inside >= 1 ? await entryAt(inside) : null;
  const beyond = outside >= 1 ? await entryAt(outside) : null;
  const rests = slackShare > 0 || (await entryAt(far[type])).limit === limit;
  const name = `${String(identifier)}, whose ${type} is ${limit},`;
  // A refusal names the limit of its own moment.
  if (within !== null && within.limit !== null)
    return within.limit === limit || slackShare > 0
      ? { ...within, expected: `${name} to take ${inside}` }
      : "moved";
  if (!rests) return "moved";
  return beyond !== null && beyond.limit === null
    ? { ...beyond, expected: `${name} to refuse ${outside}` }
    : "right";
}
