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
/** So little, and so much, that everybody with a limit names it. */
const far = { MIN: 1, MAX: 1_000_000_000 };

/**
 * A limit is met at the first whole amount on its right side, and missed one unit before. Prices may move between two
 * requests, and a limit with them, so what seems wrong is looked at a second time.
 */
export async function holdsLimits(target: Target, asked: LimitQuestion): Promise<void> {
  const { lane, type, query } = asked;
  const { items } = await ratesOf(target, lane, far[type], query);
  const missed = items.filter((entry) => missedLimit(entry, type) !== null);
  if (missed.length === 0) notApplicable(`no gateway says ${type} at ${far[type]}`);
  for (const { identifier } of missed.slice(0, limitsAskedMax)) {
    const seemsWrong = await wrongLimit(target, asked, identifier, false);
    const wrong = seemsWrong && (await wrongLimit(target, asked, identifier, true));
    if (wrong) differ(wrong.answer, wrong.expected, wrong.seen);
  }
}

async function wrongLimit(
  target: Target,
  { lane, type, query }: LimitQuestion,
  identifier: unknown,
  fresh: boolean,
): Promise<{ answer: Answer; expected: string; seen: string } | null> {
  const entryAt = async (amount: number) => {
    const { answer, items } = await ratesOf(target, lane, amount, query, fresh);
    return { answer, entry: items.find((one) => one["identifier"] === identifier) };
  };
  const limit = missedLimit((await entryAt(far[type])).entry, type);
  if (limit === null) return null;
  const inside = type === "MIN" ? Math.ceil(limit) : Math.floor(limit);
  const outside = type === "MIN" ? inside - 1 : inside + 1;
  const name = `${String(identifier)}, whose ${type} is ${limit},`;
  if (inside >= 1) {
    const { answer, entry } = await entryAt(inside);
    if (missedLimit(entry, type) !== null)
      return { answer, expected: `${name} to take ${inside}`, seen: show(entry?.["error"]) };
  }
  if (outside >= 1) {
    const { answer, entry } = await entryAt(outside);
    if (missedLimit(entry, type) === null)
      return {
        answer,
        expected: `${name} to refuse ${outside}`,
        seen: show(entry?.["error"] ?? "available"),
      };
  }
  return null;
}
