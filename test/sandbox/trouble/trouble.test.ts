import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { availabilityResponse, quote } from "../../../src/sandbox/current/schemas.ts";
import { gatewaysResponse, ratesResponse } from "../../../src/sandbox/earlier/schemas.ts";
import { noFaults } from "../../../src/sandbox/transactions/faults.ts";
import { noTrouble, parseAllFaults, writeAllFaults } from "../../../src/sandbox/trouble/trouble.ts";
import { recordsOf } from "../transaction-records.ts";
import { ask, useSandbox, withKey, withSecret } from "../use-sandbox.ts";

const sandbox = useSandbox({ defaultCountry: "DE", transactions: 60 });
const withControl = useSandbox({ defaultCountry: "DE", control: true });

const order = {
  onramp: "moonpay",
  source: "eur",
  destination: "btc",
  amount: 200,
  wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
};

/** The faults are on while it runs, and off afterwards. */
async function during<T>(faults: string, run: () => Promise<T>): Promise<T> {
  Object.assign(sandbox.switches, parseAllFaults(faults));
  try {
    return await run();
  } finally {
    Object.assign(sandbox.switches, { faults: noFaults, trouble: noTrouble });
  }
}

const checkout = (changes: object = {}) => sandbox.post("/checkout/intent", { ...order, ...changes });

async function pay(changes: object = {}): Promise<string> {
  const { transactionInformation } = checkoutIntentResponse.parse((await checkout(changes)).json).message;
  await ask(transactionInformation.url, { method: "POST", body: new URLSearchParams({ decision: "pay" }) });
  return transactionInformation.transactionId;
}

async function statusesAfterPaying(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await pay());
  sandbox.clock.nowMs += 60_000;
  const records = await Promise.all(ids.map((id) => recordsOf(sandbox, id)));
  return records.map((each) => each.at(-1)?.status ?? "");
}

describe("a provider that is down", () => {
  test("quotes nothing, serves nobody and opens nothing, while the others go on", async () => {
    const ramps = async () =>
      z
        .array(quote)
        .parse((await sandbox.get("/quotes/eur/btc?amount=200")).json)
        .map(({ ramp }) => ramp);
    const before = await ramps();
    await during("outage=moonpay+banxa", async () => {
      expect(await ramps()).toEqual(before.filter((ramp) => ramp !== "moonpay" && ramp !== "banxa"));
      const onramps = await sandbox.get("/supported/onramps?source=eur&destination=btc");
      const listed = availabilityResponse.parse(onramps.json).message.map(({ onramp }) => onramp);
      expect(listed).not.toContain("moonpay");
      const refused = await checkout();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
      expect(refused.json).toMatchObject({ type: "PROVIDER_UNAVAILABLE", field: "onramp" });
      expect((await checkout({ onramp: "transak" })).status).toBe(200);
      const rates = ratesResponse.parse((await sandbox.get("/legacy/rate/EUR/BTC/creditCard/200")).json);
      expect(rates.find(({ identifier }) => identifier === "moonpay")).toMatchObject({
        available: false,
        error: { type: "UNAVAILABLE" },
      });
      const { gateways } = gatewaysResponse.parse((await sandbox.get("/legacy/gateways")).json);
      expect(gateways.map(({ identifier }) => identifier)).toContain("moonpay");
    });
    expect(await ramps()).toEqual(before);
  });
});

describe("orders", () => {
  test("are declined at the rate asked for", async () => {
    const statuses = await during("declined=0.5", () => statusesAfterPaying(24));
    expect(new Set(statuses)).toEqual(new Set(["failed", "completed"]));
    expect(await during("declined=1", () => statusesAfterPaying(3))).toEqual(["failed", "failed", "failed"]);
  });

  test("get stuck for ever", async () => {
    const statuses = await during("stuck=1", () => statusesAfterPaying(12));
    sandbox.clock.nowMs += 86_400_000;
    expect(new Set(statuses)).toEqual(new Set(["pending", "paid"]));
  });

  test("take ten times as long", async () => {
    const [quick, slow] = [await during("", pay), await during("slow=1", pay)];
    sandbox.clock.nowMs += 10_000;
    const lastOf = async (id: string) => (await recordsOf(sandbox, id)).at(-1)?.status;
    expect([await lastOf(quick), await lastOf(slow)]).toEqual(["completed", "paid"]);
    sandbox.clock.nowMs += 100_000;
    expect(await lastOf(slow)).toBe("completed");
  });
});

describe("users", () => {
  const uuid = (last: number) => `5f0c2b7e-7a64-4a0e-9a2d-7d0b5d3f8e0${last}`;

  test("can open so many orders in 24 hours, and then again", async () => {
    await during("user-orders=2", async () => {
      for (const status of [200, 200, 403]) expect((await checkout({ uuid: uuid(1) })).status).toBe(status);
      expect((await checkout({ uuid: uuid(2) })).status).toBe(200);
      expect((await checkout()).status).toBe(200);
      sandbox.clock.nowMs += 86_400_000;
      expect((await checkout({ uuid: uuid(1) })).status).toBe(200);
    });
  });

  test("can order for so much, and quotes know it", async () => {
    await during("user-usd=500", async () => {
      const offers = async (amount: number) => {
        const { json } = await sandbox.get(`/quotes/eur/btc?amount=${amount}&uuid=${uuid(3)}`);
        return z.array(quote).parse(json).length;
      };
      expect(await offers(400)).toBeGreaterThan(3);
      expect((await checkout({ uuid: uuid(3), amount: 300 })).status).toBe(200);
      expect(await offers(400)).toBe(0);
      expect(await offers(100)).toBeGreaterThan(3);
      expect((await checkout({ uuid: uuid(3), amount: 300 })).json).toMatchObject({ type: "LIMIT_MISMATCH" });
    });
  });
});

describe("answers of every endpoint", () => {
  const form = async () => {
    const rates = ratesResponse.parse((await sandbox.get("/legacy/rate/EUR/BTC/creditCard/200")).json);
    const entry = rates.find(({ identifier }) => identifier === "ramp");
    return entry?.available && entry.nextStep.type === "form" ? entry.nextStep.url : "";
  };
  const requests = {
    supported: () => sandbox.get("/supported/payment-types"),
    quotes: () => sandbox.get("/quotes/eur/btc?amount=200"),
    checkout: () => checkout(),
    gateways: () => sandbox.get("/legacy/gateways"),
    rate: () => sandbox.get("/legacy/rate/EUR/BTC/creditCard/200"),
    steps: async () => ask(stepUrl, { method: "POST", body: "{}" }),
    pages: () => sandbox.get("/sandbox/checkout/unknown"),
    transactions: () => sandbox.get("/transactions", withSecret),
  };
  type Group = keyof typeof requests;
  const groups = Object.keys(requests) as Group[];
  let stepUrl = "";

  test.each(groups)("429 of %s comes with Retry-After, and befalls nobody else", async (group) => {
    stepUrl = await form();
    await during(`${group}:429=1`, async () => {
      for (const each of groups) {
        const answer = await requests[each]();
        expect([each, answer.status === 429]).toEqual([each, each === group]);
      }
      const { headers, json } = await requests[group]();
      expect(headers.get("retry-after")).toMatch(/^\d+$|GMT$/);
      expect(json).toMatchObject({ message: expect.stringContaining("Too many requests") });
    });
  });

  test.each(groups)("those of %s can fail, wait, break off and be slow", async (group) => {
    stepUrl = await form();
    await during("all:5xx=1", async () =>
      expect((await requests[group]()).status).toBeGreaterThanOrEqual(500),
    );
    await during("all:reset=1", () => expect(requests[group]()).rejects.toThrow("fetch failed"));
    await during("all:html=1", async () =>
      expect((await requests[group]()).headers.get("content-type")).toContain("text/html"),
    );
    await during("all:latency-ms=120", async () => {
      const before = performance.now();
      await requests[group]();
      expect(performance.now() - before).toBeGreaterThan(55);
    });
    await during("all:skew-seconds=-3600", async () => {
      const date = (await requests[group]()).headers.get("date");
      expect(Date.parse(date ?? "")).toBe(Math.floor((sandbox.clock.nowMs - 3_600_000) / 1000) * 1000);
    });
    await during("all:rate-limit=1", async () => {
      sandbox.clock.nowMs += 5000;
      const statuses = [(await requests[group]()).status, (await requests[group]()).status];
      expect(statuses[0]).not.toBe(429);
      expect(statuses[1]).toBe(429);
    });
    await during("all:revoked-after=0,all:rate-limit=0", async () =>
      expect((await requests[group]()).status).not.toBe(401),
    );
  });

  test("can be truncated, and begin with a mark", async () => {
    const outcomes = new Set<string>();
    await during("quotes:truncated=1", async () => {
      for (let i = 0; i < 12; i++) {
        const seen = await requests
          .quotes()
          .then(() => "whole")
          .catch((error: Error) => (error instanceof SyntaxError ? "not JSON" : "cut"));
        outcomes.add(seen);
      }
    });
    expect(outcomes).toEqual(new Set(["not JSON", "cut"]));
    await during("quotes:bom=1", async () => {
      const bytes = await (await fetch(`${sandbox.url}/quotes/eur/btc?amount=200`)).arrayBuffer();
      expect([...new Uint8Array(bytes).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    });
  });

  test("can be read by a page on another origin even when they fail", async () => {
    await during("quotes:429=1", async () => {
      const { headers } = await requests.quotes();
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toBe("Retry-After");
    });
  });

  test("speak the dialect's error body, and the legacy surface its own", async () => {
    const shapes = {
      typed: { errorId: 4011, type: "API_KEY_INVALID" },
      code: { errorCode: 40111, errorMessage: expect.any(String) },
      oauth: { error: "api_key_invalid", error_description: expect.any(String) },
    };
    for (const word of ["typed", "code", "oauth"] as const) {
      sandbox.switches.dialect = { ...sandbox.switches.dialect, "error-body": word };
      const wrong = { authorization: "wrong", "x-service-secret": "wrong" };
      expect((await sandbox.get("/supported", wrong)).json).toMatchObject(shapes[word]);
      expect((await sandbox.get("/transactions", wrong)).json).toMatchObject(shapes[word]);
      expect((await sandbox.get("/legacy/gateways", wrong)).json).toEqual({
        message: expect.any(String),
        field: "Authorization",
      });
    }
    sandbox.switches.dialect = { ...sandbox.switches.dialect, "error-body": "typed" };
  });

  test("need the key everywhere, in the other dialect", async () => {
    const paths = ["/supported", "/quotes/eur/btc?amount=200", "/supported/defaults/all", "/legacy/gateways"];
    sandbox.switches.dialect = { ...sandbox.switches.dialect, key: "everywhere" };
    for (const path of paths) {
      expect([path, (await sandbox.get(path, {})).status]).toEqual([path, 401]);
      expect([path, (await sandbox.get(path, withKey)).status]).toEqual([path, 200]);
    }
    sandbox.switches.dialect = { ...sandbox.switches.dialect, key: "where-marked" };
    for (const path of paths) expect((await sandbox.get(path, {})).status).toBe(200);
  });
});

describe("the control address", () => {
  const put = (body: unknown, headers: Record<string, string> = withSecret) =>
    ask(`${withControl.url}/sandbox/control`, { method: "PUT", headers, body: JSON.stringify(body) });

  test("does not exist unless it was asked for", async () => {
    expect((await sandbox.get("/sandbox/control", withSecret)).status).toBe(404);
  });

  test("needs key and secret", async () => {
    expect((await withControl.get("/sandbox/control", {})).status).toBe(401);
    expect((await withControl.get("/sandbox/control", withKey)).status).toBe(401);
    expect((await put({ faults: "" }, withKey)).status).toBe(401);
  });

  test("changes dialect and faults while it runs, shows them, and a wrong word changes nothing", async () => {
    const faults = "429=0.5,quotes:5xx=1,outage=moonpay,declined=0.25";
    expect((await put({ faults })).json).toMatchObject({ faults });
    expect((await withControl.get("/quotes/eur/btc?amount=200")).status).toBeGreaterThanOrEqual(500);
    expect((await put({ dialect: "window=creation" })).status).toBe(200);
    const wrong = [{ faults: "", dialect: "window=upside-down" }, { fault: "" }, { faults: "outage=mars" }];
    for (const body of wrong) expect((await put(body)).status).toBe(400);
    const shown = (await withControl.get("/sandbox/control", withSecret)).json;
    expect(shown).toMatchObject({ faults, dialect: expect.stringContaining("window=creation") });
    await put({ faults: "", dialect: "" });
    expect((await withControl.get("/quotes/eur/btc?amount=200")).status).toBe(200);
  });

  test("decides an order as its page would", async () => {
    const made = checkoutIntentResponse.parse((await withControl.post("/checkout/intent", order)).json);
    const { transactionId } = made.message.transactionInformation;
    const path = `/sandbox/control/orders/${transactionId}`;
    expect((await withControl.post(path, { decision: "steal" }, withSecret)).status).toBe(400);
    const decided = await withControl.post(path, { decision: "pay" }, withSecret);
    expect([decided.status, decided.json]).toEqual([200, { transactionId, status: "pending" }]);
    expect((await withControl.post(path, { decision: "pay" }, withSecret)).status).toBe(409);
    const unknown = await withControl.post("/sandbox/control/orders/none", { decision: "pay" }, withSecret);
    expect(unknown.status).toBe(404);
  });
});

test("faults written as text read back as they were", () => {
  const text =
    "429=0.05,late=0.1,quotes:5xx=0.5,rate:latency-ms=20,outage=ramp+koywe,stuck=0.1,webhook-lost=0.2";
  expect(writeAllFaults(parseAllFaults(text))).toBe(text);
  const lines = "# what went wrong in March\n429=0.05\nlate=0.1, quotes:5xx=0.5\n\nrate:latency-ms=20\n";
  expect(writeAllFaults(parseAllFaults(`${lines}outage=ramp+koywe\nstuck=0.1,webhook-lost=0.2`))).toBe(text);
});
