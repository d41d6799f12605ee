import { inspect } from "node:util";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { createRedact } from "../../src/upstream/redact.ts";
import { canaryKey, canarySecret, clientFor, emptyPage, failure, scripted } from "./client-for.ts";

const base64Secret = Buffer.from(canarySecret).toString("base64").replace(/=+$/, "");

/** Every way in which an error ends in a log. */
function everyWord(error: Error): string {
  return [
    inspect(error, { depth: Infinity, showHidden: true, maxStringLength: Infinity }),
    JSON.stringify(error),
    String(error),
    error.stack,
    inspect(error.cause, { depth: Infinity, showHidden: true }),
    JSON.stringify(Object.entries(error)),
  ].join("\n");
}

/** Those of the secrets that a text holds: none, it is to be hoped. */
function secretsIn(text: string): string[] {
  return [canaryKey, canarySecret, base64Secret].filter((secret) => text.includes(secret));
}

describe("the key and the secret are never in an error", () => {
  const echo = `you sent ${canaryKey} and ${canarySecret} and ${base64Secret}`;
  test.each([
    ["an error body that echoes them", { status: 400, body: { message: echo, field: canarySecret } }],
    ["an error body of plain text", { status: 403, body: echo }],
    ["a page of HTML", { body: `<html>${echo}</html>` }],
    ["JSON of another shape", { body: { error: echo } }],
    ["bytes that are not text", { body: Buffer.concat([Buffer.from([0xff]), Buffer.from(echo)]) }],
    ["a redirect that carries them", { status: 302, headers: { location: `http://x/?s=${canarySecret}` } }],
    ["a strange encoding", { headers: { "content-encoding": canarySecret.slice(0, 20) }, body: echo }],
  ])("%s", async (_, answer) => {
    const { upstream } = await scripted([answer], { attemptsMax: 1 });
    expect(secretsIn(everyWord(await failure(upstream.fetchPage({ cursor: "c" }))))).toEqual([]);
  });

  test("not even half of one, where the body is cut", async () => {
    const { upstream } = await scripted([{ body: "x".repeat(1020) + canarySecret }], { attemptsMax: 1 });
    expect((await failure(upstream.fetchPage())).detail).toBe(`${"x".repeat(1020)}[red`);
  });

  test("a key of the answer that echoes them", async () => {
    const { upstream } = await scripted([{ body: { message: { [canarySecret]: { paymentTypeId: null } } } }]);
    const error = await failure(upstream.fetchPaymentTypes());
    expect(error.field).toBe("message.[redacted].paymentTypeId");
    expect(secretsIn(everyWord(error))).toEqual([]);
  });

  test("a server that does not speak HTTP, and sends back what it got", async () => {
    const server = createServer((socket) => socket.on("data", (bytes) => socket.end(bytes)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { upstream } = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      attemptsMax: 1,
    });
    const error = await failure(upstream.fetchPage());
    expect(error.code).toBe("connection_lost");
    expect(secretsIn(everyWord(error))).toEqual([]);
  });

  test("a key that no header can carry is refused without being shown", () => {
    for (const broken of [`${canarySecret}\n`, `${canarySecret}é`, ""]) {
      for (const options of [{ apiKey: broken }, { apiSecret: broken }]) {
        let message = "";
        try {
          clientFor("http://127.0.0.1:1", options);
        } catch (error) {
          message = everyWord(error as Error);
        }
        expect(message).toContain("HTTP header");
        expect(secretsIn(message)).toEqual([]);
      }
    }
  });
});

test("wallets in a body that could not be used are masked", () => {
  const redact = createRedact(["k"]);
  expect(redact('{"walletAddress":"bc1qexample","wallet": "0x1","iban":"DE1')).toBe(
    '{"walletAddress":"[redacted]","wallet":"[redacted]","iban":"[redacted]"',
  );
});

test("printing the client shows neither key nor secret, also after use", async () => {
  const { upstream } = await scripted([{ body: emptyPage }]);
  await upstream.fetchPage();
  expect(
    secretsIn(inspect(upstream, { depth: Infinity, showHidden: true }) + JSON.stringify(upstream)),
  ).toEqual([]);
});

test("the secret goes to /transactions alone, the key to all, and neither into a URL", async () => {
  const { upstream, server } = await scripted((request) => ({
    status: request.path.startsWith("/transactions") ? 404 : 400,
  }));
  const checkout = { onramp: "x", source: "USD", destination: "BTC", amount: decimal(1) };
  const calls = [
    upstream.fetchSupported(),
    upstream.fetchPaymentTypes(),
    upstream.fetchAssets(),
    upstream.fetchProviders(),
    upstream.fetchBuyQuotes({ fiat: "USD", crypto: "BTC", amount: decimal(1) }),
    upstream.createCheckout(checkout),
    upstream.fetchGateways(),
    upstream.fetchPage(),
    upstream.fetchTransaction("a"),
  ];
  await Promise.all(calls.map(failure));
  expect(server.requests).toHaveLength(calls.length);
  for (const { path, headers } of server.requests) {
    const isTransactions = path.startsWith("/transactions");
    expect(headers["x-service-secret"]).toBe(isTransactions ? canarySecret : undefined);
    expect(headers.authorization).toBe(canaryKey);
    expect(secretsIn(path)).toEqual([]);
  }
});
