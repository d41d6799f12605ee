import { expect, onTestFinished, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import { aKey } from "../api/an-api.ts";
import { startHttpServer } from "../support/http-server.ts";
import { runTieout, startTieout, withDataDir } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openFrozenSandbox } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

const database = useTestDatabase();

test("workers say on a port of their own how they are, and every line of a run carries its ids", async () => {
  const opened = await openFrozenSandbox({ transactions: 100 });
  await withDataDir(async (dataDir) => {
    const running = startTieout(["work"], {
      ...reading(opened, dataDir),
      LOG_LEVEL: "debug",
      WORK_PORT: "0",
    });
    try {
      const [, url = ""] = await running.says(/Health and figures: (\S+)\/readyz/);
      await running.says(/^Ready\. Stop with Ctrl-C\.$/m);
      expect(await (await fetch(`${url}/livez`)).json()).toEqual({ status: "alive" });
      await waitFor("it is ready", async () => (await fetch(`${url}/readyz`)).status === 200);

      // The same gate as that of the API, and nothing of the API behind it.
      expect((await fetch(`${url}/metrics`)).status).toBe(401);
      expect((await fetch(`${url}/v1/transactions`)).status).toBe(404);
      const key = await aKey(database.db, "admin");
      await waitFor("pages were read", async () => {
        const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
        expect(answer.status).toBe(200);
        return /^tieout_pages_recorded_total\{.*\} [1-9]/m.test(await answer.text());
      });

      const pages = linesOf(running.output().stderr).filter((line) => line["event"] === "page_recorded");
      expect(pages.length).toBeGreaterThan(0);
      for (const line of pages) {
        expect(line).toMatchObject({ job: expect.any(String), attempt: expect.any(Number) });
        expect(line["job_id"]).toBeTruthy();
      }
    } finally {
      expect((await running.stop()).stderr).toContain("Stopped.");
    }
  });
});

test("a trace leads from the job over the request to the page that was kept", async () => {
  const opened = await openFrozenSandbox({ transactions: 20 });
  const collector = await startHttpServer(() => ({ body: {} }));
  onTestFinished(() => collector.close());
  await withDataDir(async (dataDir) => {
    const running = startTieout(["work"], {
      ...reading(opened, dataDir),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=finance",
    });
    const traced = () => collector.requests.flatMap(({ body }) => spansOf(body));
    try {
      await waitFor("a page is traced", () => traced().some(({ name }) => name === "record page"));
    } finally {
      expect((await running.stop()).stderr).toContain("Stopped.");
    }
    // What was under way is sent at the end, too.
    const spans = traced();
    const page = spans.find(({ name }) => name === "record page");
    const job = spans.find(({ spanId }) => spanId === page?.parentSpanId);
    expect(job?.name).toBe("job walk");
    expect(spans.filter(({ traceId }) => traceId === page?.traceId).map(({ name }) => name)).toContain(
      "GET /transactions",
    );
    expect(collector.requests[0]?.headers["x-team"]).toBe("finance");
    expect(JSON.stringify(collector.requests)).not.toMatch(/sk_sandbox|pk_sandbox/);
  });
});

test("a port of theirs that is taken is said by its name", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 1 });
  await withDataDir(async (dataDir) => {
    const { code, stderr } = await runTieout(["work"], {
      DATABASE_URL: database.url.reveal(),
      TIEOUT_DATA_DIR: dataDir,
      WORK_PORT: new URL(sandbox.url).port,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/port \d+ is taken: .* set WORK_PORT to another/);
  });
});

type Opened = Awaited<ReturnType<typeof openFrozenSandbox>>;

function reading({ sandbox, fromMs }: Opened, dataDir: string): Record<string, string> {
  return {
    DATABASE_URL: database.url.reveal(),
    TIEOUT_DATA_DIR: dataDir,
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: "pk_sandbox",
    UPSTREAM_API_SECRET: "sk_sandbox",
    SYNC_START: formatInstant(fromMs),
  };
}

function linesOf(stderr: string): Record<string, unknown>[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

function spansOf(body: string): Span[] {
  const request = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
  return request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}
