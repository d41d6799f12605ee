import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { quote } from "../../../src/sandbox/current/schemas.ts";
import { recordsOf, statusesOf } from "../transaction-records.ts";
import { ask, useSandbox } from "../use-sandbox.ts";

const sandbox = useSandbox({ timeScale: 60, defaultCountry: "DE" });
const abroad = useSandbox({ defaultCountry: "US" });

const order = {
  onramp: "moonpay",
  source: "eur",
  destination: "btc",
  amount: 200,
  type: "buy",
  paymentMethod: "creditcard",
  network: "bitcoin",
  uuid: "5f0c2b7e-7a64-4a0e-9a2d-7d0b5d3f8e11",
  partnerContext: "order 17",
  originatingHost: "shop.example",
  wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
  supportedParams: {
    theme: { isDark: true, themeName: "night", primaryColor: "#112233", borderRadius: null },
    partnerData: { redirectUrl: { success: "https%3A%2F%2Fshop.example%2Fthanks%3Forder%3D17" } },
  },
};

async function makeCheckout(changes: object = {}) {
  const answer = await sandbox.post("/checkout/intent", { ...order, ...changes });
  return checkoutIntentResponse.parse(answer.json).message;
}

const decide = (url: string, decision: string) =>
  ask(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `decision=${decision}`,
  });

describe("POST /checkout/intent", () => {
  test("echoes the session, without partnerContext, metaData or partnerData", async () => {
    const { sessionInformation: session, status, validationInformation } = await makeCheckout();
    expect({ status, validationInformation }).toEqual({ status: "in_progress", validationInformation: true });
    const { partnerContext: _, supportedParams, ...echoed } = order;
    expect(session).toMatchObject({
      ...echoed,
      supportedParams: { theme: supportedParams.theme },
      country: "DE",
    });
    expect(session).not.toHaveProperty("partnerContext");
    expect(session.supportedParams).not.toHaveProperty("partnerData");
    expect(session.expiringTime).toBe(sandbox.clock.nowMs / 1000 + 600);
  });

  test("keeps every digit of an amount", async () => {
    const body = JSON.stringify({
      ...order,
      source: "eth",
      destination: "eur",
      network: "ethereum",
      type: "sell",
      amount: 0,
      wallet: { address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F" },
    });
    const { text } = await ask(`${sandbox.url}/checkout/intent`, {
      method: "POST",
      headers: { authorization: "pk_sandbox" },
      body: body.replace('"amount":0', '"amount":0.123456789012345678'),
    });
    expect(text).toContain('"amount":0.123456789012345678');
  });

  test("echoes the wallet as it was sent, the memo of chains that need one included", async () => {
    const wallet = { address: "rG1QQv2nh2gr7RCZ1P8YYcBUKCCN633jCn", memo: "42", label: "mine" };
    const message = await makeCheckout({ destination: "xrp", network: "xrp", wallet });
    expect(message.sessionInformation.wallet).toEqual(wallet);
    expect((await ask(message.transactionInformation.url)).text).toContain("<dd>42</dd>");
  });

  test("takes null for a field that is left out", async () => {
    const optional = ["type", "paymentMethod", "network", "uuid", "partnerContext", "originatingHost"];
    const without = Object.fromEntries(
      [...optional, "metaData", "supportedParams"].map((name) => [name, null]),
    );
    const { sessionInformation: session } = await makeCheckout(without);
    expect(session).toMatchObject({ type: "buy", paymentMethod: "creditcard", network: "bitcoin" });
    for (const name of ["uuid", "originatingHost", "supportedParams"])
      expect(session).not.toHaveProperty(name);
    await makeCheckout({ metaData: { quoteId: null }, supportedParams: { theme: null, partnerData: null } });
    const redirectUrl = { success: null };
    await makeCheckout({ supportedParams: { partnerData: { redirectUrl } } });
  });

  test("takes the last of a key that comes twice", async () => {
    const body = JSON.stringify(order).replace("{", '{"amount":1,');
    const answer = await ask(`${sandbox.url}/checkout/intent`, {
      method: "POST",
      headers: { authorization: "pk_sandbox", "content-type": "application/json" },
      body,
    });
    expect(answer.json).toMatchObject({ message: { sessionInformation: { amount: 200 } } });
  });

  test("says in plain words what it expected", async () => {
    const messageOf = async (changes: object) =>
      (await sandbox.post("/checkout/intent", { ...order, ...changes })).json;
    expect(await messageOf({ partnerContext: 5 })).toMatchObject({
      message: "partnerContext: expected a text",
    });
    expect(await messageOf({ metaData: [] })).toMatchObject({ message: "metaData: expected an object" });
    expect(await messageOf({ supportedParams: { theme: { isDark: "yes" } } })).toMatchObject({
      message: "supportedParams.theme.isDark: expected true or false",
    });
  });

  test("tells when the session ends in milliseconds, as another dialect", async () => {
    sandbox.switches.dialect = { ...sandbox.switches.dialect, expiring: "milliseconds" };
    const { sessionInformation } = await makeCheckout();
    sandbox.switches.dialect = { ...sandbox.switches.dialect, expiring: "seconds" };
    expect(sessionInformation.expiringTime).toBe(sandbox.clock.nowMs + 600_000);
  });

  test("opens every quote of a named country, for that country", async () => {
    const quotes = z.array(quote).parse((await abroad.get("/quotes/eur/btc?amount=100&country=DE")).json);
    expect(quotes.length).toBeGreaterThan(8);
    for (const { ramp, quoteId, payout } of quotes) {
      const { network: _, ...body } = { ...order, amount: 100, onramp: ramp, metaData: { quoteId } };
      const answer = await abroad.post("/checkout/intent", body);
      const { message } = checkoutIntentResponse.parse(answer.json);
      expect([ramp, message.sessionInformation.country]).toEqual([ramp, "DE"]);
      const [record] = await recordsOf(abroad, message.transactionInformation.transactionId);
      expect(record).toMatchObject({ country: "de", onramp: ramp, outAmount: payout });
    }
    const { quoteId = "" } = quotes[0] ?? {};
    const moved = {
      ...order,
      onramp: quotes[0]?.ramp,
      amount: 100,
      metaData: { quoteId: quoteId.replace(/de$/, "fr") },
    };
    expect((await abroad.post("/checkout/intent", moved)).json).toMatchObject({ type: "QUOTE_INVALID" });
  });

  test("starts a transaction with status new that waits for the person", async () => {
    const { transactionInformation } = await makeCheckout();
    expect(await recordsOf(sandbox, transactionInformation.transactionId)).toEqual([
      expect.objectContaining({
        status: "new",
        country: "de",
        sourceCurrency: "eur",
        targetCurrency: "btc",
        inAmount: 200,
        transactionHash: "",
        onrampTransactionId: "",
        apiKey: "pk_sandbox",
      }),
    ]);
  });

  test("honours the price of a quote, although prices have moved since", async () => {
    const quotes = z.array(quote).parse((await sandbox.get("/quotes/eur/btc?amount=200")).json);
    const quoted = quotes.find(({ ramp }) => ramp === "moonpay");
    sandbox.clock.nowMs += 60_000;
    const { transactionInformation } = await makeCheckout({ metaData: { quoteId: quoted?.quoteId } });
    const [record] = await recordsOf(sandbox, transactionInformation.transactionId);
    expect(record?.outAmount).toBe(quoted?.payout);
    const { transactionInformation: unquoted } = await makeCheckout();
    expect((await recordsOf(sandbox, unquoted.transactionId))[0]?.outAmount).not.toBe(quoted?.payout);
  });

  test("refuses a quote of another order, an invented one and an old one", async () => {
    const quotes = z.array(quote).parse((await sandbox.get("/quotes/eur/btc?amount=200")).json);
    const quoteId = quotes.find(({ ramp }) => ramp === "moonpay")?.quoteId;
    const refusal = async (changes: object) =>
      (await sandbox.post("/checkout/intent", { ...order, ...changes })).json;
    expect(await refusal({ metaData: { quoteId }, amount: 201 })).toMatchObject({ type: "QUOTE_INVALID" });
    expect(await refusal({ metaData: { quoteId: "invented" } })).toMatchObject({ type: "QUOTE_INVALID" });
    sandbox.clock.nowMs += 6 * 60_000;
    expect(await refusal({ metaData: { quoteId } })).toMatchObject({ type: "QUOTE_INVALID" });
  });
});

describe("the checkout page", () => {
  test("is plain HTML under a strict policy", async () => {
    const { transactionInformation } = await makeCheckout();
    const page = await ask(transactionInformation.url);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).not.toMatch(
      /<script(?! src="\/sandbox\/assets\/checkout\.js" defer><\/script>)|style="|onclick/,
    );
    expect(page.text).toContain("200 EUR");
  });

  test("wears the client's theme, and nothing that is not a colour or length", async () => {
    const theme = { ...order.supportedParams.theme, primaryColor: "#ff0000", cardColor: "rgb(0, 255, 0)" };
    const { transactionInformation } = await makeCheckout({
      supportedParams: {
        theme: { ...theme, secondaryColor: "red; } body { display: none", borderRadius: 20 },
      },
    });
    const page = await ask(transactionInformation.url);
    const href = /href="([^"]*theme\.css)"/.exec(page.text)?.[1] ?? "";
    const css = await ask(sandbox.url + href);
    expect(css.headers.get("content-type")).toContain("text/css");
    expect(css.text).toBe(
      ":root { color-scheme: dark; --primary: #ff0000; --on-primary: #000000; --primary-text: #000000; " +
        "--secondary-text: #000000; --card: #00ff00; --radius: 20px; }\n",
    );
    expect((await ask(`${sandbox.url}/sandbox/assets/page.css`)).text).toContain(
      "background: var(--primary)",
    );
  });

  test("paying runs the transaction through its statuses in scaled time, one record each", async () => {
    const { transactionInformation } = await makeCheckout();
    const { url, transactionId } = transactionInformation;
    expect((await decide(url, "pay")).status).toBe(303);
    expect(await statusesOf(sandbox, transactionId)).toEqual(["new", "pending"]);
    sandbox.clock.nowMs += 1000;
    expect(await statusesOf(sandbox, transactionId)).toEqual(["new", "pending", "paid"]);
    // Not before it has worked.
    expect((await ask(url)).text).not.toContain("shop.example");
    sandbox.clock.nowMs += 60_000;
    expect((await ask(url)).text).toContain(
      '<meta http-equiv="refresh" content="3;url=https://shop.example/thanks?order=17" />',
    );
    const records = await recordsOf(sandbox, transactionId);
    expect(records.map(({ status }) => status)).toEqual(["new", "pending", "paid", "completed"]);
    expect(records.map(({ transactionHash }) => transactionHash.length)).toEqual([0, 0, 0, 64]);
    expect((await ask(url)).text).toContain(records[3]?.transactionHash);
  });

  test("a failing payment ends failed, a cancelled one canceled, without a hash and without the way back", async () => {
    for (const [decision, statuses] of [
      ["fail", ["new", "pending", "failed"]],
      ["cancel", ["new", "canceled"]],
    ] as const) {
      const { transactionInformation } = await makeCheckout();
      sandbox.clock.nowMs += 5000;
      await decide(transactionInformation.url, decision);
      sandbox.clock.nowMs += 60_000;
      const records = await recordsOf(sandbox, transactionInformation.transactionId);
      expect(records.map(({ status }) => status)).toEqual(statuses);
      expect(records.at(-1)?.transactionHash).toBe("");
      expect((await ask(transactionInformation.url)).text).not.toContain("shop.example");
    }
  });

  test("can be used once", async () => {
    const { transactionInformation } = await makeCheckout();
    await decide(transactionInformation.url, "pay");
    const again = await decide(transactionInformation.url, "cancel");
    expect(again.status).toBe(409);
    sandbox.clock.nowMs += 60_000;
    expect(await statusesOf(sandbox, transactionInformation.transactionId)).not.toContain("canceled");
  });

  test("expires: nothing can be decided any more, and the transaction is canceled", async () => {
    const { transactionInformation } = await makeCheckout();
    sandbox.clock.nowMs += 600_000;
    expect((await decide(transactionInformation.url, "pay")).status).toBe(410);
    expect(await statusesOf(sandbox, transactionInformation.transactionId)).toEqual(["new", "canceled"]);
  });

  test("knows no other decisions and no other sessions", async () => {
    const { transactionInformation } = await makeCheckout();
    expect((await decide(transactionInformation.url, "steal")).status).toBe(400);
    expect((await ask(`${sandbox.url}/sandbox/checkout/unknown`)).status).toBe(404);
    expect(await statusesOf(sandbox, transactionInformation.transactionId)).toEqual(["new"]);
  });

  test("escapes what the client sent", async () => {
    const { transactionInformation } = await makeCheckout({
      wallet: { ...order.wallet, memo: '<img src=x onerror="alert(1)">' },
    });
    expect((await ask(transactionInformation.url)).text).toContain("&lt;img");
    expect((await ask(transactionInformation.url)).text).not.toContain("<img");
  });
});

describe("bad input makes no transaction", () => {
  test.each([
    ["an unknown provider", { onramp: "nobody" }, "onramp"],
    ["an unknown source", { source: "zzz" }, "source"],
    ["an unknown destination", { destination: "zzz" }, "destination"],
    ["a network the asset is not on", { network: "solana" }, "network"],
    ["a network that is none", { network: "moon" }, "network"],
    ["text for an address", { wallet: { address: "not a bitcoin address !!!" } }, "wallet.address"],
    ["an address of another chain", { wallet: { address: `0x${"ab".repeat(20)}` } }, "wallet.address"],
    ["a negative amount", { amount: -1 }, "amount"],
    ["a huge amount", { amount: 1e30 }, "amount"],
    ["an amount as text", { amount: "200" }, "amount"],
    ["an amount below the minimum", { amount: 1 }, "amount"],
    ["the wrong direction", { type: "sell" }, "type"],
    ["an unknown payment method", { paymentMethod: "shells" }, "paymentMethod"],
    ["a method the provider does not take", { paymentMethod: "upi" }, "onramp"],
    ["no wallet", { wallet: undefined }, "wallet"],
    ["a uuid that is none", { uuid: "1" }, "uuid"],
    [
      "a redirect that is not a web address",
      { supportedParams: { partnerData: { redirectUrl: { success: "javascript:alert(1)" } } } },
      "supportedParams.partnerData.redirectUrl.success",
    ],
  ])("%s", async (_, changes, field) => {
    const answer = await sandbox.post("/checkout/intent", { ...order, ...changes });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ field });
  });

  test("no key", async () => {
    expect((await sandbox.post("/checkout/intent", order, {})).status).toBe(401);
  });
});
