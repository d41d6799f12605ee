import { describe, expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { clientFor, emptyPage, failure, fixedNow, scripted } from "./client-for.ts";

const httpDate = (ms: number) => new Date(ms).toUTCString();

describe("a status decides what happens", () => {
  test.each([
    [400, "bad_request", false],
    [401, "unauthorized", false],
    [403, "forbidden", false],
    [404, "not_found", false],
    [408, "timeout", true],
    [410, "not_found", false],
    [422, "bad_request", false],
    [429, "rate_limited", true],
    [500, "server_error", true],
    [501, "server_error", false],
    [502, "server_error", true],
    [503, "server_error", true],
    [504, "server_error", true],
    [304, "status_unexpected", false],
  ])("%i is %s, retry: %s", async (status, code, retry) => {
    const { upstream, server } = await scripted([{ status, body: status === 304 ? "" : { message: "no" } }]);
    const error = await failure(upstream.fetchPage());
    expect(error).toMatchObject({ code, retry, status, endpoint: "GET /transactions" });
    expect(error.message).toContain(`GET /transactions: answered ${status}`);
    expect(server.requests).toHaveLength(retry ? 4 : 1);
  });

  test.each([400, 404, 409, 410, 422])(
    "fault 04: %i on a request with a cursor is a rejected cursor",
    async (status) => {
      const { upstream } = await scripted([{ status }]);
      expect(await failure(upstream.fetchPage({ cursor: "expired" }))).toMatchObject({
        code: "cursor_rejected",
      });
      expect(await failure(upstream.fetchPage({ cursor: null }))).not.toMatchObject({
        code: "cursor_rejected",
      });
    },
  );

  test("fault 13: a wrong key is said at once, and not tried again", async () => {
    const { upstream, server } = await scripted([
      { status: 401, body: { errorId: 4011, message: "API_KEY_MISSING" } },
    ]);
    const error = await failure(upstream.fetchProviders());
    expect(error.message).toBe("GET /supported/onramps/all: answered 401; API_KEY_MISSING");
    expect(server.requests).toHaveLength(1);
  });
});

describe("403 without an error of the aggregator comes from something in between", () => {
  test.each([
    ["a page", "text/html; charset=utf-8", "<html>Access denied</html>", "text/html"],
    ["plain words", "text/plain", "error code: 1020", "text/plain"],
    ["bytes that are not text", "image/png", Buffer.from([0x89, 0xff, 0x00]), "image/png"],
    ["a page that says not what it is", "", "<html>no</html>", "a body of an unnamed type"],
  ])("%s is tried again, and said", async (_, type, body, said) => {
    const page = { status: 403, headers: { "content-type": type }, body };
    const { upstream, server } = await scripted([page, page, { body: emptyPage }]);
    await upstream.fetchPage();
    expect(server.requests).toHaveLength(3);
    const lasting = await scripted([page]);
    const error = await failure(lasting.upstream.fetchPage());
    expect(error).toMatchObject({ code: "body_not_json", retry: true, status: 403 });
    expect(error.message).toBe(
      `GET /transactions: answered 403 with ${said} that is not an error of the aggregator: something in between, such as a firewall, refuses`,
    );
  });

  test.each([
    ["nothing", ""],
    ["an error", { message: "forbidden" }],
    ["JSON of another shape", { ok: false }],
  ])("%s is a refused key", async (_, body) => {
    const { upstream, server } = await scripted([{ status: 403, body }]);
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "forbidden", retry: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe("401 with a page comes from something in between", () => {
  test("a proxy's page is tried again, and said", async () => {
    const page = { status: 401, headers: { "content-type": "text/html" }, body: "<html>Log in</html>" };
    const { upstream, server } = await scripted([page, { body: emptyPage }]);
    await upstream.fetchPage();
    expect(server.requests).toHaveLength(2);
    const lasting = await scripted([page]);
    const error = await failure(lasting.upstream.fetchPage());
    expect(error).toMatchObject({ code: "body_not_json", retry: true, status: 401 });
    expect(error.message).toContain("answered 401 with text/html that is not an error of the aggregator");
  });

  test.each([
    ["nothing", ""],
    ["plain words", "Unauthorized"],
    ["an error", { message: "unknown key" }],
  ])("%s is a refused key", async (_, body) => {
    const { upstream, server } = await scripted([{ status: 401, body }]);
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "unauthorized", retry: false });
    expect(server.requests).toHaveLength(1);
  });
});

describe("an error body may have any shape", () => {
  test.each([
    [{ message: "limit too large", field: "limit" }, "limit: limit too large", "limit"],
    [[{ field: "amount", message: "missing" }], "amount: missing", "amount"],
    [{ errorCode: 40_101, errorMessage: "expired" }, "expired", null],
    [{ error: "invalid", error_description: "no such client" }, "no such client", null],
    [{ error: { message: "inner" } }, "inner", null],
    [{ errors: [{ message: "a" }, { message: "b" }] }, "a; b", null],
    ["plain words", "plain words", null],
  ])("%j", async (body, said, field) => {
    const { upstream } = await scripted([{ status: 400, body }]);
    const error = await failure(upstream.fetchSupported());
    expect(error.message).toBe(`GET /supported: answered 400; ${said}`);
    expect(error.field).toBe(field);
  });

  test.each(["", "<html>no</html>", "12", "null"])("%j says nothing", async (body) => {
    const { upstream } = await scripted([{ status: 400, body }]);
    expect((await failure(upstream.fetchSupported())).message).toBe("GET /supported: answered 400");
  });
});

describe("fault 11 and 12: retries", () => {
  test("a passing refusal is bridged, with full jitter that doubles", async () => {
    const { upstream, slept, server } = await scripted([
      { status: 503 },
      { status: 502 },
      { status: 500 },
      { body: emptyPage },
    ]);
    await upstream.fetchPage();
    expect(server.requests).toHaveLength(4);
    expect(slept).toEqual([125, 250, 500]);
  });

  test("a caller that paces itself gets the first error, with its Retry-After", async () => {
    const answer = { status: 429, headers: { "retry-after": "7" } };
    const { upstream, server } = await scripted([answer]);
    expect(await failure(upstream.fetchPage({}, { attemptsMax: 1 }))).toMatchObject({
      retryAfterMs: 7000,
      retry: true,
    });
    expect(server.requests).toHaveLength(1);
    const pacing = clientFor(server.url, { attemptsMax: 1 });
    expect(await failure(pacing.upstream.fetchPage())).toMatchObject({ code: "rate_limited" });
    expect(server.requests).toHaveLength(2);
  });

  test("a refusal whose body breaks off is still that refusal", async () => {
    const { upstream } = await scripted([
      {
        misbehave: (response) => {
          response.writeHead(429, { "retry-after": "7", "content-length": "100" });
          response.write("{", () => response.destroy());
        },
      },
    ]);
    const error = await failure(upstream.fetchPage({}, { attemptsMax: 1 }));
    expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 7000 });
  });

  test("Retry-After in seconds is waited for, and the jitter comes on top", async () => {
    const { upstream, slept } = await scripted([
      { status: 429, headers: { "retry-after": "2" } },
      { body: emptyPage },
    ]);
    await upstream.fetchPage();
    expect(slept).toEqual([2125]);
  });

  test("Retry-After as a date is measured against the server's own clock", async () => {
    const theirNow = fixedNow - 3_600_000;
    const headers = { "retry-after": httpDate(theirNow + 3000), date: httpDate(theirNow) };
    const { upstream, slept } = await scripted([{ status: 503, headers }, { body: emptyPage }]);
    await upstream.fetchPage();
    expect(slept).toEqual([3125]);
  });

  test("Retry-After as a date, from a server that does not show its clock, is measured against ours", async () => {
    const { upstream, slept } = await scripted([
      {
        misbehave: (response) => {
          response.sendDate = false;
          response.writeHead(429, { "retry-after": httpDate(fixedNow + 4000) }).end();
        },
      },
      { body: emptyPage },
    ]);
    await upstream.fetchPage();
    expect(slept).toEqual([4125]);
  });

  test.each([
    ["86400", 600_000],
    [httpDate(fixedNow + 86_400_000), 600_000],
    [httpDate(fixedNow - 5000), 0],
    // The obsolete forms: three seconds ahead of noon on 15 January 2026, the clock of these tests.
    ["Thursday, 15-Jan-26 12:00:03 GMT", 3000],
    ["Thu Jan 15 12:00:03 2026", 3000],
    // A year of two digits is never more than 50 years ahead.
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Wednesday, 15-Jan-76 12:00:03 GMT", 600_000],
    ["Saturday, 15-Jan-77 12:00:03 GMT", 0],
    ["Sun Nov  6 08:49:37 1994", 0],
    ["Thu, 31 Jun 2026 12:00:00 GMT", null],
    ["Thu, 15 Foo 2026 12:00:00 GMT", null],
    ["Thu, 15 Jan 2026 12:00:03 CET", null],
    ["Thu, 15 Jan 2026 25:00:03 GMT", null],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
  ])("Retry-After: %s is %s ms", async (value, retryAfterMs) => {
    const headers = { "retry-after": value, date: httpDate(fixedNow) };
    const { upstream } = await scripted([{ status: 429, headers }]);
    expect(await failure(upstream.fetchPage({}, { attemptsMax: 1 }))).toMatchObject({ retryAfterMs });
  });

  test("a wait of minutes is not sat out inside a call", async () => {
    const { upstream, slept, server } = await scripted([{ status: 429, headers: { "retry-after": "300" } }]);
    expect(await failure(upstream.fetchPage())).toMatchObject({ retryAfterMs: 300_000 });
    expect(slept).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  test("a checkout is never repeated", async () => {
    const { upstream, server } = await scripted([{ status: 503 }]);
    const checkout = { onramp: "banxa", source: "USD", destination: "BTC", amount: decimal(100) };
    expect(await failure(upstream.createCheckout(checkout))).toMatchObject({
      code: "server_error",
      retry: false,
    });
    expect(await failure(upstream.createCheckout(checkout, { attemptsMax: 9 }))).toMatchObject({
      retry: false,
    });
    expect(server.requests).toHaveLength(2);
  });

  test("a caller who gives up while we wait is obeyed", async () => {
    const giveUp = new AbortController();
    const { upstream, server } = await scripted([{ status: 503 }], {
      sleep: async () => giveUp.abort(),
    });
    expect(await failure(upstream.fetchPage({}, { signal: giveUp.signal }))).toMatchObject({
      code: "aborted",
    });
    expect(server.requests).toHaveLength(1);
  });
});
