import { isObject, isSuccess } from "./rules.ts";
import type { Answer, Target } from "./target.ts";

export interface Walk {
  readonly pages: readonly Page[];
  readonly records: readonly Record<string, unknown>[];
  /** `end`: explicit. `limit`: we stopped. `loop`: a cursor came back. `refused`: a page could not be read. */
  readonly stopped: "end" | "limit" | "loop" | "refused";
  readonly last: Answer;
}

interface Page {
  readonly answer: Answer;
  readonly records: readonly Record<string, unknown>[];
}

export interface WalkLimits {
  readonly rowsMax: number;
  readonly pagesMax: number;
}

/** Generous, because a server may answer short and even empty pages before the end. */
export const walkLimits: WalkLimits = { rowsMax: 1_000, pagesMax: 1_200 };

/**
 * Follows `cursor` to the end in each way that an end may look, because which one is not shown: absent, null, empty,
 * or an empty page that gives back the cursor it was asked with. A short page with a cursor is not an end.
 */
export async function walk(
  target: Target,
  query: Readonly<Record<string, string>>,
  limits: WalkLimits = walkLimits,
  asOther = false,
): Promise<Walk> {
  const pages: Page[] = [];
  const records: Record<string, unknown>[] = [];
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (;;) {
    const answer: Answer = await target.ask({
      path: "/transactions",
      query: cursor === null ? query : { ...query, cursor },
      fresh: true,
      asOther,
    });
    const page = readPage(answer);
    if (page === null) return { pages, records, stopped: "refused", last: answer };
    pages.push({ answer, records: page.records });
    records.push(...page.records);
    const next: string | null = page.cursor;
    if (next === null || (next === cursor && page.records.length === 0)) {
      return { pages, records, stopped: "end", last: answer };
    }
    if (seen.has(next)) return { pages, records, stopped: "loop", last: answer };
    if (records.length > limits.rowsMax || pages.length >= limits.pagesMax) {
      return { pages, records, stopped: "limit", last: answer };
    }
    seen.add(next);
    cursor = next;
  }
}

function readPage(answer: Answer): { records: Record<string, unknown>[]; cursor: string | null } | null {
  if (!isSuccess(answer) || !isObject(answer.json)) return null;
  const { transactions, cursor } = answer.json;
  if (!Array.isArray(transactions)) return null;
  return {
    records: transactions.filter(isObject),
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : null,
  };
}
