import { type CatalogueToKeep, keepCatalogue } from "../store/accounts/catalogue.ts";
import type { Database } from "../store/database.ts";
import type { Upstream } from "../upstream/client.ts";

type CatalogueSource = Pick<Upstream, "fetchSupported" | "fetchPaymentTypes" | "fetchProviders">;

/** Reads what the account can use: assets, fiats, payment types and providers, for buying and for selling. */
export async function refreshCatalogue(
  deps: { database: Database },
  account: { id: number; upstream: CatalogueSource },
): Promise<{ assets: number; fiats: number; paymentTypes: number; providers: number }> {
  const [buy, sell, buyTypes, sellTypes, providers] = await Promise.all([
    account.upstream.fetchSupported({ type: "buy" }),
    account.upstream.fetchSupported({ type: "sell" }),
    account.upstream.fetchPaymentTypes({ type: "buy" }),
    account.upstream.fetchPaymentTypes({ type: "sell" }),
    account.upstream.fetchProviders(),
  ]);
  const catalogue: CatalogueToKeep = {
    assets: byId([...buy.crypto, ...sell.crypto]),
    fiats: byId([...buy.fiat, ...sell.fiat]),
    paymentTypes: byId(
      [...Object.values(buyTypes), ...Object.values(sellTypes)].map(({ paymentTypeId, name }) => ({
        id: paymentTypeId,
        name,
      })),
    ),
    providers: byId(providers.map(({ id, displayName }) => ({ id, name: displayName }))),
  };
  await keepCatalogue(deps.database, account.id, catalogue);
  return {
    assets: catalogue.assets.length,
    fiats: catalogue.fiats.length,
    paymentTypes: catalogue.paymentTypes.length,
    providers: catalogue.providers.length,
  };
}

function byId<T extends { id: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}
