import { describe, expect, test } from "vitest";
import { isIban } from "../../../src/sandbox/checkout/steps/payout-account.ts";
import { looksLikeAddress } from "../../../src/sandbox/world/address-form.ts";
import { recordsOf, statusesOf } from "../transaction-records.ts";
import { useSandbox } from "../use-sandbox.ts";
import { introduce, sellOrder, visit } from "./a-visitor.ts";

const sandbox = useSandbox({ timeScale: 60, defaultCountry: "DE" });
const america = useSandbox({ timeScale: 60, defaultCountry: "US" });

const account = { holder: "Ada Lovelace", account: "DE89 3704 0044 0532 0130 00" };
const minute = 60_000;

async function upToDeposit(changes: object = {}) {
  const visitor = await visit(sandbox, { ...sellOrder, ...changes });
  expect(await introduce(visitor)).toBe("payout-account");
  expect(await visitor.send("payout-account", account)).toBe("deposit");
  return visitor;
}

describe("the payout account", () => {
  test("an IBAN has check digits, and of the account only a hint is kept", async () => {
    const visitor = await visit(sandbox, sellOrder);
    await introduce(visitor);
    expect(await visitor.send("payout-account", { ...account, account: "DE89370400440532013001" })).toMatch(
      /^account: That is not an IBAN/,
    );
    expect(await visitor.send("payout-account", { ...account, holder: "" })).toMatch(/^holder: /);
    expect(await visitor.send("payout-account", account)).toBe("deposit");
    const page = (await visitor.look()).text;
    expect(page).toContain("DE•••3000");
    expect(page).not.toContain("0532");
  });

  test.each([
    ["DE89370400440532013000", true],
    ["GB82WEST12345698765432", true],
    ["DE98370400440532013000", false],
    ["GB82WEST12345698765423", false],
    ["DE89", false],
  ])("%s: %s", (text, expected) => {
    expect(isIban(text)).toBe(expected);
  });

  test("elsewhere it is an account number, and for a card payout a card's", async () => {
    const ach = await visit(america, { ...sellOrder, destination: "usd", paymentMethod: "ach" });
    await introduce(ach);
    expect(await ach.send("payout-account", { holder: "Ada", account: "12" })).toMatch(
      /^account: An account/,
    );
    expect(await ach.send("payout-account", { holder: "Ada", account: "000123456789" })).toBe("deposit");
    const card = await visit(america, { ...sellOrder, destination: "usd", paymentMethod: "debitcard" });
    await introduce(card);
    expect(await card.send("payout-account", { holder: "Ada", account: "4242424242424241" })).toMatch(
      /^account: That is not a card number/,
    );
    expect(await card.send("payout-account", { holder: "Ada", account: "4242424242424242" })).toBe("deposit");
  });

  test("can be corrected until the coins are sent", async () => {
    const visitor = await upToDeposit();
    expect((await visitor.look("payout-account")).status).toBe(200);
    expect(await visitor.send("payout-account", { ...account, account: "GB82WEST12345698765432" })).toBe(
      "deposit",
    );
    expect((await visitor.look()).text).toContain("GB•••5432");
  });
});

describe("the deposit", () => {
  test("has an address of the chain, the order's own, as text and as a picture", async () => {
    const [one, other] = [await upToDeposit(), await upToDeposit()];
    const addressOn = (page: string) => /<code>(bc1[a-z0-9]+)<\/code>/.exec(page)?.[1] ?? "";
    const page = (await one.look()).text;
    const address = addressOn(page);
    expect(looksLikeAddress({ id: "bitcoin", family: "utxo" }, address)).toBe(true);
    expect(page).toContain(`aria-label="QR code of the address ${address}"`);
    expect(addressOn((await one.look()).text)).toBe(address);
    expect(addressOn((await other.look()).text)).not.toBe(address);
  });

  test("exactly the amount: confirmations arrive, then it is paid and completed", async () => {
    const visitor = await upToDeposit();
    expect(await visitor.send("deposit", { simulate: "exact" })).toBe("home");
    expect((await visitor.state()).detail).toBe("Deposit seen: 0 of 3 confirmations.");
    sandbox.clock.nowMs += 1000;
    expect((await visitor.state()).detail).toBe("Deposit seen: 1 of 3 confirmations.");
    expect((await visitor.look()).text).toContain("1 of 3 confirmations");
    sandbox.clock.nowMs += 2000;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid"]);
    sandbox.clock.nowMs += minute;
    expect(await statusesOf(sandbox, visitor.transactionId)).toEqual(["new", "pending", "paid", "completed"]);
    expect((await visitor.look()).text).toContain("went to DE•••3000");
  });

  test("less: what arrived can be sold at the same price", async () => {
    const visitor = await upToDeposit();
    sandbox.clock.nowMs += 1000;
    expect(await visitor.send("deposit", { simulate: "less" })).toBe("difference");
    expect((await visitor.look()).text).toContain("Less arrived than agreed");
    expect(await visitor.send("difference", { choice: "sell-agreed" })).toBe("difference");
    expect(await visitor.send("difference", { choice: "sell-all" })).toBe("home");
    sandbox.clock.nowMs += minute;
    const records = await recordsOf(sandbox, visitor.transactionId);
    expect(records.map(({ status, inAmount }) => [status, inAmount])).toEqual([
      ["new", 0.01],
      ["new", 0.009],
      ["pending", 0.009],
      ["paid", 0.009],
      ["completed", 0.009],
    ]);
    const [agreed = 0, sold = 0] = records.map(({ outAmount }) => outAmount);
    expect(sold / agreed).toBeCloseTo(0.9, 1);
    expect(sold).toBeLessThan(agreed);
  });

  test("less: or it goes back, and the sale has failed", async () => {
    const visitor = await upToDeposit();
    await visitor.send("deposit", { simulate: "less" });
    expect(await visitor.send("difference", { choice: "send-back" })).toBe("home");
    sandbox.clock.nowMs += minute;
    const records = await recordsOf(sandbox, visitor.transactionId);
    expect(records.map(({ status, inAmount }) => [status, inAmount])).toEqual([
      ["new", 0.01],
      ["pending", 0.01],
      ["failed", 0.01],
    ]);
    expect((await visitor.look()).text).toContain("goes back to your wallet");
  });

  test.each([
    ["sell-all", 0.011],
    ["sell-agreed", 0.01],
  ])("more: %s sells %d", async (choice, amount) => {
    const visitor = await upToDeposit();
    sandbox.clock.nowMs += 1000;
    expect(await visitor.send("deposit", { simulate: "more" })).toBe("difference");
    expect((await visitor.look()).text).toContain("More arrived than agreed");
    expect(await visitor.send("difference", { choice })).toBe("home");
    sandbox.clock.nowMs += minute;
    const last = (await recordsOf(sandbox, visitor.transactionId)).at(-1);
    expect([last?.status, last?.inAmount]).toEqual(["completed", amount]);
  });

  test("after five minutes the price is made anew", async () => {
    const visitor = await upToDeposit();
    sandbox.clock.nowMs += 5 * minute;
    expect(await visitor.send("deposit", { simulate: "exact" })).toBe("home");
    expect((await visitor.state()).step).toBe("price");
    expect(await visitor.send("price")).toBe("deposit");
  });
});
