import { describe, expect, test } from "vitest";
import { isoCountryList } from "../../../src/sandbox/world/iso-countries.ts";
import { recordsOf, statusesOf } from "../transaction-records.ts";
import { ask, useSandbox } from "../use-sandbox.ts";
import { ada, buyOrder, cardOf, goodCard, introduce, visit } from "./a-visitor.ts";

const sandbox = useSandbox({ timeScale: 60, defaultCountry: "DE" });
const manila = useSandbox({ timeScale: 60, defaultCountry: "PH" });

const minute = 60_000;
const buy = (changes: object = {}) => visit(sandbox, { ...buyOrder, ...changes });

describe("before the payment", () => {
  test("contact, code and identity come in turn, and the record stays new", async () => {
    const visitor = await buy();
    expect((await visitor.look()).text).toContain("How can we reach you?");
    expect(await visitor.send("contact", { email: "ada@example.org" })).toBe("code");
    expect((await visitor.look()).text).toContain("a•••@example.org");
    expect(await visitor.send("code", { code: "123456" })).toBe("identity");
    expect(await visitor.send("identity", ada)).toBe("card");
    expect(await visitor.state()).toMatchObject({ step: "card", status: "new" });
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new"]);
  });

  test("a provider that asks for an e-mail address only asks for no document", async () => {
    const visitor = await buy({ onramp: "ramp" });
    await visitor.send("contact", { email: "ada@example.org" });
    expect(await visitor.send("code", { code: "123456" })).toBe("card");
  });

  test.each([
    ["contact", { email: "" }, "email: The e-mail address is missing."],
    ["contact", { email: "ada" }, /^email: That is not an e-mail address/],
  ])("%s %o is refused at its field", async (step, fields, problem) => {
    const visitor = await buy();
    expect(await visitor.send(step, fields)).toMatch(problem);
    expect((await visitor.state()).step).toBe("contact");
  });

  test.each([
    [{ familyName: "" }, /^familyName: /],
    [{ birthDate: "10.12.1985" }, /^birthDate: That is not a date/],
    [{ birthDate: "2010-01-01" }, /^birthDate: You must be 18/],
    [{ birthDate: "2008-11-03" }, /^birthDate: You must be 18/],
    [{ country: "UK" }, /^country: /],
    [{ document: "library card" }, /^document: /],
    [{ documentNumber: "" }, /^documentNumber: /],
  ])("identity with %o is refused at its field", async (changes, problem) => {
    const visitor = await buy();
    expect(await introduce(visitor, { ...ada, ...changes })).toMatch(problem);
    expect((await visitor.state()).step).toBe("identity");
  });

  test("eighteen is old enough on the day", async () => {
    expect(await introduce(await buy(), { ...ada, birthDate: "2008-11-02" })).toBe("card");
  });

  test("a wrong code is told, and the right one still works", async () => {
    const visitor = await buy();
    await visitor.send("contact", { email: "ada@example.org" });
    expect(await visitor.send("code", { code: "000000" })).toMatch(/^code: /);
    expect(await visitor.send("code", { code: "123456" })).toBe("identity");
  });

  test("another address must be confirmed again", async () => {
    const visitor = await buy();
    await introduce(visitor);
    expect((await visitor.look("contact")).status).toBe(200);
    expect(await visitor.send("contact", { email: "eve@example.org" })).toBe("code");
    expect(await visitor.send("code", { code: "123456" })).toBe("card");
  });

  test("every country of the list has a name", async () => {
    const visitor = await buy();
    await visitor.send("contact", { email: "ada@example.org" });
    await visitor.send("code", { code: "123456" });
    const page = (await visitor.look()).text;
    expect(page).toMatch(/<option value="DE"\s+selected\s*>Germany</);
    expect([...page.matchAll(/<option value="[A-Z]{2}"/g)]).toHaveLength(isoCountryList.length);
  });
});

describe("identity", () => {
  test.each([{ familyName: "refused" }, { documentNumber: "x0000000" }])(
    "%o is refused: the transaction is failed, and no later form changes that",
    async (changes) => {
      const visitor = await buy();
      sandbox.clock.nowMs += 1000;
      expect(await introduce(visitor, { ...ada, ...changes })).toMatch(/home|review/);
      sandbox.clock.nowMs += 1000;
      expect((await visitor.look()).text).toContain("Identity not confirmed");
      expect(await visitor.send("card", goodCard)).toBe("home");
      const records = await recordsOf(sandbox, visitor.transactionId);
      expect(records.map(({ status }) => status)).toEqual(["new", "failed"]);
      expect(records.map(({ transactionHash }) => transactionHash)).toEqual(["", ""]);
    },
  );

  test("a review takes five sandbox minutes, then the payment is open", async () => {
    const visitor = await buy();
    expect(await introduce(visitor, { ...ada, familyName: "Review" })).toBe("review");
    expect((await visitor.look()).text).toContain('<noscript><meta http-equiv="refresh" content="2;url=');
    expect(await visitor.send("card", goodCard)).toBe("home");
    sandbox.clock.nowMs += 4999;
    expect((await visitor.state()).step).toBe("review");
    sandbox.clock.nowMs += 1;
    expect((await visitor.state()).step).toBe("card");
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new"]);
  });

  test("a review can end with a refusal, whether anyone looks or not", async () => {
    const visitor = await buy();
    expect(await introduce(visitor, { ...ada, familyName: "Doubtful" })).toBe("review");
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new"]);
    sandbox.clock.nowMs += 5000;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "failed"]);
    expect(await visitor.state()).toMatchObject({ step: "failed", status: "failed" });
  });
});

describe("by card", () => {
  test("is paid, and runs to completed", async () => {
    const visitor = await buy();
    await introduce(visitor);
    expect(await visitor.send("card", goodCard)).toBe("home");
    expect((await visitor.look()).text).toContain("Waiting for your payment");
    sandbox.clock.nowMs += 60_000;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test.each([
    ["4000000000000002", "Your card was declined."],
    ["4000 0000 0000 9995", "Insufficient funds."],
  ])("%s is refused and the order stays open; another card pays", async (number, message) => {
    const visitor = await buy();
    await introduce(visitor);
    expect(await visitor.send("card", cardOf(number))).toBe("card");
    expect((await visitor.look("card")).text).toContain(message);
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new"]);
    await visitor.send("card", goodCard);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("three refusals are the end", async () => {
    const visitor = await buy();
    await introduce(visitor);
    await visitor.send("card", cardOf("4000000000000002"));
    await visitor.send("card", cardOf("4000000000000002"));
    expect((await visitor.look()).text).toContain("This is your last try.");
    expect(await visitor.send("card", cardOf("4000000000000002"))).toBe("home");
    expect(await visitor.send("card", goodCard)).toBe("home");
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "failed"]);
  });

  test.each([
    [{ cardNumber: "4242424242424241" }, /^cardNumber: That is not a card number/],
    [{ cardNumber: "4111111111111111" }, /^cardNumber: The sandbox takes test cards only/],
    [{ expiry: "13/30" }, /^expiry: That is not a month/],
    [{ expiry: "10/26" }, /^expiry: This card is no longer valid/],
    [{ securityCode: "12" }, /^securityCode: /],
  ])("%o is refused at its field, and is not an attempt", async (changes, problem) => {
    const visitor = await buy();
    await introduce(visitor);
    for (let times = 0; times < 4; times++) {
      expect(await visitor.send("card", { ...goodCard, ...changes })).toMatch(problem);
    }
    expect((await visitor.state()).step).toBe("card");
  });

  test("a card is good until the end of its month, and its number is never sent back", async () => {
    const visitor = await buy();
    await introduce(visitor);
    const refused = await ask(`${visitor.url}/card`, {
      method: "POST",
      body: new URLSearchParams({ ...goodCard, securityCode: "1" }),
    });
    expect(refused.text).not.toMatch(/value="4242/);
    expect(await visitor.send("card", { ...goodCard, expiry: "11/2026" })).toBe("home");
  });

  test("with a challenge: the code of the bank pays, a no of the bank is a refusal", async () => {
    const visitor = await buy();
    await introduce(visitor);
    expect(await visitor.send("card", cardOf("4000000000003220"))).toBe("challenge");
    expect(await visitor.send("challenge", { simulate: "fail" })).toBe("card");
    expect((await visitor.look()).text).toContain("Your bank did not confirm");
    expect(await visitor.send("card", cardOf("4000000000003220"))).toBe("challenge");
    expect(await visitor.send("challenge", { code: "1" })).toMatch(/^code: /);
    expect(await visitor.send("card", goodCard)).toBe("home");
    expect(await visitor.send("challenge", { code: "123456" })).toBe("home");
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("sending the form twice pays once", async () => {
    const visitor = await buy();
    await introduce(visitor);
    expect(await Promise.all([visitor.send("card", goodCard), visitor.send("card", goodCard)])).toEqual([
      "home",
      "home",
    ]);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });
});

describe("in two windows", () => {
  test("a form that was still coming in when the other window paid changes nothing", async () => {
    const visitor = await buy();
    await introduce(visitor);
    let goOn = () => {};
    const paid = new Promise<void>((resolve) => (goOn = resolve));
    const text = new URLSearchParams(goodCard).toString();
    const late = fetch(`${visitor.url}/card`, {
      method: "POST",
      redirect: "manual",
      duplex: "half",
      body: new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.from(text.slice(0, 5)));
          await paid;
          controller.enqueue(Buffer.from(text.slice(5)));
          controller.close();
        },
      }),
    });
    expect(await visitor.send("card", goodCard)).toBe("home");
    goOn();
    expect((await late).status).toBe(303);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });
});

describe("by bank transfer", () => {
  const byTransfer = async () => {
    const visitor = await buy({ onramp: "guardarian", paymentMethod: "banktransfer" });
    await introduce(visitor);
    return visitor;
  };

  test("shows account and reference, and the money takes an hour of sandbox time", async () => {
    const visitor = await byTransfer();
    const page = (await visitor.look("transfer")).text;
    expect(page).toContain("DE02120300000000202051");
    expect(page).toContain(`<strong>${visitor.transactionId}</strong>`);
    expect(await visitor.send("transfer")).toBe("home");
    sandbox.clock.nowMs += 59_999;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending"]);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("the arrival can be simulated", async () => {
    const visitor = await byTransfer();
    await visitor.send("transfer", { simulate: "arrives" });
    sandbox.clock.nowMs += 1;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid"]);
  });

  test("a transfer that never arrives fails", async () => {
    const visitor = await byTransfer();
    await visitor.send("transfer", { simulate: "never" });
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending"]);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "failed"]);
    expect((await visitor.look()).text).toContain("The bank transfer did not arrive.");
  });
});

describe("by voucher and by approval", () => {
  test("a voucher pays, others say what is wrong with them", async () => {
    const order = {
      ...buyOrder,
      onramp: "alchemypay",
      source: "php",
      amount: 5000,
      paymentMethod: "7eleven",
    };
    const visitor = await visit(manila, order);
    await visitor.send("contact", { email: "ada@example.org" });
    expect(await visitor.send("code", { code: "123456" })).toBe("voucher");
    expect(await visitor.send("voucher", { voucher: "nonsense" })).toMatch(
      /^voucher: There is no such voucher/,
    );
    expect(await visitor.send("voucher", { voucher: "TEST-USED-0002" })).toBe("voucher");
    expect((await visitor.look()).text).toContain("This voucher has been used before.");
    expect(await visitor.send("voucher", { voucher: "test-paid-0001" })).toBe("home");
    manila.clock.nowMs += minute;
    expect(await statusesOf(manila, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
  });

  test("Apple Pay is approved, or declined and tried again", async () => {
    const visitor = await buy({ onramp: "ramp", paymentMethod: "applepay" });
    await visitor.send("contact", { email: "ada@example.org" });
    expect(await visitor.send("code", { code: "123456" })).toBe("approval");
    expect(await visitor.send("approval", { simulate: "decline" })).toBe("approval");
    expect(await visitor.send("approval")).toBe("home");
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending"]);
  });
});

describe("the price", () => {
  test("stands for five minutes, then a new one is offered and told as another new", async () => {
    const visitor = await buy();
    await introduce(visitor);
    expect((await visitor.look()).text).toContain('data-seconds="300.000"');
    sandbox.clock.nowMs += 5 * minute;
    expect(await visitor.send("card", goodCard)).toBe("home");
    expect((await visitor.look()).text).toContain("The price has been updated");
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new"]);
    expect(await visitor.send("price")).toBe("card");
    expect(await visitor.send("card", goodCard)).toBe("home");
    sandbox.clock.nowMs += minute;
    const records = await recordsOf(sandbox, visitor.transactionId);
    expect(records.map(({ status }) => status)).toEqual(["new", "new", "pending", "paid", "completed"]);
    const [before, ...after] = records.map(({ outAmount }) => outAmount);
    expect(new Set(after).size).toBe(1);
    expect(after[0]).not.toBe(before);
  });

  test("does not change for one who has pressed Pay and must still answer the bank", async () => {
    const visitor = await buy();
    await introduce(visitor);
    await visitor.send("card", cardOf("4000000000003220"));
    sandbox.clock.nowMs += 5 * minute;
    expect(await visitor.send("challenge", { code: "123456" })).toBe("home");
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending"]);
  });
});

describe("the way out", () => {
  test("cancelled in the middle is canceled", async () => {
    const visitor = await buy();
    await introduce(visitor);
    sandbox.clock.nowMs += 1000;
    await ask(visitor.url, { method: "POST", body: new URLSearchParams({ decision: "cancel" }) });
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "canceled"]);
    expect(await visitor.send("card", goodCard)).toBe("home");
    expect((await visitor.look()).text).toContain("Cancelled");
  });

  test("left lying it expires: canceled, the page says so, and no form is taken", async () => {
    const visitor = await buy();
    await introduce(visitor);
    sandbox.clock.nowMs += 10 * minute;
    expect(await visitor.send("card", goodCard)).toBe("home");
    expect((await visitor.look()).text).toContain("This checkout has expired");
    expect(await visitor.state()).toMatchObject({ step: "expired", status: "canceled" });
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "canceled"]);
  });

  test("a step whose turn has not come, or is over, leads to the one whose turn it is", async () => {
    const visitor = await buy();
    expect((await visitor.look("card")).status).toBe(303);
    await introduce(visitor);
    expect((await visitor.look("identity")).headers.get("location")).toBe(new URL(visitor.url).pathname);
    expect((await visitor.look("nowhere")).status).toBe(404);
  });
});
