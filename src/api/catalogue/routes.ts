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
import { addList } from "../list.ts";
import { describeObject, time } from "../object.ts";
import { accountFilter, several } from "../parameters.ts";

const tag = "Catalogue";
const access = needs("transactions:read");

const provider = describeObject({
  name: "Provider",
  object: "provider",
  members: {
    id: z.string(),
    account: z.string(),
    name: z.string().nullable(),
    last_seen_at: time.describe("When it was last in the catalogue."),
  },
  present: ({ id }: ProviderRow) => ({ id }),
  example: { id: "moonpay", account: "default", name: "MoonPay", lastSeenAt: "2026-11-14 06:00:00+00" },
});

const asset = describeObject({
  name: "Asset",
  object: "asset",
  members: {
    id: z.string(),
    account: z.string(),
    code: z.string(),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    network: z.string().nullable(),
    network_name: z.string().nullable(),
    stated_decimals: z.int().nullable().describe("As stated, and unreliable: do not scale amounts by it."),
    address: z.string().nullable().describe("Token contract."),
    chain_id: z.string().nullable(),
    last_seen_at: time,
  },
  present: ({ id }: AssetRow) => ({ id }),
  example: {
    id: "usdc_base",
    account: "default",
    code: "USDC",
    name: "USD Coin",
    symbol: "USDC",
    network: "base",
    networkName: "Base",
    statedDecimals: 6,
    address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    chainId: "8453",
    lastSeenAt: "2026-11-14 06:00:00+00",
  },
});

/** What the aggregator's catalogue said when it was last read; entries that left it stay, because transactions name them. */
export function addCatalogueRoutes(api: Api): void {
  addList(
    api,
    {
      path: "/v1/providers",
      operationId: "listProviders",
      summary: "Providers enabled for the accounts",
      tag,
      access,
      filters: { account: accountFilter },
      name: "ProviderList",
      of: provider,
      page: "A page of providers.",
    },
    ({ reader, query }) => ({
      paging: providerPaging,
      read: (page) => listProviders(reader, query, page),
      present: provider.present,
    }),
  );

  addList(
    api,
    {
      path: "/v1/assets",
      operationId: "listAssets",
      summary: "Crypto assets of the accounts",
      tag,
      access,
      filters: {
        account: accountFilter,
        code: several({ description: "Codes of assets.", example: "USDC" }),
        network: several({ description: "Networks.", example: "base" }),
      },
      name: "AssetList",
      of: asset,
      page: "A page of assets.",
    },
    ({ reader, query }) => ({
      paging: assetPaging,
      read: (page) => listAssets(reader, query, page),
      present: asset.present,
    }),
  );
}
