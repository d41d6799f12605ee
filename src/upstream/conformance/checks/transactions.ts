import { z } from "zod";
import { secretIsRequired } from "../authorization.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectShape, expectThat, isObject, isSuccess, show } from "../expect.ts";
import { findWindow, someIds } from "../history.ts";
import { statusDate, transactionRecord } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";
import { walk } from "../walk.ts";
import { transactionFieldChecks } from "./transaction-fields.ts";
import { transactionPageChecks } from "./transaction-pages.ts";
import { transactionSelectionChecks } from "./transaction-selection.ts";

export const transactions: CheckGroup = {
  name: "transactions",
  endpoint: "GET /transactions",
  surface: "current",
  writes: false,
  checks: [
    ...secretIsRequired("transactions", async () => ({ path: "/transactions" })),
    ...transactionPageChecks,
    ...transactionSelectionChecks,
    ...transactionFieldChecks,
  ],
};

const response = "Response: a Transaction record (not wrapped).";

const singleChecks: readonly Check[] = [
  ...secretIsRequired("transaction", async (target) => ({ path: await pathOfOne(target) })),
  {
    id: "transaction.not-wrapped",
    sentence: response,
    async run(target) {
      const answer = await target.ask({ path: await pathOfOne(target) });
      expectShape(
        answer,
        z.looseObject({ transactionId: z.string(), status: z.string() }),
        "a record, not wrapped",
      );
    },
  },
  {
    id: "transaction.is-the-one-asked",
    sentence: response,
    async run(target) {
      const { answer, record, id } = await readOne(target);
      const seen = record["transactionId"];
      expectThat(answer, seen === id, { expected: `transaction ${id}`, seen: show(seen) });
    },
  },
  {
    id: "transaction.record-fields",
    sentence: response,
    async run(target) {
      const { answer } = await readOne(target);
      // The status date has a check of its own.
      const shape = transactionRecord.omit({ statusDate: true });
      expectShape(answer, shape, "every field of a Transaction record");
    },
  },
  {
    id: "transaction.status-date-has-milliseconds-and-z",
    sentence: "| statusDate | string | ISO 8601 timestamp with milliseconds and Z |",
    async run(target) {
      const { answer } = await readOne(target);
      expectShape(answer, z.looseObject({ statusDate }), "`statusDate` as 2026-01-31T12:00:00.000Z");
    },
  },
  {
    id: "transaction.agrees-with-the-list",
    sentence: "Read the transaction records of the calling account, singly or as a filtered, paged list.",
    async run(target) {
      const { answer, record, id } = await readOne(target);
      const { closed } = await findWindow(target);
      const { records } = await walk(target, { transactionIds: id });
      const listed = records.filter((one) => one["transactionId"] === id);
      if (listed.length === 0) notApplicable("the list does not give the transaction; see transactions.ids");
      const fits = listed.some((one) => agreeing.every((name) => one[name] === record[name]));
      if (!fits && !closed) notApplicable("the account has only recent transactions, which still move");
      expectThat(answer, fits, {
        expected: `one of the ${listed.length} records that the list gives`,
        seen: show(Object.fromEntries(agreeing.map((name) => [name, record[name]]))),
      });
    },
  },
  {
    id: "transaction.unknown-id-gives-no-record",
    sentence: response,
    async run(target) {
      await readOne(target);
      const id = "conformance-no-such-transaction";
      const answer = await target.ask({ path: `/transactions/${id}` });
      // Neither status nor body of an error is shown; but a record here would be somebody else's, or nobody's.
      expectThat(answer, !(isSuccess(answer) && isObject(answer.json) && "transactionId" in answer.json), {
        expected: "no record for an id that does not exist",
        seen: "a record",
      });
    },
  },
];

/** What list and single answer cannot disagree in. Optional fields may differ, and are not compared. */
const agreeing = [
  "status",
  "statusDate",
  "onramp",
  "transactionType",
  "sourceCurrency",
  "targetCurrency",
  "inAmount",
  "outAmount",
  "transactionHash",
];

async function pathOfOne(target: Target): Promise<string> {
  const [id = ""] = await someIds(target, 51);
  return `/transactions/${encodeURIComponent(id)}`;
}

async function readOne(
  target: Target,
): Promise<{ answer: Answer; record: Record<string, unknown>; id: string }> {
  const answer = await target.ask({ path: await pathOfOne(target) });
  if (!isSuccess(answer) || !isObject(answer.json) || !("transactionId" in answer.json))
    notApplicable(`${answer.request} gave no record to judge by`);
  return { answer, record: answer.json, id: (await someIds(target, 51))[0] ?? "" };
}

export const transaction: CheckGroup = {
  name: "transaction",
  endpoint: "GET /transactions/{transactionId}",
  surface: "current",
  writes: false,
  checks: singleChecks,
};
