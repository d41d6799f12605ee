import type { SandboxRecord } from "../record.ts";
import { fullId } from "../world/lookup.ts";
import type { World } from "../world/types.ts";
import type { Dialect } from "./dialect.ts";

/** How records name crypto assets. */
export type Naming = "code" | "joined" | "bare";

export function namingOf(dialect: Dialect): Naming {
  return dialect.currency === "code" ? "code" : dialect["asset-ids"];
}

/** The name of every currency by its id. */
export function namesOf(world: World, naming: Naming): ReadonlyMap<string, string> {
  return new Map([
    ...world.fiats.map(({ id }) => [id, id] as const),
    ...world.assets.map(
      (asset) =>
        [
          asset.id,
          naming === "code" ? asset.symbol : naming === "joined" ? fullId(asset) : asset.id,
        ] as const,
    ),
  ]);
}

/** The journal keeps ids, whatever the dialect of the day. */
export function rename(record: SandboxRecord, names: ReadonlyMap<string, string>): SandboxRecord {
  const { sourceCurrency, targetCurrency } = record;
  return {
    ...record,
    sourceCurrency: names.get(sourceCurrency) ?? sourceCurrency,
    targetCurrency: names.get(targetCurrency) ?? targetCurrency,
  };
}
