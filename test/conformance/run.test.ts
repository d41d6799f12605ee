import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { formatHtmlReport } from "../../src/conformance/report-html.ts";
import { formatReport } from "../../src/conformance/report-text.ts";
import {
  type ConformanceOptions,
  type ConformanceReport,
  conformanceGroups,
  runConformance,
} from "../../src/conformance/run.ts";
import { statement, statements } from "../../src/conformance/statements.ts";
import { openTarget } from "../../src/conformance/target.ts";
import { credentials, nowMs, otherCredentials, startGoodServer } from "./good-server.ts";
import { type Fault, startWrongServer, type WireRequest } from "./wrong-server.ts";

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startGoodServer();
});
afterAll(() => sandbox.close());

describe("a run", () => {
  test("passes the sandbox on both surfaces, writes included", async () => {
    const told: string[] = [];
    const report = await run({
      allowWrites: true,
      other: otherCredentials,
      onResult: ({ id }) => told.push(id),
    });
    expect(namesOf(report, "differ")).toEqual([]);
    expect(namesOf(report, "not-applicable")).toEqual([]);
    expect(report.statements).toEqual({ kept: 248, broken: 0, notJudged: 6 });
    expect(told.toSorted()).toEqual(report.results.map(({ id }) => id).toSorted());
  });

  // Limits in another money move with every price, and what a unit is worth differs by a factor of a hundred.
  test.each(["JP", "DE"])("passes while prices move, to a caller in %s", async (defaultCountry) => {
    const world = { port: 0, now: Date.now, live: true, seed: "x", transactions: 2_000, defaultCountry };
    const moving = await startSandbox({ ...world, ...credentials });
    try {
      const where = { baseUrl: moving.url, legacyBaseUrl: moving.legacyUrl };
      const report = await run({ ...where, now: Date.now, allowWrites: true });
      expect(report.results.filter(({ outcome }) => outcome.verdict === "differ")).toEqual([]);
      expect(report.counts.pass).toBeGreaterThan(300);
    } finally {
      await moving.close();
    }
  });

  test("only reads unless writes are allowed", async () => {
    const { report, requests } = await watched({});
    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
    const idle = report.results.filter(({ group }) => group === "checkout" || group === "steps");
    expect(new Set(idle.map(({ outcome }) => JSON.stringify(outcome)))).toEqual(
      new Set(['{"verdict":"not-applicable","why":"writes; needs --allow-writes"}']),
    );
  });

  test("leaves the legacy surface alone when it has no address of it", async () => {
    const { legacyBaseUrl: _none, ...rest } = options({ only: ["gateways"] });
    const report = await runConformance(rest);
    expect(namesOf(report, "not-applicable")).toEqual(report.results.map(({ id }) => id));
  });

  test("passes an account without transactions", async () => {
    const empty = await startGoodServer(0);
    try {
      const report = await run({ baseUrl: empty.url, only: ["transactions", "transaction"] });
      expect(namesOf(report, "differ")).toEqual([]);
      expect(namesOf(report, "pass")).toContain("transactions.secret.is-required");
    } finally {
      await empty.close();
    }
  });

  test("sends the secret to the endpoints that carry it and to no other", async () => {
    const { requests } = await watched({ allowWrites: true });
    const told = requests.filter(({ headers }) => headers["x-service-secret"] === credentials.apiSecret);
    expect(told.filter(({ path }) => !path.startsWith("/transactions"))).toEqual([]);
    expect(told.length).toBeGreaterThan(0);
  });

  test("tells neither key nor secret, even when the server repeats them", async () => {
    const { report } = await watched(
      { only: ["transactions", "supported"] },
      {
        serve: async ({ headers }) => ({
          status: 200,
          text: JSON.stringify({ cursor: Object.values(headers) }),
        }),
      },
    );
    const printed = JSON.stringify(report) + formatReport(report);
    expect(printed).toContain("•••");
    expect(printed).not.toContain(credentials.apiKey);
    expect(printed).not.toContain(credentials.apiSecret);
  });

  test("waits when it is asked to", async () => {
    const asked = new Set<string>();
    const { report } = await watched(
      { only: ["supported"] },
      {
        serve: async (request, forward) => {
          const question = `${request.path}?${request.query.toString()}`;
          if (asked.has(question)) return forward(request);
          asked.add(question);
          return { status: 429, text: "", headers: { "retry-after": "0" } };
        },
      },
    );
    expect(namesOf(report, "differ")).toEqual([]);
    expect(namesOf(report, "not-applicable")).toEqual([]);
  });

  test("reports a connection that breaks as a difference of that check", async () => {
    const { report } = await watched(
      { only: ["supported"] },
      {
        serve: async ({ query }) => {
          if (query.has("type")) throw new Error("reset");
          return { status: 200, text: "{}" };
        },
      },
    );
    const broken = report.results.find(({ id }) => id === "supported.type.sell-is-accepted");
    expect(broken?.outcome).toMatchObject({ verdict: "differ", expected: "an answer" });
  });

  test("names the groups there are when asked for another", async () => {
    await expect(run({ only: ["transaction", "refunds"] })).rejects.toMatchObject({
      code: "unknown_group",
      message: `no group refunds; the groups are ${conformanceGroups.join(", ")}`,
    });
  });

  test("does not begin when nobody answers", async () => {
    await expect(run({ baseUrl: "http://127.0.0.1:9" })).rejects.toMatchObject({ code: "unreachable" });
    await expect(run({ baseUrl: "127.0.0.1:9" })).rejects.toMatchObject({ code: "bad_address" });
  });
});

test("a step that leads to another host does not take the key there", async () => {
  const seen: WireRequest[] = [];
  const other = await startWrongServer(good(), watching(seen));
  const target = openTarget(options({}));
  try {
    await target.ask({ surface: "absolute", path: `${other.origin}/supported` });
    expect(seen.map(({ headers }) => headers)).toEqual([{}]);
  } finally {
    await target.close();
    await other.close();
  }
});

describe("the report", () => {
  const about = [statement(4), statement(172)];
  const report: ConformanceReport = {
    baseUrl: "http://127.0.0.1:1",
    legacyBaseUrl: null,
    startedAt: "2026-03-15T12:00:00.000Z",
    durationMs: 1234,
    counts: { pass: 1, differ: 1, notApplicable: 1 },
    statements: { kept: 200, broken: 2, notJudged: 52 },
    results: [
      { group: "supported", about, id: "supported.a", outcome: { verdict: "pass" } },
      {
        group: "supported",
        about,
        id: "supported.longer",
        outcome: {
          verdict: "differ",
          request: "GET /supported?a=1&b=<2>",
          expected: "JSON",
          seen: "<script>",
        },
      },
      {
        group: "supported",
        about,
        id: "supported.b",
        outcome: { verdict: "not-applicable", why: "no data" },
      },
    ],
  };

  test("in text shows a difference with what the specification says, and why a check does not apply", () => {
    expect(formatReport(report)).toBe(`GET /supported
  pass    supported.a
  DIFFER  supported.longer
            says      General rules: bodies are JSON in both directions (4)
            says      GET /supported: the answer has crypto and fiat (172)
            asked     GET /supported?a=1&b=<2>
            expected  JSON
            seen      <script>
  n/a     supported.b       no data

200 statements of the specification kept, 2 broken, 52 not judged
http://127.0.0.1:1: 1 pass, 1 differ, 1 not applicable, in 1.2 s
`);
  });

  test("as a page can be attached to a ticket: one file, nothing that runs, nothing that is fetched", () => {
    const page = formatHtmlReport(report);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("<title>Conformance of http://127.0.0.1:1: 1 differ</title>");
    expect(page).toContain("<code>GET /supported?a=1&amp;b=&lt;2&gt;</code>");
    expect(page).toContain("<code>&lt;script&gt;</code>");
    expect(page).not.toMatch(/<script|<link|<img|\bsrc=|\bhref=|@import|url\(/);
    for (const { number, uncheckable } of statements.filter((one) => one.uncheckable !== null))
      expect(page).toContain(`(${number}): ${uncheckable}`);
  });
});

function options(more: Partial<ConformanceOptions>): ConformanceOptions {
  const { url, legacyUrl } = sandbox;
  return {
    baseUrl: url,
    legacyBaseUrl: legacyUrl,
    ...credentials,
    allowWrites: false,
    now: () => nowMs,
    ...more,
  };
}

const run = (more: Partial<ConformanceOptions>) => runConformance(options(more));

function good() {
  return { origin: sandbox.url, memory: new Map() };
}

/** A run through a proxy that writes down what it is asked. */
async function watched(more: Partial<ConformanceOptions>, fault: Partial<Fault> = {}) {
  const requests: WireRequest[] = [];
  const server = await startWrongServer(good(), { ...watching(requests), ...fault });
  try {
    const report = await run({ baseUrl: server.origin, legacyBaseUrl: `${server.origin}/legacy`, ...more });
    return { report, requests };
  } finally {
    await server.close();
  }
}

function watching(requests: WireRequest[]): Fault {
  const ask = (request: WireRequest) => requests.push({ ...request, headers: { ...request.headers } });
  return { name: "none", reports: [], at: /./, ask };
}

function namesOf(report: ConformanceReport, verdict: string): string[] {
  return report.results.filter(({ outcome }) => outcome.verdict === verdict).map(({ id }) => id);
}
