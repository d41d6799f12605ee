/** The name of a provider that transactions use, by every other name that it goes by, in lower case. */
export type ProviderNames = ReadonlyMap<string, string>;

/** A provider under the name that transactions use: lower case, and one of several names that it goes by. */
export function providerOf(word: string, names: ProviderNames = usualNames): string {
  const lower = word.trim().toLowerCase();
  return names.get(lower) ?? lower;
}

/** Settings take precedence over built-in names; a provider with a setting of its own is not an alias of another. */
export function namesFrom(
  settings: readonly { provider: string; names: readonly string[] }[],
): ProviderNames {
  const names = new Map(usualNames);
  for (const { provider } of settings) names.delete(provider);
  for (const { provider, names: others } of settings) {
    for (const other of others) names.set(other.trim().toLowerCase(), provider);
  }
  return names;
}

const usualNames: ProviderNames = new Map([
  ["gatefi", "unlimit"],
  ["alchemy-pay", "alchemypay"],
  ["alchemy pay", "alchemypay"],
  ["ramp-network", "ramp"],
  ["rampnetwork", "ramp"],
  ["ramp network", "ramp"],
]);
