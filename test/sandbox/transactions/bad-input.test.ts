import { describe, expect, test } from "vitest";
import { aLedger } from "../ledger/a-ledger.ts";
import { ask, authorised, inText, pageOf, setUp } from "./some-answers.ts";

const { answers } = setUp({ ledger: aLedger({ transactions: 200 }) });
const ids = (count: number) => Array.from({ length: count }, (_, at) => `id${at}`).join(",");

describe("GET /transactions refuses", () => {
  test.each([
    [{ limit: "0" }, "limit"],
    [{ limit: "-1" }, "limit"],
    [{ limit: "51" }, "limit"],
    [{ limit: "abc" }, "limit"],
    [{ limit: "1.5" }, "limit"],
    [{ limit: "1e1" }, "limit"],
    [{ transactionIds: ids(51) }, "transactionIds"],
    [{ transactionIds: "a,,b" }, "transactionIds"],
    [{ startDateTime: "yesterday" }, "startDateTime"],
    [{ startDateTime: "2024-02-30T00:00:00Z" }, "startDateTime"],
    [{ startDateTime: "20240501 000000Z" }, "startDateTime"],
    [{ startDateTime: "24-05-01" }, "startDateTime"],
    [{ endDateTime: "1" }, "endDateTime"],
    [{ startDateTime: "2024-05-02T00:00:00Z", endDateTime: "2024-05-01T00:00:00Z" }, "endDateTime"],
    [{ cursor: "nonsense" }, "cursor"],
    [{ cursor: "%%%" }, "cursor"],
  ])("%j, naming the parameter", (query, field) => {
    const { status, body } = ask(answers, query);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ field, message: expect.stringContaining(field) });
  });

  test("a cursor in which one letter was changed", () => {
    const { cursor } = pageOf(ask(answers, { limit: "5" }));
    const changed = `${cursor!.slice(0, 8)}${cursor!.charAt(8) === "A" ? "B" : "A"}${cursor!.slice(9)}`;
    expect(ask(answers, { limit: "5", cursor: changed }).status).toBe(400);
  });

  test("a missing or wrong key or secret, before anything else is looked at", () => {
    const fresh = setUp({ ledger: aLedger({ transactions: 200 }) }).answers;
    expect(fresh.list({ authorization: undefined, serviceSecret: undefined, query: "" }).status).toBe(401);
    const requests = [
      { authorization: undefined, serviceSecret: undefined },
      { ...authorised, authorization: undefined },
      { ...authorised, authorization: "pk_other" },
      { ...authorised, authorization: "Bearer pk_sandbox" },
      { ...authorised, serviceSecret: undefined },
      { ...authorised, serviceSecret: "sk_other" },
    ];
    for (const request of requests) {
      const refused = inText(answers.list({ ...request, query: "limit=abc" }));
      expect(refused.status).toBe(401);
      expect(JSON.parse(refused.body)).toHaveProperty("message");
      expect(answers.single({ ...request, query: "" }, "any").status).toBe(401);
    }
  });
});

test("an unknown transaction is not found", () => {
  const { status, body } = inText(answers.single({ ...authorised, query: "" }, "01HD670DNG2MNSDS4XGJ1EESV7"));
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ type: "NOT_FOUND" });
});

test("50 ids, an empty window and empty parameters are fine", () => {
  expect(pageOf(ask(answers, { transactionIds: ids(50) })).transactions).toEqual([]);
  const instant = "2024-05-01T00:00:00Z";
  expect(pageOf(ask(answers, { startDateTime: instant, endDateTime: instant })).transactions).toEqual([]);
  expect(pageOf(ask(answers, { cursor: "", startDateTime: "", limit: "" })).limit).toBe(50);
});
