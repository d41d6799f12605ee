import { z } from "zod";
import { type Check, differ, notApplicable } from "../check.ts";
import { describeAnswer, expectShape, expectThat, isRefusal } from "../expect.ts";
import { firstPage, settledWindow, someIds, windowQuery } from "../history.ts";
import type { Target } from "../target.ts";
import { type Walk, walk } from "../walk.ts";
import { expectSameRecords } from "./transaction-pages.ts";

const path = "/transactions";
const startRule = "| startDateTime | string, ISO 8601 | null | start of the time window |";
const endRule = "| endDateTime | string, ISO 8601 | null | end of the time window |";
const idsRule = "| transactionIds | string | null | comma-separated transaction ids, at most 50 |";
const idsMax = 50;
const decade = 10 * 365 * 86_400_000;

/** What the time window and the list of ids select. Nothing here depends on the order or on the ends of a window. */
export const transactionSelectionChecks: readonly Check[] = [
  {
    id: "transactions.all-parameters-are-optional",
    sentence: "Query parameters (all optional):",
    async run(target) {
      expectShape(await target.ask({ path }), z.unknown(), "an answer without any parameter");
    },
  },
  {
    id: "transactions.window.starts",
    sentence: startRule,
    async run(target) {
      await expectEmpty(target, { startDateTime: new Date(target.now() + decade).toISOString() });
    },
  },
  {
    id: "transactions.window.ends",
    sentence: endRule,
    async run(target) {
      // Before the first block of the first chain nobody bought any crypto.
      await expectEmpty(target, { endDateTime: "2009-01-01T00:00:00.000Z" });
    },
  },
  {
    id: "transactions.window.halves-make-the-whole",
    sentence: startRule,
    async run(target) {
      const { fromMs, toMs, closed, walk: whole } = await settledWindow(target);
      const middle = Math.floor((fromMs + toMs) / 2);
      // Whether a bound is inside is not shown; a millisecond over keeps what lies on the middle in both halves.
      const earlier = await walk(target, windowQuery({ fromMs, toMs: middle + 1 }));
      const later = await walk(target, windowQuery({ fromMs: middle - 1, toMs }));
      const both = { ...later, records: [...earlier.records, ...later.records] };
      expectSameRecords(
        { given: whole, other: both },
        { closed, expected: "the records of the whole window" },
      );
    },
  },
  {
    id: "transactions.window.milliseconds-may-be-left-out",
    sentence: startRule,
    async run(target) {
      await expectSameWindow(target, (ms) => new Date(ms).toISOString().replace(".000Z", "Z"));
    },
  },
  {
    id: "transactions.window.takes-an-offset",
    sentence: endRule,
    async run(target) {
      const twoHours = 2 * 3_600_000;
      await expectSameWindow(target, (ms) => new Date(ms + twoHours).toISOString().replace("Z", "+02:00"));
    },
  },
  {
    id: "transactions.ids.select",
    sentence: idsRule,
    async run(target) {
      const { asked, walked } = await walkIds(target, 5);
      const other = walked.records.find((record) => !asked.includes(String(record["transactionId"])));
      expectThat(walked.last, other === undefined, {
        expected: "only the transactions asked for",
        seen: String(other?.["transactionId"]),
      });
    },
  },
  {
    id: "transactions.ids.are-all-found",
    sentence: idsRule,
    async run(target) {
      const { asked, walked } = await walkIds(target, 5);
      const found = new Set(walked.records.map((record) => record["transactionId"]));
      const missing = asked.find((id) => !found.has(id));
      expectThat(walked.last, missing === undefined, {
        expected: "every id asked for",
        seen: `no ${String(missing)}`,
      });
    },
  },
  {
    id: "transactions.ids.one-is-enough",
    sentence: idsRule,
    async run(target) {
      const { asked, walked } = await walkIds(target, 1);
      const found = new Set(walked.records.map((record) => record["transactionId"]));
      expectThat(walked.last, found.size === 1 && found.has(asked[0]), {
        expected: `records of ${String(asked[0])} only`,
        seen: `${found.size} transactions`,
      });
    },
  },
  {
    id: "transactions.ids.fifty-are-accepted",
    sentence: "| maximum ids | GET /transactions `transactionIds` | 50 |",
    async run(target) {
      const ids = await someIds(target, idsMax + 1);
      if (ids.length < idsMax) notApplicable(`fewer than ${idsMax} transactions at hand`);
      const { walked } = await walkIds(target, idsMax);
      const found = new Set(walked.records.map((record) => record["transactionId"]));
      expectThat(walked.last, found.size === idsMax, {
        expected: "all 50 transactions",
        seen: walked.stopped === "refused" ? describeAnswer(walked.last) : `${found.size}`,
      });
    },
  },
  {
    id: "transactions.ids.are-at-most-50",
    sentence: "| maximum ids | GET /transactions `transactionIds` | 50 |",
    async run(target) {
      await settledWindow(target);
      const ids = await someIds(target, idsMax + 1);
      if (ids.length <= idsMax) notApplicable(`no more than ${idsMax} transactions at hand`);
      const walked = await walk(target, { transactionIds: ids.join(",") });
      if (isRefusal(walked.last)) return;
      const found = new Set(walked.records.map((record) => record["transactionId"]));
      expectThat(walked.last, walked.stopped === "end" && found.size <= idsMax, {
        expected: "a refusal of 51 ids, or at most 50 of them",
        seen: walked.stopped === "end" ? `${found.size} transactions` : describeAnswer(walked.last),
      });
    },
  },
];

async function expectEmpty(target: Target, query: Record<string, string>): Promise<void> {
  await firstPage(target);
  const walked = await walk(target, query, { rowsMax: 0, pagesMax: 20 });
  if (walked.stopped === "refused") {
    differ(walked.last, { expected: "a page without records", seen: describeAnswer(walked.last) });
  }
  expectThat(walked.last, walked.records.length === 0, {
    expected: "no record in a window that nothing happened in",
    seen: `${walked.records.length} records`,
  });
}

async function expectSameWindow(target: Target, write: (ms: number) => string): Promise<void> {
  const { fromMs, toMs, closed, walk: given } = await settledWindow(target);
  const other = await walk(target, { startDateTime: write(fromMs), endDateTime: write(toMs) });
  const expected = "the records that the same instants give when written with milliseconds and Z";
  if (other.stopped === "refused") differ(other.last, { expected, seen: describeAnswer(other.last) });
  expectSameRecords({ given, other }, { closed, expected });
}

async function walkIds(target: Target, count: number): Promise<{ asked: string[]; walked: Walk }> {
  await settledWindow(target);
  const asked = (await someIds(target, idsMax + 1)).slice(0, count);
  const walked = await target.once(`walk ${count} ids`, () =>
    walk(target, { transactionIds: asked.join(",") }),
  );
  return { asked, walked };
}
