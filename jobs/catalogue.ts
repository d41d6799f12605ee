import type { Handler } from "./handler.ts";

/** Reads once a day what the accounts may use: assets, fiats, payment types, providers. */
export const catalogue: Handler<"catalogue"> = (deps) => deps.sync.refreshCatalogues();
