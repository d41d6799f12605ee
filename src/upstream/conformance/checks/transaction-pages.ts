import { z } from "zod";
import { type Check, differ, notApplicable } from "../check.ts";
import { describeAnswer, expectShape, expectThat, isRefusal, isSuccess, show } from "../expect.ts";
import { findWindow, firstPage, missingFrom, settledWindow, windowQuery } from "../history.ts";
import type { Answer, Target } from "../target.ts";
import { type Walk, walk } from "../walk.ts";

const path = "/transactions";
const limitRule = "| limit | integer | 50 | maximum 50 |";
const cursorRule = "| cursor | string | null | the `cursor` of the previous page, to fetch the next page |";
const limitMax = 50;

/** Size of a page and the way from one to the next. */
export const transactionPageChecks: readonly Check[] = [
  {
    id: "transactions.not-wrapped",
    sentence: "The /transactions responses are not wrapped.",
    async run(target) {
      const shape = z.looseObject({ transactions: z.array(z.looseObject({})) });
      expectShape(await target.ask({ path }), shape, "an array `transactions` at the top level");
    },
  },
  {
    id: "transactions.limit.default-is-50",
    sentence: "| maximum page size | GET /transactions `limit` | 50; 50 when omitted |",
    async run(target) {
      const { answer } = await firstPage(target);
      expectShape(answer, z.looseObject({ limit: z.literal(limitMax) }), "`limit` 50 when omitted");
    },
  },
  ...[1, 7, limitMax].map((limit) => ({
    id: `transactions.limit.echoes-${limit}`,
    sentence: "Response: Transaction page; `limit` echoes the limit in force.",
    async run(target: Target) {
      await firstPage(target);
      const answer = await target.ask({ path, query: { limit: String(limit) } });
      expectShape(answer, z.looseObject({ limit: z.literal(limit) }), `\`limit\` ${limit} as asked`);
    },
  })),
  {
    id: "transactions.limit.bounds-the-page",
    sentence: limitRule,
    async run(target) {
      for (const limit of [1, 3, limitMax]) {
        expectRows(await target.ask({ path, query: { limit: String(limit) } }), limit);
      }
    },
  },
  {
    id: "transactions.limit.is-at-most-50",
    sentence: limitRule,
    async run(target) {
      await firstPage(target);
      for (const limit of ["51", "1000"]) expectHeldLimit(await target.ask({ path, query: { limit } }));
    },
  },
  {
    id: "transactions.limit.is-an-integer",
    sentence: limitRule,
    async run(target) {
      await firstPage(target);
      for (const limit of ["0", "-1", "abc", "2.5"])
        expectHeldLimit(await target.ask({ path, query: { limit } }));
    },
  },
  {
    id: "transactions.cursor.is-a-string",
    sentence: "| cursor | string (opaque page token) |",
    async run(target) {
      const { walk: walked } = await findWindow(target);
      const pages = [await target.ask({ path }), ...walked.pages.map((page) => page.answer)];
      // Whether the last page omits it is not shown, so absent and null are as good as a string.
      const shape = z.looseObject({ cursor: z.string().nullish() });
      for (const answer of pages) expectShape(answer, shape, "a string `cursor`, or none");
    },
  },
  {
    id: "transactions.cursor.reaches-an-end",
    sentence: cursorRule,
    async run(target) {
      const { walk: walked } = await findWindow(target);
      if (walked.stopped === "end") return;
      differ(walked.last, { expected: "a walk along `cursor` that ends", seen: describeStop(walked) });
    },
  },
  {
    id: "transactions.cursor.moves-on",
    sentence: cursorRule,
    async run(target) {
      const pages = (await smallPages(target)).pages.filter((page) => page.records.length > 0);
      const [first, second] = pages;
      if (first === undefined || second === undefined) notApplicable("the account has less than two pages");
      expectThat(second.answer, missingFrom(second.records, first.records) !== null, {
        expected: "the page after the first",
        seen: "the records of the first page again",
      });
    },
  },
  {
    id: "transactions.cursor.keeps-the-limit",
    sentence: cursorRule,
    async run(target) {
      const { pages, limit } = await smallPages(target);
      for (const { answer } of pages) expectRows(answer, limit);
    },
  },
  {
    id: "transactions.cursor.loses-nothing",
    sentence: cursorRule,
    async run(target) {
      const { walk: large, closed } = await settledWindow(target);
      expectSameRecords(
        { given: large, other: await smallPages(target) },
        { closed, expected: "the records of pages of 50" },
      );
    },
  },
  {
    id: "transactions.cursor.walks-alike-twice",
    sentence: cursorRule,
    async run(target) {
      const { fromMs, toMs, closed, walk: given } = await settledWindow(target);
      const other = await walk(target, windowQuery({ fromMs, toMs }));
      expectSameRecords({ given, other }, { closed, expected: "the records of the first walk" });
    },
  },
];

export function expectSameRecords(
  walks: { given: Pick<Walk, "records">; other: Walk },
  { closed, expected }: { closed: boolean; expected: string },
): void {
  const lost = missingFrom(walks.given.records, walks.other.records);
  const gained = missingFrom(walks.other.records, walks.given.records);
  if (lost === null && gained === null) return;
  if (!closed) notApplicable("the account has only recent transactions, which still move");
  const seen = lost === null ? `others as well: ${String(gained)}` : lost;
  differ(walks.other.last, { expected, seen });
}

/** The window again in pages so small that it takes several. */
async function smallPages(target: Target): Promise<Walk & { limit: number }> {
  return target.once("small pages", async () => {
    const { fromMs, toMs, walk: large } = await settledWindow(target);
    const limit = Math.min(Math.max(Math.ceil(large.records.length / 6), 1), limitMax);
    return { ...(await walk(target, { ...windowQuery({ fromMs, toMs }), limit: String(limit) })), limit };
  });
}

function expectRows(answer: Answer, limit: number): void {
  const rows = z.looseObject({ transactions: z.array(z.unknown()) }).safeParse(answer.json);
  if (!isSuccess(answer) || !rows.success) notApplicable(`${answer.request} gave no page to judge by`);
  const count = rows.data.transactions.length;
  expectThat(answer, count <= limit, { expected: `at most ${limit} records`, seen: `${count}` });
}

/** What a server does with a limit it cannot serve is not shown: it may refuse, or answer with one that it can. */
function expectHeldLimit(answer: Answer): void {
  if (isRefusal(answer)) return;
  const expected = "a refusal, or a page whose `limit` is 1 to 50";
  const page = z.looseObject({
    limit: z.int().min(1).max(limitMax),
    transactions: z.array(z.unknown()).max(limitMax),
  });
  const found = isSuccess(answer) ? page.safeParse(answer.json) : null;
  if (found?.success) return;
  const limit = z.looseObject({ limit: z.unknown() }).safeParse(answer.json);
  const seen = found === null || !limit.success ? describeAnswer(answer) : `limit ${show(limit.data.limit)}`;
  differ(answer, { expected, seen });
}

function describeStop(walked: Walk): string {
  if (walked.stopped === "refused") return describeAnswer(walked.last);
  if (walked.stopped === "loop") return `a cursor that was given before, on page ${walked.pages.length}`;
  return `no end after ${walked.pages.length} pages and ${walked.records.length} records`;
}
