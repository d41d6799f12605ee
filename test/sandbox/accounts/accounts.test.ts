import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseAccounts } from "../../../src/sandbox/accounts/accounts-file.ts";
import { providersResponse, quote } from "../../../src/sandbox/current/schemas.ts";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { gatewaysResponse, ratesResponse } from "../../../src/sandbox/earlier/schemas.ts";
import { transactionPageSchema } from "../../../src/sandbox/transactions/schemas.ts";
import { ask, useSandbox } from "../use-sandbox.ts";

const accounts = parseAccounts(
  JSON.stringify([
    { name: "shop", apiKey: "pk_shop", apiSecret: "sk_shop" },
    {
      name: "app",
      apiKey: "pk_app",
      apiSecret: "sk_app",
      providers: ["banxa", "ramp"],
      preferred: { widget: "ramp", "*": "banxa" },
      transactions: 40,
    },
    { name: "busy", apiKey: "pk_busy", apiSecret: "sk_busy", requestsPerSecond: 2 },
    { name: "real", apiKey: "pk_real", apiSecret: "sk_real", mode: "live", providers: ["transfi"] },
  ]),
  () => "",
);
const sandbox = useSandbox({ accounts, transactions: 90, defaultCountry: "DE" });
const alone = useSandbox({ apiKey: "pk_shop", apiSecret: "sk_shop", transactions: 90, defaultCountry: "DE" });

const keyOf = (name: string) => ({ authorization: `pk_${name}` });
const bothOf = (name: string) => ({ ...keyOf(name), "x-service-secret": `sk_${name}` });
const order = {
  onramp: "ramp",
  source: "eur",
  destination: "btc",
  amount: 200,
  wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
};

async function transactionsOf(name: string, query = "") {
  const answer = await sandbox.get(`/transactions?limit=50${query}`, bothOf(name));
  return transactionPageSchema.parse(answer.json).transactions;
}

async function checkout(name: string, changes: object = {}) {
  const answer = await sandbox.post("/checkout/intent", { ...order, ...changes }, keyOf(name));
  return checkoutIntentResponse.parse(answer.json).message.transactionInformation;
}

describe("the transactions of an account", () => {
  test("are its own: no id, listing, page or summary of one shows anything of another", async () => {
    const [shop, app] = [await transactionsOf("shop"), await transactionsOf("app")];
    expect(new Set(shop.map(({ apiKey }) => apiKey))).toEqual(new Set(["pk_shop"]));
    expect(new Set(app.map(({ apiKey }) => apiKey))).toEqual(new Set(["pk_app"]));
    const ids = new Set(shop.map(({ transactionId }) => transactionId));
    expect(app.filter(({ transactionId }) => ids.has(transactionId))).toEqual([]);
    const [first = ""] = ids;
    expect((await sandbox.get(`/transactions/${first}`, bothOf("shop"))).status).toBe(200);
    expect((await sandbox.get(`/transactions/${first}`, bothOf("app"))).status).toBe(404);
    expect(await transactionsOf("app", `&transactionIds=${[...ids].slice(0, 50).join(",")}`)).toEqual([]);
  });

  test("include what its own customers do, and nobody else's", async () => {
    const { transactionId } = await checkout("app");
    expect((await sandbox.get(`/transactions/${transactionId}`, bothOf("app"))).json).toMatchObject({
      apiKey: "pk_app",
      status: "new",
    });
    expect((await sandbox.get(`/transactions/${transactionId}`, bothOf("shop"))).status).toBe(404);
  });

  test("are read with its own secret only", async () => {
    const crossed = { ...keyOf("app"), "x-service-secret": "sk_shop" };
    const answer = await sandbox.get("/transactions", crossed);
    expect([answer.status, answer.json]).toEqual([
      401,
      expect.objectContaining({ type: "API_SECRET_INVALID" }),
    ]);
  });

  test("cannot be reached with another account's cursor", async () => {
    const { cursor } = transactionPageSchema.parse(
      (await sandbox.get("/transactions?limit=5", bothOf("shop"))).json,
    );
    expect((await sandbox.get(`/transactions?limit=5&cursor=${cursor}`, bothOf("app"))).status).toBe(400);
  });

  test("of the first do not change when others are added", async () => {
    const single = await alone.get("/transactions", bothOf("shop"));
    expect((await sandbox.get("/transactions", bothOf("shop"))).text).toBe(single.text);
  });

  test("only come from providers it may use, as many as it was given", async () => {
    const records = await transactionsOf("app");
    expect(new Set(records.map(({ onramp }) => onramp))).toEqual(new Set(["banxa", "ramp"]));
    const summary = z.object({ transactions: z.object({ count: z.int() }) });
    const { json } = await sandbox.get("/sandbox/ledger/summary?to=2027-01-01", bothOf("app"));
    expect(summary.parse(json).transactions.count).toBeLessThanOrEqual(41);
  });
});

describe("the providers of an account", () => {
  const rampsOf = async (headers: Record<string, string>) => {
    const quotes = z.array(quote).parse((await sandbox.get("/quotes/eur/btc?amount=200", headers)).json);
    return quotes.map(({ ramp }) => ramp).toSorted();
  };

  test("are those of its file, on every endpoint of both surfaces", async () => {
    const { message } = providersResponse.parse(
      (await sandbox.get("/supported/onramps/all", keyOf("app"))).json,
    );
    expect(message.map(({ id }) => id).toSorted()).toEqual(["banxa", "ramp"]);
    expect(await rampsOf(keyOf("app"))).toEqual(["banxa", "ramp"]);
    const onramps = await sandbox.get("/supported/onramps?source=eur&destination=btc", keyOf("app"));
    expect(onramps.text).not.toContain("moonpay");
    const { gateways } = gatewaysResponse.parse((await sandbox.get("/legacy/gateways", keyOf("app"))).json);
    expect(gateways.map(({ identifier }) => identifier).toSorted()).toEqual(["banxa", "ramp"]);
    const rates = ratesResponse.parse(
      (await sandbox.get("/legacy/rate/EUR/BTC/creditCard/200", keyOf("app"))).json,
    );
    expect(rates.map(({ identifier }) => identifier).toSorted()).toEqual(["banxa", "ramp"]);
  });

  test("are all of them for others, and for whoever sends no key", async () => {
    const all = await rampsOf(keyOf("shop"));
    expect(all.length).toBeGreaterThan(8);
    expect(await rampsOf({})).toEqual(all);
  });

  test("are the only ones that a checkout takes", async () => {
    const answer = await sandbox.post("/checkout/intent", { ...order, onramp: "moonpay" }, keyOf("app"));
    expect([answer.status, answer.json]).toEqual([
      403,
      expect.objectContaining({ type: "PROVIDER_NOT_ENABLED", field: "onramp" }),
    ]);
  });
});

test("the preferred provider is the one of the file, by the client's name", async () => {
  const preferred = async (client: string) => {
    const path = `/quotes/eur/btc?amount=200&clientName=${client}`;
    const quotes = z.array(quote).parse((await sandbox.get(path, keyOf("app"))).json);
    return quotes.filter((each) => each.recommendations.includes("ClientPreferred")).map(({ ramp }) => ramp);
  };
  expect(await preferred("widget")).toEqual(["ramp"]);
  expect(await preferred("anything")).toEqual(["banxa"]);
});

test("an account with a limit gets 429 with Retry-After beyond it, on every endpoint, and others do not", async () => {
  const paths = ["/supported/assets", "/quotes/eur/btc?amount=200", "/legacy/gateways", "/transactions"];
  for (const path of paths) {
    sandbox.clock.nowMs += 10_000;
    const ask3 = async (name: string) => {
      const answers = [];
      for (let i = 0; i < 3; i++) answers.push(await sandbox.get(path, bothOf(name)));
      return answers;
    };
    const answers = await ask3("busy");
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 200, 200, 429]);
    expect(answers[2]?.headers.get("retry-after")).toMatch(/^\d+$|GMT$/);
    expect((await ask3("shop")).map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});

test("a purchase over the legacy surface belongs to whoever asked for the rate", async () => {
  const rates = ratesResponse.parse(
    (await sandbox.get("/legacy/rate/EUR/BTC/creditCard/200", keyOf("app"))).json,
  );
  const entry = rates.find(({ identifier }) => identifier === "ramp");
  const url = entry?.available && entry.nextStep.type === "form" ? entry.nextStep.url : "";
  const body = JSON.stringify({ email: "ada@example.org", cryptocurrencyAddress: order.wallet.address });
  expect((await ask(url, { method: "POST", body })).status).toBe(200);
  const newest = (await transactionsOf("app", "&startDateTime=2026-11-02T09:00:00Z")).at(-1);
  expect(newest).toMatchObject({ apiKey: "pk_app", onramp: "ramp", status: "new" });
});

test("a live account's orders move by the clock, and its providers decline some", async () => {
  const decided: string[] = [];
  for (let i = 0; i < 30; i++) {
    const { url, transactionId } = await checkout("real", { onramp: "transfi" });
    await ask(url, { method: "POST", body: new URLSearchParams({ decision: "pay" }) });
    decided.push(transactionId);
  }
  const statuses = async () =>
    Promise.all(
      decided.map(async (id) => {
        const { json } = await sandbox.get(`/transactions/${id}`, bothOf("real"));
        return (json as { status: string }).status;
      }),
    );
  sandbox.clock.nowMs += 10_000;
  expect(new Set(await statuses())).toEqual(new Set(["pending"]));
  sandbox.clock.nowMs += 3_600_000;
  expect(new Set(await statuses())).toEqual(new Set(["completed", "failed"]));
});

describe("an accounts file", () => {
  const entry = { name: "a", apiKey: "k", apiSecret: "s" };
  test.each<[string, unknown, RegExp]>([
    ["no list", {}, /^accounts: file: /],
    ["an empty list", [], /expected at least one account/],
    ["no secret", [{ name: "a", apiKey: "k" }], /\[0\]: give either apiSecret or apiSecretFile/],
    ["two secrets", [{ ...entry, apiSecretFile: "f" }], /\[0\]: give either/],
    [
      "an unknown provider",
      [{ ...entry, providers: ["monpay"] }],
      /no provider "monpay", did you mean moonpay\?/,
    ],
    ["an unknown field", [{ ...entry, provider: "x" }], /\[0\]: .*provider/],
    ["a mode that is none", [{ ...entry, mode: "demo" }], /\[0\]\.mode: /],
    ["two accounts with one key", [entry, { ...entry, name: "b" }], /two accounts have the apiKey of "b"/],
    ["two accounts with one name", [entry, { ...entry, apiKey: "l" }], /two accounts have the name of "a"/],
    ["a weak webhook secret", [{ ...entry, webhook: { url: "http://a", secret: "x" } }], /whsec_/],
  ])("with %s is refused", (_, content, says) => {
    expect(() => parseAccounts(JSON.stringify(content), () => "")).toThrow(says);
  });

  test("may keep secrets in files, and names no secret when it is refused", () => {
    const [only] = parseAccounts(
      JSON.stringify([{ name: "a", apiKey: "k", apiSecretFile: "f" }]),
      (file) => `in ${file}`,
    );
    expect(only.apiSecret).toBe("in f");
    const bad = [{ name: "a", apiKey: "canary", apiSecret: "canary bird" }];
    expect(() => parseAccounts(JSON.stringify(bad), () => "")).not.toThrow(/canary/);
    expect(() => parseAccounts("{", () => "")).toThrow("the file is not JSON");
  });
});
