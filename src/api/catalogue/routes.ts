import { z } from "@hono/zod-openapi";
import {
  assetPaging,
  type AssetRow,
  listAssets,
  listProviders,
  providerPaging,
  type ProviderRow,
} from "../../store/accounts/catalogue.ts";
import { needs } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { answerList, listExample, listOf, time } from "../list.ts";
import { listParameters, several } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { addRoute } from "../route.ts";
import { accountFilter } from "../transactions/query.ts";

const tag = "Catalogue";
const access = needs("transactions:read");

/** What the aggregator's catalogue said when it was last read; entries that left it stay, because transactions name them. */
export function addCatalogueRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/providers",
      operationId: "listProviders",
      summary: "Providers enabled for the accounts",
      tag,
      access,
      query: z.strictObject({ ...listParameters, account: accountFilter }),
      response: {
        description: "A page of providers.",
        schema: listOf("ProviderList", providerSchema),
        example: listExample("/v1/providers", providerExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) =>
      answerList(
        api,
        input,
        providerPaging,
        (page) => listProviders(input.reader, input.query, page),
        presentProvider,
      ),
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/assets",
      operationId: "listAssets",
      summary: "Crypto assets of the accounts",
      tag,
      access,
      query: z.strictObject({
        ...listParameters,
        account: accountFilter,
        code: several({ description: "Codes of assets.", example: "USDC" }),
        network: several({ description: "Networks.", example: "base" }),
      }),
      response: {
        description: "A page of assets.",
        schema: listOf("AssetList", assetSchema),
        example: listExample("/v1/assets", assetExample),
      },
      errors: ["cursor_mismatch"],
    },
    (input) =>
      answerList(
        api,
        input,
        assetPaging,
        (page) => listAssets(input.reader, input.query, page),
        presentAsset,
      ),
  );
}

function presentProvider(row: ProviderRow): string {
  return JSON.stringify({
    object: "provider",
    id: row.id,
    account: row.account,
    name: row.name,
    last_seen_at: isoTime(row.lastSeenAt),
  });
}

function presentAsset(row: AssetRow): string {
  return JSON.stringify({
    object: "asset",
    id: row.id,
    account: row.account,
    code: row.code,
    name: row.name,
    symbol: row.symbol,
    network: row.network,
    network_name: row.networkName,
    stated_decimals: row.statedDecimals,
    address: row.address,
    chain_id: row.chainId,
    last_seen_at: isoTime(row.lastSeenAt),
  });
}

const providerSchema = z
  .strictObject({
    object: z.literal("provider"),
    id: z.string(),
    account: z.string(),
    name: z.string().nullable(),
    last_seen_at: time.openapi({ description: "When the catalogue last held it." }),
  })
  .openapi("Provider");

const assetSchema = z
  .strictObject({
    object: z.literal("asset"),
    id: z.string(),
    account: z.string(),
    code: z.string(),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    network: z.string().nullable(),
    network_name: z.string().nullable(),
    stated_decimals: z
      .int()
      .nullable()
      .openapi({ description: "As stated, and unreliable: scale no amount by it." }),
    address: z.string().nullable().openapi({ description: "Token contract." }),
    chain_id: z.string().nullable(),
    last_seen_at: time,
  })
  .openapi("Asset");

const seen = { account: "default", last_seen_at: "2026-11-14T06:00:00.000Z" };
const providerExample = { object: "provider", id: "moonpay", name: "MoonPay", ...seen };
const assetExample = {
  object: "asset",
  id: "usdc_base",
  code: "USDC",
  name: "USD Coin",
  symbol: "USDC",
  network: "base",
  network_name: "Base",
  stated_decimals: 6,
  address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  chain_id: "8453",
  ...seen,
};
