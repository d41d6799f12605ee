import { eq, getTableColumns } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Database } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { accounts } from "../schema/accounts.ts";
import { assets, providers } from "../schema/catalogue.ts";
import { pagingBy, selectPage } from "../select-page.ts";
import { storable } from "../storable.ts";
import { accountName } from "./accounts.ts";

/** As the aggregator states it; no figure depends on it. */
export interface CatalogueToKeep {
  assets: CatalogueAsset[];
  fiats: { id: string; code: string; name: string | null; symbol: string | null }[];
  paymentTypes: { id: string; name: string | null }[];
  providers: { id: string; name: string | null }[];
}

interface CatalogueAsset {
  id: string;
  code: string;
  name: string | null;
  symbol: string | null;
  network: string | null;
  networkDisplayName: string | null;
  decimals: number | null;
  address: string | null;
  chainId: number | null;
}

/** Entries that left the catalogue stay, with the time they were last in it: old transactions still name them. */
export async function keepCatalogue(
  database: Database,
  accountId: number,
  catalogue: CatalogueToKeep,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(
      `insert into tieout.assets (account_id, id, name, last_seen_at, code, symbol, network, network_name, stated_decimals, address, chain_id)
       select $1, e.id, e.name, clock_timestamp(), e.code, e.symbol, e.network, e."networkDisplayName", e.decimals, e.address, e."chainId"
       from jsonb_to_recordset($2::jsonb) as e (id text, name text, code text, symbol text, network text,
         "networkDisplayName" text, decimals int, address text, "chainId" text)
       on conflict (account_id, id) do update
       set name = excluded.name, last_seen_at = excluded.last_seen_at, code = excluded.code, symbol = excluded.symbol,
           network = excluded.network, network_name = excluded.network_name,
           stated_decimals = excluded.stated_decimals, address = excluded.address, chain_id = excluded.chain_id`,
      [accountId, storableJson(catalogue.assets)],
    );
    await tx.query(
      `insert into tieout.fiats (account_id, id, name, last_seen_at, code, symbol)
       select $1, e.id, e.name, clock_timestamp(), e.code, e.symbol
       from jsonb_to_recordset($2::jsonb) as e (id text, name text, code text, symbol text)
       on conflict (account_id, id) do update
       set name = excluded.name, last_seen_at = excluded.last_seen_at, code = excluded.code, symbol = excluded.symbol`,
      [accountId, storableJson(catalogue.fiats)],
    );
    for (const [table, entries] of [
      ["payment_types", catalogue.paymentTypes],
      ["providers", catalogue.providers],
    ] as const) {
      await tx.query(
        `insert into tieout.${table} (account_id, id, name, last_seen_at)
         select $1, e.id, e.name, clock_timestamp()
         from jsonb_to_recordset($2::jsonb) as e (id text, name text)
         on conflict (account_id, id) do update set name = excluded.name, last_seen_at = excluded.last_seen_at`,
        [accountId, storableJson(entries)],
      );
    }
    await tx.orm.update(accounts).set({ catalogueReadAt: clockNow }).where(eq(accounts.id, accountId));
  });
}

function storableJson(entries: readonly object[]): string {
  return JSON.stringify(entries, (_, value: unknown) =>
    typeof value === "string" ? storable(value) : value,
  );
}

export type ProviderRow = typeof providers.$inferSelect & { account: string };
export type AssetRow = typeof assets.$inferSelect & { account: string };

/** By id; collation is left to the database, as in the primary key's own index. */
export const providerPaging = pagingBy(providers, "ascending", "id", "accountId");
export const assetPaging = pagingBy(assets, "ascending", "id", "accountId");

export async function listProviders(
  reader: AccountReader,
  filters: Filters<"account">,
  page: PageWanted,
): Promise<Page<ProviderRow>> {
  const columns = { ...getTableColumns(providers), account: accountName(providers.accountId) };
  const select = reader.database.orm.select(columns).from(providers).$dynamic();
  return selectPage(select, providerPaging, page, [
    seenBy(reader, providers.accountId),
    ofAccounts(providers.accountId, filters.account),
  ]);
}

export async function listAssets(
  reader: AccountReader,
  filters: Filters<"account" | "code" | "network">,
  page: PageWanted,
): Promise<Page<AssetRow>> {
  const columns = { ...getTableColumns(assets), account: accountName(assets.accountId) };
  const select = reader.database.orm.select(columns).from(assets).$dynamic();
  return selectPage(select, assetPaging, page, [
    seenBy(reader, assets.accountId),
    ofAccounts(assets.accountId, filters.account),
    anyOf(assets.code, filters.code),
    anyOf(assets.network, filters.network),
  ]);
}
