import { z } from "zod";
import { differ, group, notApplicable, row } from "../check.ts";
import { findWindow, someIds } from "../history.ts";
import { body, describe, isObject, isSuccess, type Json, show } from "../rules.ts";
import { lowerCase, statusDate, transactionTexts } from "../shapes.ts";
import { secretRows } from "../shared-rows.ts";
import type { Answer, Target } from "../target.ts";
import { walk } from "../walk.ts";
import { transactionFieldRows } from "./transaction-fields.ts";
import { transactionPageRows } from "./transaction-pages.ts";
import { transactionSelectionRows } from "./transaction-selection.ts";

export const transactions = group({ name: "transactions", endpoint: "GET /transactions" }, [
  ...secretRows(async () => ({ path: "/transactions" }), 216),
  ...transactionPageRows,
  ...transactionSelectionRows,
  ...transactionFieldRows,
]);

const record = z.looseObject({
  ...transactionTexts,
  country: lowerCase,
  inAmount: z.number(),
  outAmount: z.number(),
  sourceCurrency: lowerCase,
  targetCurrency: lowerCase,
  transactionType: z.enum(["buy", "sell"]),
  transactionHash: z.string(),
});

export const transaction = group({ name: "transaction", endpoint: "GET /transactions/{transactionId}" }, [
  ...secretRows(async (target) => ({ path: await pathOfOne(target) }), 214),
  row(
    "not-wrapped",
    [16, 215],
    askOne,
    body(z.looseObject({ transactionId: z.string(), status: z.string() }), "a record, not wrapped"),
  ),
  row("is-the-one-asked", [215], readOne, ({ answer, json, id }) => {
    if (json["transactionId"] !== id) differ(answer, `transaction ${id}`, show(json["transactionId"]));
  }),
  row("record-fields", [215], readOne, ({ answer }) =>
    body(record, "every field of a Transaction record")(answer),
  ),
  row("status-date-has-milliseconds-and-z", [121], readOne, ({ answer }) =>
    body(z.looseObject({ statusDate }), "`statusDate` as 2026-01-31T12:00:00.000Z")(answer),
  ),
  row("agrees-with-the-list", [215], readOne, async ({ answer, json, id }, target) => {
    const { closed } = await findWindow(target);
    const { records } = await walk(target, { transactionIds: id });
    const listed = records.filter((one) => one["transactionId"] === id);
    if (listed.length === 0) notApplicable("the list does not give the transaction; see transactions.ids");
    if (listed.some((one) => agreeing.every((name) => one[name] === json[name]))) return;
    if (!closed) notApplicable("the account has only recent transactions, which still move");
    const seen = show(Object.fromEntries(agreeing.map((name) => [name, json[name]])));
    differ(answer, `one of the ${listed.length} records that the list gives`, seen);
  }),
  row("unknown-id-gives-no-record", [215], readOne, async (_, target) => {
    const answer = await target.ask({ path: "/transactions/conformance-no-such-transaction" });
    // Neither status nor body of an error is shown; but a record here would belong to another transaction, or to none.
    if (isSuccess(answer) && isObject(answer.json) && "transactionId" in answer.json)
      differ(answer, "no record for an id that does not exist", "a record");
    if (answer.status >= 500) differ(answer, "no record for an id that does not exist", describe(answer));
  }),
]);

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
  "walletAddress",
];

async function pathOfOne(target: Target): Promise<string> {
  const [id = ""] = await someIds(target, 51);
  return `/transactions/${encodeURIComponent(id)}`;
}

async function askOne(target: Target): Promise<Answer> {
  return target.ask({ path: await pathOfOne(target) });
}

async function readOne(target: Target): Promise<{ answer: Answer; json: Json; id: string }> {
  const answer = await askOne(target);
  if (!isSuccess(answer) || !isObject(answer.json) || !("transactionId" in answer.json))
    notApplicable(`${answer.request} gave no record to judge by`);
  return { answer, json: answer.json, id: (await someIds(target, 51))[0] ?? "" };
}
