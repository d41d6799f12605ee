import { type AccountReader, addAccounts, addAnyOf, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

export interface CatalogueRow {
  account_id: number;
  account: string;
  id: string;
  name: string | null;
  last_seen_at: string;
}

export interface AssetRow extends CatalogueRow {
  code: string;
  symbol: string | null;
  network: string | null;
  network_name: string | null;
  stated_decimals: number | null;
  address: string | null;
  chain_id: string | null;
}

/** By id; collation is left to the database, as in the primary key's own index. */
const byId: Keyset = {
  keys: [
    { expression: "e.id", kind: "text" },
    { expression: "e.account_id", kind: "integer" },
  ],
  descending: false,
};

export const catalogueKeyset = {
  keyset: byId,
  positionOf: (row: CatalogueRow) => [row.id, String(row.account_id)],
};

const entryColumns = `e.account_id, ${accountName("e")}, e.id, e.name, e.last_seen_at::text`;

export async function listProviders(
  reader: AccountReader,
  filters: { account?: readonly string[] },
  page: PageWanted,
): Promise<Page<CatalogueRow>> {
  const conditions = conditionsFor(reader, "e.account_id");
  addAccounts(conditions, "e.account_id", filters.account);
  const from = "tieout.providers as e";
  return readPage(reader.database, { select: entryColumns, from, conditions, keyset: byId, page });
}

export async function listAssets(
  reader: AccountReader,
  filters: { account?: readonly string[]; code?: readonly string[]; network?: readonly string[] },
  page: PageWanted,
): Promise<Page<AssetRow>> {
  const conditions = conditionsFor(reader, "e.account_id");
  addAccounts(conditions, "e.account_id", filters.account);
  addAnyOf(conditions, "e.code", filters.code);
  addAnyOf(conditions, "e.network", filters.network);
  const select = `${entryColumns}, e.code, e.symbol, e.network, e.network_name, e.stated_decimals, e.address, e.chain_id`;
  return readPage(reader.database, { select, from: "tieout.assets as e", conditions, keyset: byId, page });
}
