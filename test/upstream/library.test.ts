import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url).pathname;

/** A folder inside the repository, so that the package finds itself by its name. */
async function scratch(name: string): Promise<string> {
  const folder = join(root, "dist", `scratch-${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("the example of the documentation buys and sells, and prints what it says", async () => {
  const page = await readFile(join(root, "docs/client.md"), "utf8");
  const example = /```js example\n(.+?)```/s.exec(page)?.[1] ?? "";
  const printed = /```text\n(.+?)```/s.exec(page)?.[1] ?? "";
  const sandbox = await startSandbox({ port: 0, now: Date.now, transactions: 50, timeScale: 10_000 });
  onTestFinished(() => sandbox.close());
  const file = join(await scratch("example"), "example.js");
  await writeFile(file, example);
  const { stdout } = await run("node", [file], { env: { ...process.env, BASE_URL: sandbox.url } });
  const form = printed.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("…", String.raw`[\d.]+`);
  expect(printed).toContain("bought");
  expect(stdout).toMatch(new RegExp(`^${form}$`));
});

describe("the package", () => {
  test("has types that a strict program can use", async () => {
    const folder = await scratch("types");
    await mkdir(join(folder, "node_modules"));
    await symlink(root, join(folder, "node_modules/tieout"));
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(join(folder, "program.ts"), program);
    const options =
      "--ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node --skipLibCheck false";
    const tsc = (file: string) =>
      run("node", [join(root, "node_modules/typescript/bin/tsc"), ...options.split(" "), file], {
        cwd: folder,
      });
    const { stdout } = await tsc("program.ts").catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe("");
    // Types that were not found would be `any`, and accept everything.
    await writeFile(join(folder, "wrong.ts"), program.replace('type: "buy"', 'type: "swap"'));
    await expect(tsc("wrong.ts")).rejects.toMatchObject({
      stdout: expect.stringContaining("TS2322") as string,
    });
  });

  test("lets nobody in by another door", async () => {
    const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { exports: object };
    expect(Object.keys(exports)).toEqual(["./client", "./client/browser", "./package.json"]);
  });
});

const program = `
import { createClient, decimal, type Decimal, UpstreamError } from "tieout/client";
import { createBrowserClient, nextStepMessage } from "tieout/client/browser";

const client = createClient({ baseUrl: "https://example.com", apiKey: "k", apiSecret: "s" });
const { quotes } = await client.fetchBuyQuotes({ fiat: "EUR", crypto: "BTC", amount: decimal("1") });
const payout: Decimal | undefined = quotes[0]?.payout;
await client.createCheckout({
  onramp: "moonpay",
  source: "EUR",
  destination: "XRP",
  amount: decimal("100"),
  type: "buy",
  wallet: { address: "r…", memo: "42" },
  supportedParams: { partnerData: { redirectUrl: { success: new URL("https://shop.example/") } } },
});
for await (const outcome of client.readTransactions({ from: new Date(0) }))
  if (outcome.kind === "record") console.log(outcome.record.inAmount, payout);
const page = createBrowserClient({ baseUrl: "https://example.com", apiKey: "k" });
await page.fetchRates({ fromCurrency: "EUR", toCurrency: "BTC", paymentMethod: "creditCard", amount: 1 });
export const failed = (error: unknown) => error instanceof UpstreamError && error.code === "rate_limited";
export { nextStepMessage };
`;
