import { expect, onTestFinished, test } from "vitest";
import { secret } from "../src/core/secret.ts";
import { createTracer } from "../src/trace.ts";
import { type ScriptedServer, startHttpServer } from "./support/http-server.ts";

interface Span {
  name: string;
  spanId: string;
  parentSpanId?: string;
  status?: { code: number };
}

function spansOf({ requests }: ScriptedServer): Span[] {
  return requests.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
    };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });
}

function aTracer(endpoint: string) {
  const warnings: object[] = [];
  const settings = { endpoint, headers: secret("authorization=Bearer%20hidden-key"), serviceName: "tieout" };
  const tracer = createTracer(settings, {
    now: Date.now,
    version: "1.2.3",
    warn: (fields) => warnings.push(fields),
  });
  return { tracer, warnings };
}

test("what happens inside a span is part of it, at once or side by side, and a failure is marked", async () => {
  const collector = await startHttpServer(() => ({ body: {} }));
  onTestFinished(() => collector.close());
  const { tracer } = aTracer(collector.url);
  const outer = (name: string) =>
    tracer.span(name, { account: "acme" }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      tracer.note(`request of ${name}`, { begunMs: 1, endedMs: 2 }, {}, false);
    });
  await Promise.all([outer("one"), outer("other")]);
  const failing = tracer.span("failing", {}, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  await tracer.close();
  const spans = spansOf(collector);
  for (const name of ["one", "other"]) {
    const { spanId } = spans.find((span) => span.name === name) ?? {};
    expect(spans.find((span) => span.name === `request of ${name}`)?.parentSpanId).toBe(spanId);
  }
  expect(spans.find(({ name }) => name === "failing")?.status).toEqual({ code: 2 });
  expect(collector.requests[0]?.headers.authorization).toBe("Bearer hidden-key");
});

test("a collector that refuses or is gone costs a warning without the key, and memory has a bound", async () => {
  const collector = await startHttpServer([{ status: 401 }]);
  const { tracer, warnings } = aTracer(collector.url);
  await tracer.span("refused", {}, async () => undefined);
  await tracer.close();
  await collector.close();
  const { tracer: gone, warnings: more } = aTracer(collector.url);
  for (let n = 0; n < 10_000; n++) gone.note("lost", { begunMs: 1, endedMs: 2 }, {}, false);
  await gone.close();
  expect(warnings).toEqual([{ event: "traces_not_taken", status: 401, count: 1 }]);
  expect(more).toContainEqual({ event: "traces_dropped", count: 10_000 - 4_096 });
  expect(JSON.stringify([warnings, more])).not.toContain("hidden");
});
