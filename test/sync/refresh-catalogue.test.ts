import { expect, onTestFinished, test } from "vitest";
import { refreshCatalogue } from "../../src/sync/refresh-catalogue.ts";
import type { Upstream } from "../../src/upstream/client.ts";
import { startHttpServer } from "../support/http-server.ts";
import { type LogLine, syncDeps } from "../support/sync-deps.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount } from "../support/use-sync.ts";

const database = useTestDatabase();
const usdc = { id: "usdc_base", code: "USDC", name: "USD Coin", network: "base", decimals: 6, chainId: 8453 };
const btc = { id: "btc", code: "BTC", name: "Bitcoin", network: "bitcoin", decimals: 8 };

test("entries that cannot be read leave the others and what was known, and are named in the log", async () => {
  const account = await accountAt({ crypto: [btc, usdc] });
  const { kept } = account;
  await refresh(account);
  expect(await kept()).toEqual([
    ["btc", "Bitcoin", 8, null],
    ["usdc_base", "USD Coin", 6, "8453"],
  ]);

  account.serve({
    crypto: [
      { ...usdc, name: "rubbish", chainId: "mainnet" },
      { ...btc, name: "Bitcoin (BTC)" },
      { ...btc, id: "dust", decimals: 2_147_483_648 },
    ],
  });
  const { lines, counts } = await refresh(account);
  expect(await kept()).toEqual([
    ["btc", "Bitcoin (BTC)", 8, null],
    ["usdc_base", "USD Coin", 6, "8453"],
  ]);
  expect(counts).toEqual({ assets: 1, fiats: 1, paymentTypes: 1, providers: 1 });
  expect(lines).toEqual([
    {
      level: "warn",
      event: "catalogue_items_left_out",
      account: account.name,
      // Once each, although the lists for buying and for selling both have them.
      items: 2,
      first: [
        'GET /supported: message.crypto[0] "usdc_base": chainId: expected an integer',
        'GET /supported: message.crypto[2] "dust": decimals: expected 0 to 255',
      ],
    },
  ]);
});

test("texts that no database keeps do not stop it", async () => {
  const account = await accountAt({ crypto: [{ ...btc, name: "Bit\u0000coin\uD800" }] });
  const { lines } = await refresh(account);
  expect(await account.kept()).toEqual([["btc", String.raw`Bit\u0000coin` + "\uFFFD", 8, null]]);
  expect(lines).toEqual([]);
});

test("an answer that is not a list fails, and changes nothing", async () => {
  const account = await accountAt({ crypto: [btc] });
  await refresh(account);
  account.serve({ crypto: { btc: { ...btc, name: "rubbish" } } });
  await expect(refresh(account)).rejects.toThrow("message.crypto");
  expect(await account.kept()).toEqual([["btc", "Bitcoin", 8, null]]);
});

type Account = { id: number; name: string; upstream: Upstream };

async function refresh(account: Account) {
  const lines: LogLine[] = [];
  const counts = await refreshCatalogue(syncDeps(database.db, { lines }), account);
  return { lines, counts };
}

/** An account at a server that offers these assets, a fiat, a payment type and a provider. */
async function accountAt(offer: { crypto: unknown }) {
  let { crypto } = offer;
  const server = await startHttpServer(({ path }) => {
    if (path.startsWith("/supported/payment-types"))
      return { body: { message: { card: { paymentTypeId: "card", name: "Card" } } } };
    if (path.startsWith("/supported/onramps")) return { body: { message: [{ id: "banxa" }] } };
    return { body: { message: { crypto, fiat: [{ id: "eur", code: "EUR" }] } } };
  });
  onTestFinished(() => server.close());
  const account = (await addAccount(database.db, server)) as Account;
  return {
    ...account,
    serve: (next: { crypto: unknown }) => void (crypto = next.crypto),
    kept: async () => {
      const rows = await database.db.query<Record<"id" | "name" | "decimals" | "chain", unknown>>(
        `select id, name, stated_decimals as decimals, chain_id as chain from tieout.assets
         where account_id = $1 order by id`,
        [account.id],
      );
      return rows.map(({ id, name, decimals, chain }) => [id, name, decimals, chain]);
    },
  };
}
