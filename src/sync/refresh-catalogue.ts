import { type CatalogueToKeep, keepCatalogue } from "../store/accounts/catalogue.ts";
import type { Upstream } from "../upstream/client.ts";
import type { SyncDeps } from "./deps.ts";
import { collectLeftOut } from "./left-out.ts";

type CatalogueSource = Pick<Upstream, "fetchSupported" | "fetchPaymentTypes" | "fetchProviders">;

/**
 * Reads what the account can use: assets, fiats, payment types and providers, for buying and for selling. An entry that
 * cannot be read is left out, and what an earlier reading said about it stays.
 */
export async function refreshCatalogue(
  deps: Pick<SyncDeps, "database" | "log">,
  account: { id: number; name: string; upstream: CatalogueSource },
): Promise<{ assets: number; fiats: number; paymentTypes: number; providers: number }> {
  const { upstream } = account;
  const { onLeftOut, logTo } = collectLeftOut();
  const [buy, sell, buyTypes, sellTypes, providers] = await Promise.all([
    upstream.fetchSupported({ type: "buy" }, { onLeftOut }),
    upstream.fetchSupported({ type: "sell" }, { onLeftOut }),
    upstream.fetchPaymentTypes({ type: "buy" }, { onLeftOut }),
    upstream.fetchPaymentTypes({ type: "sell" }, { onLeftOut }),
    upstream.fetchProviders({ onLeftOut }),
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
  logTo(deps.log, { event: "catalogue_items_left_out", account: account.name });
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
