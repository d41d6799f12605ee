import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { startHttpServer } from "../support/http-server.ts";
import { type Mishaps, startTcpProxy } from "../support/tcp-proxy.ts";
import { clientFor, failure } from "./client-for.ts";

const record = { transactionId: "a", status: "new", statusDate: "2026-01-15T12:00:00.000Z", country: "é😀" };
const page = { transactions: Array.from({ length: 20 }, () => record), limit: 50, cursor: "next" };
const bodyBytes = Buffer.byteLength(JSON.stringify(page));

async function throughProxy(mishaps: Mishaps, limits = {}) {
  const server = await startHttpServer([{ body: page }]);
  const proxy = await startTcpProxy(server.port, mishaps);
  const { upstream } = clientFor(proxy.url, { attemptsMax: 1, limits });
  // The client first: a connection that it still holds would be cut under it.
  onTestFinished(async () => {
    await proxy.close();
    await server.close();
  });
  return { upstream, proxy, server };
}

describe("fault 12: the network", () => {
  test("a body in slices of 7 bytes, which cut letters in two, is read whole", async () => {
    const { upstream } = await throughProxy({ sliceBytes: 7 });
    expect(await upstream.fetchPage()).toMatchObject({ rawRecords: page.transactions, nextCursor: "next" });
  });

  test("a cut or a reset at any byte is an error that may be retried, never a shorter page", async () => {
    const { upstream, proxy } = await throughProxy({});
    const whole = await upstream.fetchPage();
    expect(whole.rawRecords).toHaveLength(20);
    // The head of this answer has some 180 bytes; from the last byte on, the answer is whole.
    const offset = fc.integer({ min: 0, max: bodyBytes });
    await fc.assert(
      fc.asyncProperty(offset, fc.constantFrom("cutAfterBytes", "resetAfterBytes"), async (bytes, how) => {
        proxy.set({ [how]: bytes });
        const fresh = clientFor(proxy.url, { attemptsMax: 1 });
        const error = await failure(fresh.upstream.fetchPage());
        expect(error).toMatchObject({ code: "connection_lost", retry: true });
      }),
      { numRuns: 60 },
    );
  });

  test("without a length and without chunks, only the JSON shows that a body was cut", async () => {
    const whole = JSON.stringify(page);
    const server = await startHttpServer((request) => ({
      misbehave: (response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: "close" });
        response.end(whole.slice(0, Number(request.query.get("limit"))));
      },
    }));
    onTestFinished(() => server.close());
    const { upstream } = clientFor(server.url, { attemptsMax: 1 });
    for (const limit of [1, 2, 10, 40]) {
      expect(await failure(upstream.fetchPage({ limit }))).toMatchObject({
        code: "body_not_json",
        retry: true,
      });
    }
  });

  test("a retry after a reset brings the page", async () => {
    const { proxy } = await throughProxy({ resetAfterBytes: 100 });
    const { upstream } = clientFor(proxy.url, { sleep: async () => proxy.set({}) });
    expect((await upstream.fetchPage()).rawRecords).toHaveLength(20);
    expect(proxy.connections).toBe(2);
  });
});

describe("fault 12: whatever is slow ends in time", () => {
  test("no answer", async () => {
    const { upstream } = await throughProxy({ stallAfterBytes: 0 }, { headersTimeoutMs: 100 });
    const error = await failure(upstream.fetchPage());
    expect(error).toMatchObject({ code: "timeout", retry: true });
    expect(error.message).toBe("GET /transactions: no answer in time");
  });

  test("a body that stops coming", async () => {
    const { upstream } = await throughProxy({ stallAfterBytes: 400 }, { bodyTimeoutMs: 100 });
    expect((await failure(upstream.fetchPage())).message).toBe("GET /transactions: the body stopped coming");
  });

  test("a body that drips, and so keeps every other timeout happy", async () => {
    const { upstream } = await throughProxy({ sliceBytes: 10, latencyMs: 20 }, { deadlineMs: 300 });
    const error = await failure(upstream.fetchPage());
    expect(error).toMatchObject({ code: "timeout", retry: true });
    expect(error.message).toContain("not complete before the deadline");
  });

  test("a caller who gives up", async () => {
    const { upstream } = await throughProxy({ stallAfterBytes: 0 });
    const error = await failure(upstream.fetchPage({}, { signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ code: "aborted", retry: false });
  });
});
