import { describe, expect, test } from "vitest";
import { formatInstant } from "../../../src/core/instant.ts";
import { fileStep, formStep, ratesResponse, step } from "../../../src/sandbox/earlier/schemas.ts";
import { cardOf, goodCard, visitorAt } from "../checkout/a-visitor.ts";
import { recordsOf, statusesOf } from "../transaction-records.ts";
import { ask, useSandbox, withSecret, type Answer } from "../use-sandbox.ts";

const sandbox = useSandbox({ defaultCountry: "DE", timeScale: 60 });
const customer = {
  email: "ada@example.org",
  cryptocurrencyAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
};

async function formOf(gateway: string, method: string) {
  const entries = ratesResponse.parse((await sandbox.get(`/legacy/rate/EUR/BTC/${method}/100`)).json);
  const entry = entries.find(({ identifier }) => identifier === gateway);
  return formStep.parse(entry?.available ? entry.nextStep : undefined);
}

const submit = (url: string, body: unknown): Promise<Answer> =>
  ask(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

const upload = (url: string, body: string, type: string) =>
  ask(url, { method: "PUT", body, headers: { "content-type": type } });

/** What the page's script posts to the window that opened it. */
function messageOf(page: Answer): unknown {
  const attribute = /data-message="([^"]*)"/.exec(page.text)?.[1] ?? "";
  return JSON.parse(attribute.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

const decide = (url: string, decision: string) =>
  ask(url, { method: "POST", body: new URLSearchParams({ decision }) });

async function transactionsOf(url: string): Promise<string> {
  const tracking = await ask(url);
  return /[0-9A-HJKMNP-TV-Z]{26}/.exec(tracking.text)?.[0] ?? "";
}

describe("a purchase over the legacy surface", () => {
  test("by card: form, iframe, completed, and its records in /transactions", async () => {
    const form = await formOf("ramp", "creditCard");
    const frame = step.parse((await submit(form.url, customer)).json);
    if (frame.type !== "iframe") throw new Error(`expected an iframe, found ${frame.type}`);
    const page = await ask(frame.url);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    expect(page.text).toContain("<form");
    const answered = await decide(frame.url, "pay");
    expect(answered.text).toContain('src="/sandbox/assets/step-message.js"');
    expect((await ask(`${sandbox.url}/sandbox/assets/step-message.js`)).text).toContain("postMessage");
    const message = messageOf(answered) as { nextStep: unknown };
    const completed = step.parse(message.nextStep);
    if (completed.type !== "completed") throw new Error(`expected the end, found ${completed.type}`);
    sandbox.clock.nowMs += 60_000;
    const records = await recordsOf(sandbox, await transactionsOf(completed.trackingUrl));
    expect(records.map(({ status }) => status)).toEqual(["new", "pending", "paid", "completed"]);
    expect(records[3]).toMatchObject({
      onramp: "ramp",
      inAmount: 100,
      walletAddress: customer.cryptocurrencyAddress,
    });
  });

  test("with a document: form, pickOne, file, then a page in its own window", async () => {
    const form = await formOf("moonpay", "applePay");
    const choice = step.parse((await submit(form.url, customer)).json);
    if (choice.type !== "pickOne") throw new Error(`expected a choice, found ${choice.type}`);
    expect(choice.options.map(({ title }) => title)).toEqual(["Passport", "Driving licence"]);
    const file = fileStep.parse(choice.options[0]?.nextStep);
    expect((await upload(file.url, "", "image/png")).json).toMatchObject({ field: "file" });
    expect((await upload(file.url, "hello", "text/plain")).status).toBe(415);
    const page = step.parse((await upload(file.url, "a picture", "image/png")).json);
    expect(page.type).toBe("redirect");
  });

  test("by bank transfer: ends with the account to pay to; the money comes later", async () => {
    const form = await formOf("guardarian", "bankTransfer");
    const request = step.parse((await submit(form.url, customer)).json);
    if (request.type !== "requestBankTransaction")
      throw new Error(`expected an account, found ${request.type}`);
    expect(request.hint).toContain("100 EUR");
    expect(await statusesOf(sandbox, request.reference)).toEqual(["new", "pending"]);
    sandbox.clock.nowMs += 120_000;
    expect(await statusesOf(sandbox, request.reference)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test.each([
    ["fail", "failed"],
    ["cancel", "canceled"],
  ])(
    "a person who chooses %s leaves a transaction %s, and the message says the flow is over",
    async (decision, status) => {
      const form = await formOf("ramp", "creditCard");
      const frame = step.parse((await submit(form.url, customer)).json);
      if (frame.type !== "iframe") throw new Error(`expected an iframe, found ${frame.type}`);
      const id = await transactionsOf(frame.url);
      sandbox.clock.nowMs += 5000;
      expect(messageOf(await decide(frame.url, decision))).toMatchObject({ error: { fatal: true } });
      sandbox.clock.nowMs += 60_000;
      expect((await statusesOf(sandbox, id)).at(-1)).toBe(status);
    },
  );

  test("the same form sent twice is one purchase", async () => {
    const form = await formOf("ramp", "creditCard");
    const [first, second] = [await submit(form.url, customer), await submit(form.url, customer)];
    expect(second.json).toEqual(first.json);
  });

  test("a corrected form corrects the purchase, and both addresses are told in its records", async () => {
    const form = await formOf("ramp", "creditCard");
    const corrected = { ...customer, cryptocurrencyAddress: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" };
    await submit(form.url, customer);
    sandbox.clock.nowMs += 1000;
    const frame = step.parse((await submit(form.url, corrected)).json);
    if (frame.type !== "iframe") throw new Error(`expected an iframe, found ${frame.type}`);
    const page = (await ask(frame.url)).text;
    expect(page).toContain(corrected.cryptocurrencyAddress);
    expect(page).not.toContain(customer.cryptocurrencyAddress);
    const id = await transactionsOf(frame.url);
    await decide(frame.url, "pay");
    sandbox.clock.nowMs += 60_000;
    const records = await recordsOf(sandbox, id);
    expect(records.map(({ status, walletAddress }) => [status, walletAddress])).toEqual([
      ["new", customer.cryptocurrencyAddress],
      ["new", corrected.cryptocurrencyAddress],
      ["pending", corrected.cryptocurrencyAddress],
      ["paid", corrected.cryptocurrencyAddress],
      ["completed", corrected.cryptocurrencyAddress],
    ]);
    const late = await submit(form.url, customer);
    expect([late.status, late.json]).toEqual([
      409,
      { message: expect.any(String), field: "cryptocurrencyAddress" },
    ]);
    expect((await submit(form.url, corrected)).json).toEqual(frame);
  });

  test("paying twice is one payment", async () => {
    const form = await formOf("ramp", "creditCard");
    const frame = step.parse((await submit(form.url, customer)).json);
    if (frame.type !== "iframe") throw new Error(`expected an iframe, found ${frame.type}`);
    const [first, second] = [await decide(frame.url, "pay"), await decide(frame.url, "pay")];
    expect(messageOf(second)).toEqual(messageOf(first));
    expect((await decide(frame.url, "cancel")).status).toBe(409);
  });
});

describe("a document", () => {
  async function uploadOf(method: string) {
    const form = await formOf("moonpay", method);
    const choice = step.parse((await submit(form.url, customer)).json);
    if (choice.type !== "pickOne") throw new Error(`expected a choice, found ${choice.type}`);
    return fileStep.parse(choice.options[0]?.nextStep).url;
  }

  async function waitingPage(url: string, document: string) {
    const next = step.parse((await upload(url, document, "image/png")).json);
    if (next.type !== "iframe" && next.type !== "redirect") throw new Error(`found ${next.type}`);
    return { ...visitorAt(next.url), transactionId: await transactionsOf(next.url) };
  }

  test.each(["creditCard", "bankTransfer"])("that is refused ends the order (%s)", async (method) => {
    // What the tests before ordered is over by then.
    sandbox.clock.nowMs += 3_600_000;
    const url = await uploadOf(method);
    sandbox.clock.nowMs += 1000;
    const refused = await upload(url, "Refused", "image/png");
    expect([refused.status, refused.json]).toEqual([403, { message: expect.any(String), field: "file" }]);
    // No other document brings it back.
    expect((await upload(url, "a picture", "image/png")).status).toBe(403);
    sandbox.clock.nowMs += 1000;
    const since = formatInstant(sandbox.clock.nowMs - 2000);
    const { transactions } = (await sandbox.get(`/transactions?startDateTime=${since}`, withSecret)).json as {
      transactions: { status: string }[];
    };
    expect(transactions.filter(({ status }) => status === "failed")).toHaveLength(1);
    expect(transactions.some(({ status }) => status === "pending")).toBe(false);
  });

  test.each(["creditCard", "bankTransfer"])("under review is waited for on a page (%s)", async (method) => {
    const page = await waitingPage(await uploadOf(method), "Review");
    expect((await page.look()).text).toContain("We are checking your documents");
    sandbox.clock.nowMs += 5000;
    expect((await page.state()).step).toBe(method === "creditCard" ? "card" : "transfer");
    await page.send("card", goodCard);
    await page.send("transfer");
    expect(messageOf(await page.look())).toMatchObject({ nextStep: { type: "completed" } });
    expect(await statusesOf(sandbox, page.transactionId)).toEqual(["new", "pending"]);
  });

  test("that is refused after a review ends the flow then, not before", async () => {
    const page = await waitingPage(await uploadOf("creditCard"), "doubtful");
    expect((await page.look()).text).toContain("We are checking your documents");
    sandbox.clock.nowMs += 5000;
    expect(messageOf(await page.look())).toEqual({
      error: { message: "We could not confirm your identity.", fatal: true },
    });
    expect(await statusesOf(sandbox, page.transactionId)).toEqual(["new", "failed"]);
  });
});

describe("the page of an iframe or redirect step", () => {
  async function pageOf(method: string) {
    const form = await formOf("ramp", method);
    const frame = step.parse((await submit(form.url, customer)).json);
    if (frame.type !== "iframe" && frame.type !== "redirect") throw new Error(`found ${frame.type}`);
    return { ...visitorAt(frame.url), transactionId: await transactionsOf(frame.url) };
  }

  test("asks for the card only: who it is was asked before; declined, challenged, paid", async () => {
    const page = await pageOf("creditCard");
    expect((await page.look()).text).toContain("Pay by card");
    expect((await page.look("contact")).status).toBe(303);
    expect(await page.send("card", cardOf("4000000000009995"))).toBe("card");
    expect(await page.send("card", cardOf("4000000000003220"))).toBe("challenge");
    expect((await page.look()).text).toContain('data-message=""');
    expect(await page.send("challenge", { code: "123456" })).toBe("home");
    const end = messageOf(await page.look()) as { nextStep: unknown };
    expect(step.parse(end.nextStep).type).toBe("completed");
    sandbox.clock.nowMs += 60_000;
    expect(await statusesOf(sandbox, page.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("three refused payments end the flow", async () => {
    const page = await pageOf("applePay");
    for (let times = 0; times < 3; times++) await page.send("approval", { simulate: "decline" });
    expect(messageOf(await page.look())).toEqual({ error: { message: "The payment failed.", fatal: true } });
    sandbox.clock.nowMs += 60_000;
    expect(await statusesOf(sandbox, page.transactionId)).toEqual(["new", "pending", "failed"]);
  });

  test("its price stands until the session ends, and then the message says so", async () => {
    const page = await pageOf("creditCard");
    sandbox.clock.nowMs += 599_000;
    expect((await page.state()).step).toBe("card");
    expect((await page.look()).text).not.toContain("Price held for");
    sandbox.clock.nowMs += 1000;
    expect(await page.send("card", goodCard)).toBe("home");
    expect(messageOf(await page.look())).toEqual({
      error: { message: "This rate has expired.", fatal: true },
    });
    expect(await statusesOf(sandbox, page.transactionId)).toEqual(["new", "canceled"]);
  });
});

describe("a wrong form", () => {
  test.each([
    ["no fields", {}, "email"],
    ["no address", { email: customer.email }, "cryptocurrencyAddress"],
    ["an e-mail address that is none", { ...customer, email: "ada" }, "email"],
    ["an address of another chain", { ...customer, cryptocurrencyAddress: "0x!" }, "cryptocurrencyAddress"],
    ["a number for a text", { ...customer, email: 5 }, "email"],
    ["a list", [1], "email"],
    ["null", null, "email"],
  ])("%s: {message, field} that names %s", async (_, body, field) => {
    const form = await formOf("ramp", "creditCard");
    const answer = await submit(form.url, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ message: expect.any(String), field });
  });

  test.each(["x", "", "{"])("%j, which is not JSON, names the first field of the form", async (body) => {
    const form = await formOf("ramp", "creditCard");
    const answer = await ask(form.url, { method: "POST", body });
    expect([answer.status, answer.json]).toEqual([400, { message: expect.any(String), field: "email" }]);
  });

  test("a rate that has expired, or an address that was tampered with, starts nothing", async () => {
    const form = await formOf("ramp", "creditCard");
    const [text = "", signature = ""] = form.url.split(".").slice(-2);
    expect((await submit(form.url.replace(signature, "AAAAAAAAAAAAAAAA"), customer)).status).toBe(404);
    expect((await submit(form.url.replace(`${text}.`, `${text}A.`), customer)).status).toBe(404);
    sandbox.clock.nowMs += 11 * 60_000;
    expect((await submit(form.url, customer)).status).toBe(410);
  });

  test("a step's address serves that step only", async () => {
    const form = await formOf("ramp", "creditCard");
    expect((await upload(form.url.replace("/form/", "/file/"), "x", "image/png")).status).toBe(404);
    expect((await ask(form.url)).status).toBe(405);
  });
});
