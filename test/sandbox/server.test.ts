import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startSandbox } from "../../src/sandbox/server.ts";
import { curlOf, examples } from "../../src/sandbox/start-page/examples.ts";
import { ask, startOfTime, useSandbox, withKey, withSecret } from "./use-sandbox.ts";

const sandbox = useSandbox();
const now = () => startOfTime;
const quotes = async (url: string, key: string) =>
  (await ask(`${url}/quotes/usd/btc?amount=100`, { headers: { authorization: key } })).text;

describe("a request that is wrong gets JSON and the right status", () => {
  test("an unknown path", async () => {
    const answer = await sandbox.get("/nowhere");
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ type: "NOT_FOUND", errorId: 4040 });
    expect((await sandbox.get("/legacy/nowhere")).json).toEqual({ message: expect.any(String) });
  });

  test.each([
    ["DELETE", "/supported", "GET, HEAD"],
    ["GET", "/checkout/intent", "POST"],
    ["POST", "/legacy/gateways", "GET, HEAD"],
    ["PUT", "/quotes/usd/btc", "GET, HEAD"],
  ])("%s %s", async (method, path, allowed) => {
    const answer = await ask(sandbox.url + path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe(allowed);
    expect(answer.json).toMatchObject({ message: expect.any(String) });
  });

  test.each(["", "{", "nothing", "[1,", '{"amount":NaN}', "[".repeat(50_000)])(
    "a body that is not JSON: %j",
    async (body) => {
      const answer = await ask(`${sandbox.url}/checkout/intent`, { method: "POST", headers: withKey, body });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ type: expect.stringMatching(/^INVALID_/) });
    },
  );

  test.each(["null", "[]", '"text"', "17"])("a body that is JSON but no object: %s", async (body) => {
    const answer = await ask(`${sandbox.url}/checkout/intent`, { method: "POST", headers: withKey, body });
    expect(answer.status).toBe(400);
  });

  test("a body of 10 MB, announced or not", async () => {
    const body = JSON.stringify({ onramp: "x".repeat(10 * 1024 * 1024) });
    const announced = await ask(`${sandbox.url}/checkout/intent`, { method: "POST", headers: withKey, body });
    expect(announced.status).toBe(413);
    expect(announced.json).toMatchObject({ type: "BODY_TOO_LARGE" });
    const streamed = await fetch(`${sandbox.url}/checkout/intent`, {
      method: "POST",
      headers: withKey,
      body: new Blob([body]).stream(),
      duplex: "half",
    });
    expect(streamed.status).toBe(413);
  });

  test("none of it was a fault of ours", () => {
    expect(sandbox.warnings).toEqual([]);
  });
});

describe("the server", () => {
  test("runs beside others with other keys and other worlds", async () => {
    const other = await startSandbox({ port: 0, now, seed: "other", apiKey: "pk_other", transactions: 0 });
    expect((await ask(`${other.url}/supported/assets`, { headers: withKey })).status).toBe(401);
    expect(await quotes(other.url, "pk_other")).not.toBe(await quotes(sandbox.url, "pk_sandbox"));
    await other.close();
  });

  test("says when its port is taken", async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port, now, transactions: 0 })).rejects.toThrow(`port ${port} is taken`);
  });

  test.each([{ timeScale: 0 }, { sessionSeconds: -1 }, { defaultCountry: "USA" }])(
    "does not start with %o",
    async (option) => {
      await expect(startSandbox({ port: 0, now, ...option })).rejects.toThrow(Object.keys(option)[0] ?? "");
    },
  );

  test("gives links under its public address when it has one", async () => {
    const other = await startSandbox({ port: 0, now, transactions: 0, publicUrl: "https://sandbox.example" });
    const { text } = await ask(`http://127.0.0.1:${other.port}/supported`);
    expect(text).toContain("https://sandbox.example/sandbox/icons/asset-btc.svg");
    await other.close();
  });

  test("answers browsers of other sites on the public paths", async () => {
    expect((await sandbox.get("/supported")).headers.get("access-control-allow-origin")).toBe("*");
    const preflight = await ask(`${sandbox.url}/checkout/intent`, {
      method: "OPTIONS",
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
  });
});

describe("the start page", () => {
  test("shows every operation, examples that work, and no secret that someone chose", async () => {
    const page = await sandbox.get("/", {});
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    const { json } = await sandbox.get("/sandbox/openapi.json");
    const { paths } = json as { paths: Record<string, object> };
    for (const path of Object.keys(paths)) expect(page.text).toContain(path);
    expect(page.text).toContain("sk_sandbox");
    const other = await startSandbox({ port: 0, now, transactions: 0, apiSecret: "canary" });
    expect((await ask(`${other.url}/`)).text).not.toContain("canary");
    await other.close();
  });

  test.each(examples)("its example $path is answered", async ({ method, path, sends, body }) => {
    const headers = sends === "nothing" ? {} : sends === "key" ? withKey : withSecret;
    const answer = await ask(sandbox.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    expect([path, answer.status]).toEqual([path, 200]);
  });

  test("its commands are those a shell understands", () => {
    const known = { origin: "http://a", apiKey: "it's", apiSecret: "s" };
    const example = { title: "", method: "GET", path: "/x?a=1&b=2", sends: "secret" } as const;
    expect(curlOf(example, known)).toBe(
      "curl 'http://a/x?a=1&b=2' \\\n  -H 'Authorization: it'\\''s' \\\n  -H 'x-service-secret: s'",
    );
  });
});

describe("GET /sandbox/openapi.json", () => {
  const document = z.object({
    openapi: z.literal("3.1.0"),
    paths: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ operationId: z.string(), summary: z.string() })),
    ),
  });

  test("documents every specified path of both surfaces", async () => {
    const { paths } = document.parse((await sandbox.get("/sandbox/openapi.json")).json);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        "/supported",
        "/supported/payment-types",
        "/supported/payment-types/{fiat}",
        "/supported/defaults/all",
        "/supported/assets",
        "/supported/onramps/all",
        "/supported/onramps",
        "/quotes/{source}/{destination}",
        "/checkout/intent",
        "/transactions",
        "/transactions/{transactionId}",
        "/legacy/gateways",
        "/legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}",
        "/legacy/steps/form/{token}",
        "/legacy/steps/file/{token}",
      ]),
    );
  });

  test("gives every operation its own id", async () => {
    const { paths } = document.parse((await sandbox.get("/sandbox/openapi.json")).json);
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("says the parameters with their defaults", async () => {
    const { json } = await sandbox.get("/sandbox/openapi.json");
    const { paths } = document.parse(json);
    expect(paths["/quotes/{source}/{destination}"]?.["get"]?.["parameters"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "amount", in: "query", required: true }),
        expect.objectContaining({ name: "type", schema: expect.objectContaining({ default: "buy" }) }),
      ]),
    );
  });
});
