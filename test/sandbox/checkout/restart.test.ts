import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkoutIntentResponse } from "../../../src/sandbox/current/checkout-schemas.ts";
import { startSandbox, type RunningSandbox } from "../../../src/sandbox/server.ts";
import { ask, startOfTime, withKey, withSecret } from "../use-sandbox.ts";

const dataDir = mkdtempSync(join(tmpdir(), "sandbox-"));
afterAll(() => rmSync(dataDir, { recursive: true }));

let nowMs = startOfTime;
const start = (seed: string) =>
  startSandbox({ port: 0, now: () => nowMs, dataDir, seed, transactions: 20, timeScale: 60 });

async function checkoutAndPay(sandbox: RunningSandbox): Promise<{ transactionId: string; session: string }> {
  const body = JSON.stringify({
    onramp: "coinbase",
    source: "usd",
    destination: "usdc_base",
    amount: 50,
    wallet: { address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F" },
  });
  const answer = await ask(`${sandbox.url}/checkout/intent`, { method: "POST", headers: withKey, body });
  const { transactionInformation } = checkoutIntentResponse.parse(answer.json).message;
  await ask(transactionInformation.url, { method: "POST", body: new URLSearchParams({ decision: "pay" }) });
  return {
    transactionId: transactionInformation.transactionId,
    session: new URL(transactionInformation.url).pathname,
  };
}

test("checkouts outlive the process, and no later seed rewrites them", async () => {
  const before = await start("one");
  const { transactionId, session } = await checkoutAndPay(before);
  nowMs += 3_600_000;
  const path = `/transactions?transactionIds=${transactionId}`;
  const seen = await ask(before.url + path, { headers: withSecret });
  await before.close();

  const after = await start("two");
  expect((await ask(after.url + path, { headers: withSecret })).text).toBe(seen.text);
  expect(seen.text.match(/"status":"(\w+)"/g)).toHaveLength(4);
  expect((await ask(after.url + session)).text).toContain("Completed");
  await after.close();
});
