import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import { plainDialect } from "../../src/sandbox/transactions/dialect.ts";
import { type Client, createClient } from "../../src/upstream/library.ts";
import { startHttpServer } from "../support/http-server.ts";
import { failure } from "./client-for.ts";

const nowMs = Date.parse("2026-03-15T12:00:00.000Z");
let sandbox: RunningSandbox;
let client: Client;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, now: () => nowMs, transactions: 120 });
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret });
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const idsOf = async (records: ReturnType<Client["readTransactions"]>) => {
  const ids: string[] = [];
  for await (const outcome of records)
    ids.push(
      outcome.kind === "record" ? `${outcome.record.transactionId} ${outcome.record.status}` : "rejection",
    );
  return ids;
};

describe("reading all records", () => {
  test.each(["absent", "null", "empty", "empty-page", "echo"] as const)(
    "ends where the last cursor is %s, with every record once",
    async (lastCursor) => {
      sandbox.switches.dialect = { ...plainDialect, "last-cursor": lastCursor };
      onTestFinished(() => void (sandbox.switches.dialect = plainDialect));
      const ids = await idsOf(client.readTransactions());
      expect(ids.length).toBeGreaterThan(120);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test("takes a window of dates or texts, and ids", async () => {
    const from = new Date(nowMs - 40 * 86_400_000);
    const late = await idsOf(client.readTransactions({ from }));
    expect(await idsOf(client.readTransactions({ from: from.toISOString() }))).toEqual(late);
    const early = await idsOf(client.readTransactions({ to: from }));
    expect(late.length).toBeGreaterThan(10);
    expect(early.filter((id) => late.includes(id))).toEqual([]);
    const [id = ""] = (late[0] ?? "").split(" ");
    const one = await idsOf(client.readTransactions({ ids: [id] }));
    expect(new Set(one.map((text) => text.split(" ")[0]))).toEqual(new Set([id]));
    await expect(idsOf(client.readTransactions({ from: "yesterday" }))).rejects.toThrow(RangeError);
  });

  test("stops at a cursor that leads in a circle, and passes a record on that it cannot read", async () => {
    const body = { transactions: [{ transactionId: "" }], limit: 50, cursor: "again" };
    const server = await startHttpServer(() => ({ body }));
    const lost = createClient({ baseUrl: server.url, apiKey: "k", apiSecret: "s" });
    onTestFinished(async () => {
      await lost.close();
      await server.close();
    });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { kind } of lost.readTransactions()) seen.push(kind);
    })();
    expect(await failure(reading)).toMatchObject({ code: "body_unexpected", field: "cursor" });
    expect(seen).toEqual(["rejection", "rejection"]);
  });

  test("pauses before it asks again, and not for a caller that gave up", async () => {
    const server = await startHttpServer(() => ({ status: 503, body: {} }));
    const slow = createClient({ baseUrl: server.url, apiKey: "k", apiSecret: "s", attemptsMax: 2 });
    onTestFinished(async () => {
      await slow.close();
      await server.close();
    });
    expect(await failure(slow.fetchSupported())).toMatchObject({ code: "server_error" });
    expect(server.requests.length).toBe(2);
    const stop = AbortSignal.timeout(30);
    const given = slow.fetchSupported({}, { signal: stop, attemptsMax: 50 });
    expect((await failure(given)).code).toBe("aborted");
  });
});
