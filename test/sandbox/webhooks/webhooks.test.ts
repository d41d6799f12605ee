import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { plainAccount } from "../../../src/sandbox/accounts/account.ts";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { startSandbox, type RunningSandbox } from "../../../src/sandbox/server.ts";
import { transactionRecordSchema } from "../../../src/sandbox/transactions/schemas.ts";
import { parseAllFaults } from "../../../src/sandbox/trouble/trouble.ts";
import { signWebhook } from "../../../src/core/webhook-signature.ts";
import { ada, introduce, visitorAt } from "../checkout/a-visitor.ts";
import { ask, withKey, withSecret } from "../use-sandbox.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly type: string;
}

/** A merchant's server: keeps what it gets, and answers what it is told to. */
let received: Received[] = [];
let answerWith: (number: number) => number = () => 200;
let receiver: Server;
let sandbox: RunningSandbox | undefined;
let folder = "";

beforeEach(async () => {
  received = [];
  answerWith = () => 200;
  folder = mkdtempSync(join(tmpdir(), "webhooks-"));
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      received.push({ headers: request.headers, body, type: (JSON.parse(body) as { type: string }).type });
      const status = answerWith(received.length);
      if (status !== 0) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
  rmSync(folder, { recursive: true });
});

async function start(faults = "", history: Partial<SandboxOptions> = {}): Promise<RunningSandbox> {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
  const account = plainAccount("default", { apiKey: "pk_sandbox", apiSecret: "sk_sandbox" });
  sandbox = await startSandbox({
    port: 0,
    now: Date.now,
    transactions: 0,
    // Seconds are milliseconds: a whole order takes half a second.
    timeScale: 1000,
    dataDir: folder,
    accounts: [{ ...account, webhook: { url, secret } }],
    ...parseAllFaults(faults),
    ...history,
  });
  return sandbox;
}

async function order(decision: string): Promise<string> {
  const { url, transactionId } = await openOrder();
  await ask(url, { method: "POST", body: new URLSearchParams({ decision }) });
  return transactionId;
}

async function openOrder(): Promise<{ url: string; transactionId: string }> {
  const body = {
    onramp: "coinbase",
    source: "usd",
    destination: "btc",
    amount: 200,
    wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
    partnerContext: "order 17",
  };
  const answer = await ask(`${sandbox?.url}/checkout/intent`, {
    method: "POST",
    headers: withKey,
    body: JSON.stringify(body),
  });
  return checkoutIntentResponse.parse(answer.json).message.transactionInformation;
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 10_000, interval: 20 }).toBe(true);
}

const types = () => received.map(({ type }) => type);
const ended = () => types().some((type) => /completed|failed|canceled/.test(type));
const whole = ["transaction.new", "transaction.pending", "transaction.paid", "transaction.completed"];

test("a receiver that never answers does not hold up the end", async () => {
  answerWith = () => 0;
  await start();
  await order("pay");
  await until(() => received.length > 0);
  const begun = performance.now();
  await sandbox?.close();
  sandbox = undefined;
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test("live transactions are told too: each status once, in order, from the start on", async () => {
  const startMs = Date.now();
  // A transaction every ten milliseconds.
  await start("", { transactions: 1_000, fromMs: startMs - 10_000, toMs: startMs, live: true });
  await until(() => received.length >= 60);
  const told = received.slice(0, 60).map(({ body, headers }) => ({
    id: String(headers["webhook-id"]),
    data: transactionRecordSchema.parse((JSON.parse(body) as { data: unknown }).data),
  }));
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
  expect(told.every(({ data }) => Date.parse(data.statusDate) >= startMs)).toBe(true);
  const { transactionId } = told.at(-1)?.data ?? { transactionId: "" };
  const own = told.map(({ data }) => data).filter((data) => data.transactionId === transactionId);
  expect(own.map(({ statusDate }) => statusDate)).toEqual(own.map(({ statusDate }) => statusDate).toSorted());
  const { json } = await ask(`${sandbox?.url}/transactions?transactionIds=${transactionId}`, {
    headers: withSecret,
  });
  for (const data of own) expect(JSON.stringify(json)).toContain(JSON.stringify(data));
});

describe("events", () => {
  test("tell every status of an order, in order, with its record, signed as Standard Webhooks says", async () => {
    await start();
    const transactionId = await order("pay");
    await until(ended);
    expect(types()).toEqual(whole);
    for (const { headers, body, type } of received) {
      const { data, timestamp } = JSON.parse(body) as { data: unknown; timestamp: string };
      const record = transactionRecordSchema.parse(data);
      expect(record).toMatchObject({ transactionId, targetCurrency: "btc", partnerContext: "order 17" });
      expect(`transaction.${record.status}`).toBe(type);
      expect(record.statusDate).toBe(timestamp);
      // By hand, from the text of the standard, not by our own function.
      const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
      const key = Buffer.from(secret.slice(6), "base64");
      expect(headers["webhook-signature"]).toBe(
        `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
      );
      expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1000)).toBeLessThan(60);
    }
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(4);
  });

  test("tell how a walk through the pages ends: refused after a review, of which nobody saw the end", async () => {
    await start();
    const { url, transactionId } = await openOrder();
    await introduce({ ...visitorAt(url), transactionId }, { ...ada, familyName: "Doubtful" });
    await until(ended);
    expect(types()).toEqual(["transaction.new", "transaction.failed"]);
  });

  test("have the signature that the standard's own example has", () => {
    const example = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    };
    expect(signWebhook(secret, example)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("are tried again until they are taken, with one id, and later ones wait", async () => {
    answerWith = (number) => (number <= 2 ? 500 : 200);
    await start();
    await order("cancel");
    await until(ended);
    expect(types()).toEqual([
      "transaction.new",
      "transaction.new",
      "transaction.new",
      "transaction.canceled",
    ]);
    expect(new Set(received.slice(0, 3).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const { json } = await ask(`${sandbox?.url}/sandbox/webhooks`, { headers: withSecret });
    const { attempts } = json as { attempts: { status: number; type: string }[] };
    expect(attempts.map(({ status }) => status)).toEqual([200, 200, 500, 500]);
    expect((await ask(`${sandbox?.url}/sandbox/webhooks`, { headers: withKey })).status).toBe(401);
  });

  test("stop when the receiver is gone", async () => {
    answerWith = () => 410;
    await start();
    await order("cancel");
    await until(() => received.length > 0);
    await order("cancel");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(types()).toEqual(["transaction.new"]);
  });

  test("come twice when asked to, with the same id", async () => {
    await start("webhook-duplicates=1");
    await order("cancel");
    await until(() => received.length >= 4);
    expect(types()).toEqual([
      "transaction.new",
      "transaction.new",
      "transaction.canceled",
      "transaction.canceled",
    ]);
  });

  test("come in disorder when asked to, all of them", async () => {
    await start("webhook-disorder=1");
    await order("pay");
    await until(() => received.length >= 4);
    expect(types()[0]).toBe("transaction.completed");
    expect(types().toSorted()).toEqual(whole.toSorted());
  });

  test("are lost when asked to", async () => {
    await start("webhook-lost=1");
    await order("cancel");
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(received).toEqual([]);
  });

  test("are not told again after a restart, and those that were not taken are", async () => {
    answerWith = (number) => (number === 1 ? 200 : 503);
    await start();
    await order("cancel");
    await until(() => received.length >= 2);
    await sandbox?.close();
    answerWith = () => 200;
    received = [];
    await start();
    await until(ended);
    expect(new Set(types())).toEqual(new Set(["transaction.canceled"]));
  });
});
