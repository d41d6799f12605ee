import { expect, test } from "vitest";
import type { CommandContext } from "../../src/commands/context.ts";
import { testConnection } from "../../src/commands/test-connection.ts";
import { secret } from "../../src/core/secret.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpServer } from "../support/http-server.ts";

const hidden = { key: "pk_test_of_this_file", secret: "sk_very_hidden" };

function contextOf(baseUrl: string): CommandContext {
  const account = {
    name: "acme-eu",
    baseUrl,
    legacyBaseUrl: null,
    apiKey: secret(hidden.key),
    apiSecret: secret(hidden.secret),
    credentialsAdvice: "correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY, and start again",
    syncStart: null,
    webhookSecret: null,
  };
  return { config: { accounts: [account] }, now: Date.now } as unknown as CommandContext;
}

test("a key that is good is said to be, after one request for one record", async () => {
  const server = await startHttpServer([{ body: { transactions: [], limit: 1 } }]);
  try {
    expect(await testConnection(contextOf(server.url), "acme-eu")).toEqual({
      answered: true,
      says: "the key and the secret are good",
    });
    expect(server.requests.length).toBe(1);
    expect(server.requests[0]?.query.get("limit")).toBe("1");
    expect(server.requests[0]?.headers["x-service-secret"]).toBe(hidden.secret);
  } finally {
    await server.close();
  }
});

test("a refused one names the variables to correct, and shows neither value", async () => {
  const server = await startHttpServer([{ status: 401, body: { message: `no such ${hidden.secret}.` } }]);
  try {
    const { answered, says } = await testConnection(contextOf(server.url), "acme-eu");
    expect(answered).toBe(false);
    expect(says).toMatch(/401.*[^.]: correct UPSTREAM_API_SECRET or UPSTREAM_API_KEY, and start again$/);
    expect(says).not.toContain(hidden.secret);
    expect(says).not.toContain(hidden.key);
    expect(server.requests.length).toBe(1);
  } finally {
    await server.close();
  }
});

test("a firewall's page is told apart from a refused key", async () => {
  const page = {
    status: 403,
    headers: { "content-type": "text/html" },
    body: `<html>${hidden.secret}</html>`,
  };
  const server = await startHttpServer([page]);
  try {
    const { answered, says } = await testConnection(contextOf(server.url), "acme-eu");
    expect(answered).toBe(false);
    expect(says).toMatch(/answered 403 with text\/html that is not an error of the aggregator.*the network$/);
    expect(says).not.toContain(hidden.secret);
  } finally {
    await server.close();
  }
});

test("an aggregator that is not there is told apart from one that refuses", async () => {
  const { answered, says } = await testConnection(
    contextOf(`http://127.0.0.1:${await freePort()}`),
    "acme-eu",
  );
  expect(answered).toBe(false);
  expect(says).toMatch(/check UPSTREAM_BASE_URL/);
  expect(await testConnection(contextOf("http://127.0.0.1:1"), "gone")).toMatchObject({ answered: false });
});
