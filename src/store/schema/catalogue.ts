import { integer, primaryKey, text } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { tieout, time } from "./columns.ts";

/** The aggregator's catalogue, per account: what a key may use differs from key to key. */
const entry = {
  accountId: accountId(),
  id: text("id").notNull(),
  name: text("name"),
  lastSeenAt: time("last_seen_at").notNull(),
};

export const assets = tieout.table(
  "assets",
  {
    ...entry,
    code: text("code").notNull(),
    symbol: text("symbol"),
    network: text("network"),
    networkName: text("network_name"),
    /** As the aggregator states it, and unreliable: nothing is ever scaled by it. */
    statedDecimals: integer("stated_decimals"),
    address: text("address"),
    chainId: text("chain_id"),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.id] })],
);

export const fiats = tieout.table(
  "fiats",
  { ...entry, code: text("code").notNull(), symbol: text("symbol") },
  (table) => [primaryKey({ columns: [table.accountId, table.id] })],
);

export const paymentTypes = tieout.table("payment_types", { ...entry }, (table) => [
  primaryKey({ columns: [table.accountId, table.id] }),
]);

export const providers = tieout.table("providers", { ...entry }, (table) => [
  primaryKey({ columns: [table.accountId, table.id] }),
]);
