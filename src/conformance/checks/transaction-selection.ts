import { z } from "zod";
import { type Check, differ, notApplicable, row } from "../check.ts";
import { firstPage, settledWindow, someIds, windowQuery } from "../history.ts";
import { body, describe, isRefusal } from "../rules.ts";
import type { Target } from "../target.ts";
import { type Walk, walk } from "../walk.ts";
import { expectSameRecords } from "./transaction-pages.ts";

const path = "/transactions";
const idsMax = 50;
const decade = 10 * 365 * 86_400_000;
const minute = 60_000;

/** What the time window and the list of ids select. Nothing here depends on the order or on the ends of a window. */
export const transactionSelectionRows: readonly Check[] = [
  row(
    "all-parameters-are-optional",
    [217],
    (target) => target.ask({ path }),
    body(z.unknown(), "an answer without any parameter"),
  ),
  row("window.starts", [218], firstPage, (_, target) =>
    expectEmpty(target, { startDateTime: new Date(target.now() + decade).toISOString() }),
  ),
  // Before the first block of the first chain nobody bought any crypto.
  row("window.ends", [219], firstPage, (_, target) =>
    expectEmpty(target, { endDateTime: "2009-01-01T00:00:00.000Z" }),
  ),
  row(
    "window.halves-make-the-whole",
    [218, 219],
    settledWindow,
    async ({ fromMs, toMs, closed, walk: whole }, target) => {
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
  ),
  row("window.end-before-start-selects-nothing", [218, 219], settledWindow, ({ fromMs, toMs }, target) =>
    expectNothing(target, windowQuery({ fromMs: toMs, toMs: fromMs })),
  ),
  // A server that ignored a time it cannot read would answer with the records of another window.
  row("window.times-are-iso-8601", [218, 219], settledWindow, async (_, target) => {
    await expectNothing(target, { startDateTime: "yesterday" });
    await expectNothing(target, { endDateTime: "yesterday" });
  }),
  row("window.milliseconds-may-be-left-out", [218], settledWindow, (_, target) =>
    expectSameWindow(target, 1, (iso) => iso.replace(".000Z", "Z")),
  ),
  row("window.seconds-may-be-left-out", [218, 219], settledWindow, (_, target) =>
    expectSameWindow(target, minute, (iso) => iso.replace(":00.000Z", "Z")),
  ),
  row("window.takes-an-offset", [219], settledWindow, (_, target) => {
    const later = (iso: string) => new Date(Date.parse(iso) + 2 * 60 * minute).toISOString();
    return expectSameWindow(target, 1, (iso) => later(iso).replace("Z", "+02:00"));
  }),
  row(
    "ids.select",
    [222],
    (target) => walkIds(target, 5),
    ({ asked, walked }) => {
      const other = walked.records.find((record) => !asked.includes(String(record["transactionId"])));
      if (other !== undefined)
        differ(walked.last, "only the transactions asked for", String(other["transactionId"]));
    },
  ),
  row(
    "ids.are-all-found",
    [222],
    (target) => walkIds(target, 5),
    ({ asked, walked }) => {
      const missing = asked.find((id) => !idsOf(walked).has(id));
      if (missing !== undefined) differ(walked.last, "every id asked for", `no ${missing}`);
    },
  ),
  row(
    "ids.one-is-enough",
    [222],
    (target) => walkIds(target, 1),
    ({ asked, walked }) => {
      const found = idsOf(walked);
      if (found.size !== 1 || !found.has(asked[0]))
        differ(walked.last, `records of ${String(asked[0])} only`, `${found.size} transactions`);
    },
  ),
  row(
    "ids.go-on-with-the-cursor",
    [222, 224],
    (target) => walkIds(target, 5),
    async ({ asked, walked }, target) => {
      const { closed } = await settledWindow(target);
      if (walked.stopped !== "end" || walked.records.length < 3)
        notApplicable("too few records to page through");
      const other = await walk(target, { transactionIds: asked.join(","), limit: "2" });
      expectSameRecords({ given: walked, other }, { closed, expected: "the same records in pages of 2" });
    },
  ),
  row("ids.that-are-unknown-find-nothing", [222], firstPage, (_, target) =>
    expectNothing(target, { transactionIds: "conformance-no-such-transaction" }),
  ),
  row(
    "ids.fifty-are-accepted",
    [223, 252],
    (target) => someIds(target, idsMax + 1),
    async (ids, target) => {
      if (ids.length < idsMax) notApplicable(`fewer than ${idsMax} transactions at hand`);
      const { walked } = await walkIds(target, idsMax);
      const found = idsOf(walked).size;
      if (found !== idsMax)
        differ(
          walked.last,
          "all 50 transactions",
          walked.stopped === "refused" ? describe(walked.last) : `${found}`,
        );
    },
  ),
  row("ids.are-at-most-50", [223, 252], settledWindow, async (_, target) => {
    const ids = await someIds(target, idsMax + 1);
    if (ids.length <= idsMax) notApplicable(`no more than ${idsMax} transactions at hand`);
    const walked = await walk(target, { transactionIds: ids.join(",") });
    if (isRefusal(walked.last)) return;
    const found = idsOf(walked).size;
    if (walked.stopped !== "end")
      differ(walked.last, "a refusal of 51 ids, or at most 50 of them", describe(walked.last));
    if (found > idsMax)
      differ(walked.last, "a refusal of 51 ids, or at most 50 of them", `${found} transactions`);
  }),
];

function idsOf({ records }: Walk): Set<unknown> {
  return new Set(records.map((record) => record["transactionId"]));
}

async function expectEmpty(target: Target, query: Record<string, string>): Promise<void> {
  const walked = await walk(target, query, { rowsMax: 0, pagesMax: 20 });
  if (walked.stopped === "refused") differ(walked.last, "a page without records", describe(walked.last));
  if (walked.records.length > 0) differ(walked.last, "no record", `${walked.records.length} records`);
}

/** For what cannot select anything: whether it is refused or empty is not shown. */
async function expectNothing(target: Target, query: Record<string, string>): Promise<void> {
  const walked = await walk(target, query, { rowsMax: 0, pagesMax: 20 });
  if (walked.stopped === "refused" && isRefusal(walked.last)) return;
  const expected = "a refusal, or no record";
  if (walked.stopped === "refused") differ(walked.last, expected, describe(walked.last));
  if (walked.records.length > 0) differ(walked.last, expected, `${walked.records.length} records`);
}

/** The window again, its instants written another way; first widened to whole units of what that way can say. */
async function expectSameWindow(
  target: Target,
  unitMs: number,
  write: (iso: string) => string,
): Promise<void> {
  const { closed, ...found } = await settledWindow(target);
  const fromMs = Math.floor(found.fromMs / unitMs) * unitMs;
  const toMs = Math.ceil(found.toMs / unitMs) * unitMs;
  const given = unitMs === 1 ? found.walk : await walk(target, windowQuery({ fromMs, toMs }));
  const { startDateTime = "", endDateTime = "" } = windowQuery({ fromMs, toMs });
  const other = await walk(target, { startDateTime: write(startDateTime), endDateTime: write(endDateTime) });
  const expected = "the records that the same instants give when written with milliseconds and Z";
  if (other.stopped === "refused") differ(other.last, expected, describe(other.last));
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
