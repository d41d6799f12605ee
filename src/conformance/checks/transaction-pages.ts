import { z } from "zod";
import { type Check, differ, notApplicable, row } from "../check.ts";
import { findWindow, firstPage, missingFrom, settledWindow, windowQuery } from "../history.ts";
import { body, canonical, describe, isRefusal, isSuccess, member, show } from "../rules.ts";
import { objects } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";
import { type Walk, walk } from "../walk.ts";

const path = "/transactions";
const limitMax = 50;

/** Size of a page and the way from one to the next. */
export const transactionPageRows: readonly Check[] = [
  row(
    "not-wrapped",
    [2, 16, 126],
    (target) => target.ask({ path }),
    body(z.looseObject({ transactions: objects }), "an array `transactions` at the top level"),
  ),
  row("limit.default-is-50", [127, 220, 251], firstPage, ({ answer }) =>
    body(z.looseObject({ limit: z.literal(limitMax) }), "`limit` 50")(answer),
  ),
  ...[1, 7, 49, limitMax].map((limit) =>
    row(`limit.echoes-${limit}`, [225], firstPage, async (_, target) =>
      body(
        z.looseObject({ limit: z.literal(limit) }),
        `\`limit\` ${limit} as asked`,
      )(await target.ask({ path, query: { limit: String(limit) } })),
    ),
  ),
  row("limit.bounds-the-page", [220], firstPage, async (_, target) => {
    for (const limit of [1, 3, limitMax])
      expectRows(await target.ask({ path, query: { limit: String(limit) } }), limit);
  }),
  row("limit.is-at-most-50", [221, 251], firstPage, async (_, target) => {
    for (const limit of ["51", "1000"]) expectHeldLimit(await target.ask({ path, query: { limit } }));
  }),
  row("limit.is-an-integer", [220], firstPage, async (_, target) => {
    for (const limit of ["0", "-1", "abc", "2.5"])
      expectHeldLimit(await target.ask({ path, query: { limit } }));
  }),
  row("limit.echoes-on-every-page", [225], smallPages, ({ pages, limit }) => {
    for (const { answer } of pages)
      body(z.looseObject({ limit: z.literal(limit) }), `\`limit\` ${limit} on every page`)(answer);
  }),
  row("cursor.is-a-string", [128], findWindow, async ({ walk: walked }, target) => {
    // Whether the last page omits it is not shown, so absent and null are as good as a string.
    const shape = z.looseObject({ cursor: z.string().nullish() });
    for (const answer of [await target.ask({ path }), ...walked.pages.map((page) => page.answer)])
      body(shape, "a string `cursor`, or none")(answer);
  }),
  row("cursor.reaches-an-end", [224], findWindow, ({ walk: walked }) => {
    if (walked.stopped !== "end")
      differ(walked.last, "a walk along `cursor` that ends", describeStop(walked));
  }),
  row("cursor.moves-on", [224], smallPages, ({ pages }) => {
    const [first, second] = pages.filter((page) => page.records.length > 0);
    if (first === undefined || second === undefined) notApplicable("the account has less than two pages");
    if (missingFrom(second.records, first.records) === null)
      differ(second.answer, "the page after the first", "the records of the first page again");
  }),
  row("cursor.keeps-the-limit", [224], smallPages, ({ pages, limit }) => {
    for (const { answer } of pages) expectRows(answer, limit);
  }),
  row("cursor.loses-nothing", [224], settledWindow, async ({ walk: given, closed }, target) =>
    expectSameRecords(
      { given, other: await smallPages(target) },
      { closed, expected: "the records of pages of 50" },
    ),
  ),
  row("cursor.gives-nothing-twice", [224], smallPages, ({ records, last }) => {
    const seen = new Set<string>();
    for (const record of records) {
      const text = canonical(record);
      if (seen.has(text)) differ(last, "every record once", `${show(record["transactionId"])} twice`);
      seen.add(text);
    }
  }),
  row("cursor.walks-alike-twice", [224], settledWindow, async (window, target) => {
    const other = await walk(target, windowQuery(window));
    expectSameRecords(
      { given: window.walk, other },
      { closed: window.closed, expected: "the records of the first walk" },
    );
  }),
];

export function expectSameRecords(
  walks: { given: Pick<Walk, "records">; other: Walk },
  { closed, expected }: { closed: boolean; expected: string },
): void {
  const lost = missingFrom(walks.given.records, walks.other.records);
  const gained = missingFrom(walks.other.records, walks.given.records);
  if (lost === null && gained === null) return;
  if (!closed) notApplicable("the account has only recent transactions, which still move");
  differ(walks.other.last, expected, lost ?? `others as well: ${String(gained)}`);
}

/** The window again in pages so small that it takes several. */
async function smallPages(target: Target): Promise<Walk & { limit: number }> {
  return target.once("small pages", async () => {
    const window = await settledWindow(target);
    const limit = Math.min(Math.max(Math.ceil(window.walk.records.length / 6), 1), limitMax);
    return { ...(await walk(target, { ...windowQuery(window), limit: String(limit) })), limit };
  });
}

function expectRows(answer: Answer, limit: number): void {
  const rows = member(answer.json, "transactions");
  if (!isSuccess(answer) || !Array.isArray(rows)) notApplicable(`${answer.request} gave no page to judge by`);
  if (rows.length > limit) differ(answer, `at most ${limit} records`, `${rows.length}`);
}

/** What a server does with a limit it cannot serve is not shown: it may refuse, or answer with one that it can. */
function expectHeldLimit(answer: Answer): void {
  if (isRefusal(answer)) return;
  const page = z.looseObject({
    limit: z.int().min(1).max(limitMax),
    transactions: z.array(z.unknown()).max(limitMax),
  });
  if (isSuccess(answer) && page.safeParse(answer.json).success) return;
  const limit = member(answer.json, "limit");
  const seen = isSuccess(answer) && limit !== undefined ? `limit ${show(limit)}` : describe(answer);
  differ(answer, "a refusal, or a page whose `limit` is 1 to 50", seen);
}

function describeStop(walked: Walk): string {
  if (walked.stopped === "refused") return describe(walked.last);
  if (walked.stopped === "loop") return `a cursor that was given before, on page ${walked.pages.length}`;
  return `no end after ${walked.pages.length} pages and ${walked.records.length} records`;
}
