import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { clientFor, emptyPage, failure, scripted } from "./client-for.ts";
import { startHttpServer } from "../support/http-server.ts";

describe("fault 10: a body that is not an answer", () => {
  const once = { attemptsMax: 1 };

  test.each([
    ["HTML with 200", "<html><body>maintenance</body></html>"],
    ["nothing", ""],
    ["half a page", '{"transactions":[{"transactionId":"01'],
    ["NaN", '{"transactions":[{"inAmount":NaN}]}'],
  ])("%s: not JSON, may be tried again, its beginning is kept", async (_, body) => {
    const { upstream } = await scripted([{ body }]);
    const error = await failure(upstream.fetchPage({}, once));
    expect(error).toMatchObject({ code: "body_not_json", retry: true, status: 200, detail: body });
  });

  test("is asked for again, and the whole one is taken", async () => {
    const { upstream } = await scripted([
      { body: "<html>" },
      { body: '{"transactions"' },
      { body: emptyPage },
    ]);
    expect(await upstream.fetchPage()).toMatchObject({ rawRecords: [] });
  });

  test("a byte order mark before the JSON is not a fault", async () => {
    const { upstream } = await scripted([{ body: `\uFEFF${JSON.stringify(emptyPage)}` }]);
    expect(await upstream.fetchPage({}, once)).toMatchObject({ rawRecords: [] });
  });

  test("bytes that are not UTF-8 are not guessed at", async () => {
    const body = Buffer.concat([
      Buffer.from('{"transactions":[{"country":"'),
      Buffer.from([0xff]),
      Buffer.from('"}]}'),
    ]);
    const { upstream } = await scripted([{ body }]);
    expect(await failure(upstream.fetchPage({}, once))).toMatchObject({ code: "body_not_json" });
  });

  test.each(["Identity", "IDENTITY", ""])(
    "a body that says %j of its coding is read as it is",
    async (coding) => {
      const { upstream } = await scripted([
        { headers: { "content-encoding": coding }, body: { transactions: [], limit: 50 } },
      ]);
      expect(await upstream.fetchPage()).toMatchObject({ rawRecords: [], nextCursor: null });
    },
  );

  test("a compressed body is refused unopened: we asked for none", async () => {
    const body = gzipSync(Buffer.alloc(50_000_000, 0x20));
    const { upstream, server } = await scripted([{ headers: { "content-encoding": "gzip" }, body }]);
    expect(await failure(upstream.fetchPage({}, once))).toMatchObject({ code: "body_not_json" });
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("identity");
  });

  test("a body beyond the limit is cut off while it comes", async () => {
    let sent = 0;
    const { upstream } = await scripted(
      [
        {
          misbehave: (response) => {
            response.writeHead(200);
            const more = () => {
              while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20))) sent += 65_536;
            };
            response.on("drain", more);
            more();
          },
        },
      ],
      { limits: { bodyBytesMax: 1_000_000 } },
    );
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "body_too_large", retry: false });
    expect(sent).toBeLessThan(50_000_000);
  });

  test("a hundred thousand levels around the records fail the page", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const { upstream } = await scripted([{ body: `{"transactions":[],"more":${deep}}` }]);
    expect(await failure(upstream.fetchPage({}, once))).toMatchObject({
      code: "body_unexpected",
      retry: true,
    });
  });

  test("a hundred thousand levels instead of a catalogue fail the call", async () => {
    const { upstream } = await scripted([{ body: "[".repeat(100_000) + "]".repeat(100_000) }]);
    expect(await failure(upstream.fetchSupported())).toMatchObject({ code: "body_unexpected" });
  });

  test("an error names the field that is not as it should be", async () => {
    const body = {
      message: {
        crypto: [
          { id: "btc", code: "btc" },
          { id: "eth", code: "eth", decimals: "many" },
        ],
        fiat: [],
      },
    };
    const { upstream } = await scripted([{ body }]);
    const error = await failure(upstream.fetchSupported());
    expect(error).toMatchObject({
      code: "body_unexpected",
      field: "message.crypto[1].decimals",
      retry: false,
    });
    expect(error.message).toContain("message.crypto[1].decimals: expected an integer");
  });

  test.each([null, undefined, {}, true])("an id that is %j is said to be no text", async (id) => {
    const { upstream } = await scripted([{ body: { message: { crypto: [{ id, code: "btc" }], fiat: [] } } }]);
    const error = await failure(upstream.fetchSupported());
    expect(error.field).toBe("message.crypto[0].id");
    expect(error.message).toContain("message.crypto[0].id: expected a text");
  });
});

describe("redirects", () => {
  test("to another host are refused, and nothing is sent there", async () => {
    const elsewhere = await startHttpServer([{ body: emptyPage }]);
    const { upstream } = await scripted([
      { status: 302, headers: { location: `${elsewhere.url}/transactions` } },
    ]);
    expect(await failure(upstream.fetchPage())).toMatchObject({
      code: "redirect_refused",
      status: 302,
      retry: false,
    });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });
});

describe("connections", () => {
  test("are kept and used again", async () => {
    const { upstream, server } = await scripted([{ body: emptyPage }]);
    for (let call = 0; call < 20; call++) await upstream.fetchPage();
    // A second one is opened when the first is not quite done at the moment of the next call.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test("a server that is not there is unreachable, and may be later", async () => {
    const server = await startHttpServer([]);
    await server.close();
    const { upstream } = clientFor(server.url, { attemptsMax: 1 });
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "unreachable", retry: true });
  });
});

describe("an address that would send the key in the clear is refused", () => {
  test.each([
    "http://example.com",
    "http://10.0.0.1",
    "http://127.0.0.1.example.com",
    "ftp://127.0.0.1",
    "nonsense",
  ])("%s", (url) => {
    expect(() => clientFor(url)).toThrow(/baseUrl: /);
  });

  test.each(["https://user:pw@example.com", "https://example.com/?a=1", "https://example.com/#a"])(
    "%s",
    (url) => {
      expect(() => clientFor(url)).toThrow(/baseUrl: holds/);
    },
  );

  test.each([
    "https://example.com/v1/",
    "http://127.0.0.1:1",
    "http://[::1]:1",
    "http://localhost:1",
    "http://127.1:1",
  ])("%s is accepted", (url) => {
    expect(() => clientFor(url)).not.toThrow();
  });
});
