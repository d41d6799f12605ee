/** A provider under the name that transactions use: lower case, and one of several names that it goes by. */
export function providerOf(word: string): string {
  const lower = word.trim().toLowerCase();
  return otherNames.get(lower) ?? lower;
}

const otherNames = new Map([
  ["gatefi", "unlimit"],
  ["alchemy-pay", "alchemypay"],
  ["alchemy pay", "alchemypay"],
  ["ramp-network", "ramp"],
  ["rampnetwork", "ramp"],
  ["ramp network", "ramp"],
]);
