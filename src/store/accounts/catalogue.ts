import type { Database } from "../database.ts";

/** As the aggregator states it; nothing of it decides about money. */
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
      [accountId, JSON.stringify(catalogue.assets)],
    );
    await tx.query(
      `insert into tieout.fiats (account_id, id, name, last_seen_at, code, symbol)
       select $1, e.id, e.name, clock_timestamp(), e.code, e.symbol
       from jsonb_to_recordset($2::jsonb) as e (id text, name text, code text, symbol text)
       on conflict (account_id, id) do update
       set name = excluded.name, last_seen_at = excluded.last_seen_at, code = excluded.code, symbol = excluded.symbol`,
      [accountId, JSON.stringify(catalogue.fiats)],
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
        [accountId, JSON.stringify(entries)],
      );
    }
    await tx.query("update tieout.accounts set catalogue_read_at = clock_timestamp() where id = $1", [
      accountId,
    ]);
  });
}
