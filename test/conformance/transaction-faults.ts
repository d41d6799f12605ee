import { asText, type Change, list, setting } from "./changes.ts";
import { credentials } from "./good-server.ts";
import type { Fault, Json, WireRequest } from "./wrong-server.ts";

const page = /^\/transactions$/;
const single = /^\/transactions\/./;

/** Wrong things of the way to /transactions and through its pages. */
export const transactionFaults: readonly Fault[] = [
  ...[
    { group: "transactions", at: page },
    { group: "transaction", at: single },
  ].flatMap(({ group, at }) => [
    header({ name: `${group} needs no key`, group, at, header: "authorization", when: "missing" }),
    header({ name: `${group} takes any key`, group, at, header: "authorization", when: "wrong" }),
    header({ name: `${group} needs no secret`, group, at, header: "x-service-secret", when: "missing" }),
    header({ name: `${group} takes any secret`, group, at, header: "x-service-secret", when: "wrong" }),
  ]),
  {
    name: "the page is wrapped",
    at: page,
    answer: (json) => ({ message: json }),
    reports: ["transactions.not-wrapped"],
  },
  {
    name: "the default limit is 20",
    at: page,
    ask: ({ query }) => query.has("limit") || query.set("limit", "20"),
    reports: ["transactions.limit.default-is-50"],
  },
  {
    name: "the limit asked for is not echoed",
    at: page,
    answer: setting({ limit: 50 }),
    reports: ["transactions.limit.echoes-1", "transactions.limit.echoes-7"],
  },
  {
    name: "the limit is echoed as text",
    at: page,
    answer: asText("limit"),
    reports: [
      "transactions.limit.default-is-50",
      "transactions.limit.echoes-1",
      "transactions.limit.echoes-7",
      "transactions.limit.echoes-50",
    ],
  },
  {
    name: "a limit above 50 is granted",
    at: page,
    serve: async (request, forward) => {
      const asked = Number(request.query.get("limit"));
      if (!(asked > 50)) return forward(request);
      request.query.set("limit", "50");
      const reply = await forward(request);
      return { ...reply, text: JSON.stringify({ ...(JSON.parse(reply.text) as Json), limit: asked }) };
    },
    reports: ["transactions.limit.is-at-most-50"],
  },
  {
    name: "a limit that is not a number breaks the server",
    at: page,
    serve: async (request, forward) =>
      Number.isNaN(Number(request.query.get("limit"))) ? { status: 500, text: "oops" } : forward(request),
    reports: ["transactions.limit.is-an-integer"],
  },
  {
    name: "a page holds one record more than its limit",
    at: page,
    answer: (json) => ({
      ...json,
      transactions: [...list(json["transactions"]), ...list(json["transactions"]).slice(0, 1)],
    }),
    reports: ["transactions.limit.bounds-the-page", "transactions.cursor.keeps-the-limit"],
  },
  {
    name: "cursors are numbers",
    at: page,
    answer: setting({ cursor: 17 }),
    reports: ["transactions.cursor.is-a-string", "transactions.cursor.loses-nothing"],
  },
  {
    name: "the cursor is ignored",
    at: page,
    ask: ({ query }) => query.delete("cursor"),
    reports: ["transactions.cursor.reaches-an-end"],
  },
  {
    name: "the second page is the first again",
    at: page,
    serve: async (request, forward) => {
      const reply = await forward(request);
      if (!request.query.has("cursor") || reply.status >= 300) return reply;
      request.query.delete("cursor");
      const first = JSON.parse((await forward(request)).text) as Json;
      const { cursor } = JSON.parse(reply.text) as Json;
      return { ...reply, text: JSON.stringify({ ...first, cursor }) };
    },
    reports: [
      "transactions.cursor.moves-on",
      "transactions.cursor.loses-nothing",
      "transactions.window.halves-make-the-whole",
    ],
  },
  {
    name: "a start is required",
    at: page,
    serve: async (request, forward) =>
      request.query.has("startDateTime")
        ? forward(request)
        : { status: 400, text: '{"message":"startDateTime?"}' },
    reports: ["transactions.not-wrapped", "transactions.all-parameters-are-optional"],
  },
  {
    name: "the last page leads back to the first",
    at: page,
    serve: async (request, forward) => {
      if (request.query.get("cursor") === "again") request.query.delete("cursor");
      const reply = await forward(request);
      if (reply.status >= 300) return reply;
      const json = JSON.parse(reply.text) as Json;
      return { ...reply, text: JSON.stringify({ ...json, cursor: json["cursor"] || "again" }) };
    },
    reports: ["transactions.cursor.reaches-an-end"],
  },
  {
    name: "a cursor is refused",
    at: page,
    serve: async (request, forward) =>
      request.query.has("cursor") ? { status: 400, text: '{"message":"no such cursor"}' } : forward(request),
    reports: ["transactions.cursor.reaches-an-end"],
  },
  {
    name: "the first record of every further page is lost",
    at: page,
    answer: (json, { query }) =>
      query.has("cursor") ? { ...json, transactions: list(json["transactions"]).slice(1) } : json,
    reports: ["transactions.cursor.loses-nothing", "transactions.window.halves-make-the-whole"],
  },
  {
    name: "the same question is answered with less the second time",
    at: page,
    answer: secondTime((json) => ({ ...json, transactions: list(json["transactions"]).slice(1) })),
    reports: ["transactions.cursor.walks-alike-twice"],
  },
  ignored("startDateTime", ["transactions.window.starts"]),
  ignored("endDateTime", ["transactions.window.ends", "transactions.cursor.reaches-an-end"]),
  {
    name: "offsets of times are ignored",
    at: page,
    ask: ({ query }) => {
      for (const name of ["startDateTime", "endDateTime"]) {
        const value = query.get(name);
        if (value !== null) query.set(name, value.replace("+02:00", "Z"));
      }
    },
    reports: ["transactions.window.takes-an-offset"],
  },
  {
    name: "times need milliseconds",
    at: page,
    serve: async (request, forward) =>
      /:\d\dZ$/.test(request.query.get("startDateTime") ?? "")
        ? { status: 400, text: "{}" }
        : forward(request),
    reports: ["transactions.window.milliseconds-may-be-left-out"],
  },
  ignored("transactionIds", [
    "transactions.ids.select",
    "transactions.ids.one-is-enough",
    "transactions.ids.fifty-are-accepted",
    "transactions.ids.are-at-most-50",
  ]),
  {
    name: "the last id asked for is dropped",
    at: page,
    ask: ({ query }) => {
      const ids = query.get("transactionIds")?.split(",") ?? [];
      if (ids.length > 1) query.set("transactionIds", ids.slice(0, -1).join(","));
    },
    reports: ["transactions.ids.are-all-found", "transactions.ids.fifty-are-accepted"],
  },
  {
    name: "any number of ids is answered",
    at: page,
    serve: async (request, forward) => {
      const ids = request.query.get("transactionIds")?.split(",") ?? [];
      if (ids.length <= 50) return forward(request);
      const replies = await Promise.all(
        ids.map((id) => forward({ ...request, query: new URLSearchParams({ transactionIds: id }) })),
      );
      const transactions = replies.flatMap(({ text }) =>
        list((JSON.parse(text) as Json)["transactions"]).slice(0, 1),
      );
      return { status: 200, text: JSON.stringify({ transactions, limit: 50 }) };
    },
    reports: ["transactions.ids.are-at-most-50"],
  },
];

function header(fault: {
  name: string;
  group: string;
  at: RegExp;
  header: "authorization" | "x-service-secret";
  when: "missing" | "wrong";
}): Fault {
  const right = fault.header === "authorization" ? credentials.apiKey : credentials.apiSecret;
  const part = fault.header === "authorization" ? "key" : "secret";
  const ask = ({ headers }: WireRequest) => {
    if ((headers[fault.header] === undefined) === (fault.when === "missing")) headers[fault.header] = right;
  };
  const check = fault.when === "missing" ? "is-required" : "must-be-right";
  return {
    name: fault.name,
    at: fault.at,
    ask,
    reports: [`${fault.group}.${part}.${check}`],
  };
}

function ignored(parameter: string, reports: readonly string[]): Fault {
  const ask = ({ query }: WireRequest) => query.delete(parameter);
  return { name: `${parameter} is ignored`, at: page, ask, reports };
}

function secondTime(change: Change): (json: Json, request: WireRequest) => unknown {
  const asked = new Set<string>();
  return (json, { query }) => {
    const question = query.toString();
    if (asked.has(question)) return change(json);
    asked.add(question);
    return json;
  };
}
