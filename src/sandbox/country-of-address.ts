import { BlockList, isIP } from "node:net";
import { usageError } from "../core/errors.ts";
import { isIsoCountry } from "./world/iso-countries.ts";

export interface CountryFinder {
  /** Upper-case ISO 3166-1 alpha-2; `null` if the address has no known country. */
  countryOf(address: string | undefined): string | null;
}

/**
 * Reads `127.0.0.2=DE,10.1.0.0/16=BR,2001:db8::/32=JP`: which addresses are where. A sandbox is asked from this machine and
 * its neighbours, which no database of the world's addresses knows; the operator does. The first that fits counts.
 */
export function parseAddressCountries(text: string): CountryFinder {
  const ranges = text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map(parseRange);
  return {
    countryOf(address) {
      // A dual-stack socket writes IPv4 addresses as IPv6 ones.
      const plain = address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
      const family = familyOf(plain);
      if (family === null) return null;
      return ranges.find(({ addresses }) => addresses.check(plain, family))?.country ?? null;
    },
  };
}

function parseRange(part: string): { addresses: BlockList; country: string } {
  const [range = "", code = ""] = part.split("=").map((each) => each.trim());
  const country = code.toUpperCase();
  if (!isIsoCountry(country)) {
    throw usageError(`address-countries: ${range} is in "${code}", which is not an ISO 3166-1 code`);
  }
  const [address = "", bits] = range.split("/");
  const family = familyOf(address);
  const widest = family === "ipv4" ? 32 : 128;
  const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
  if (family === null || prefix < 0 || prefix > widest) {
    throw usageError(
      `address-countries: expected an address or a range such as 10.1.0.0/16, found "${range}"`,
    );
  }
  const addresses = new BlockList();
  addresses.addSubnet(address, prefix, family);
  return { addresses, country };
}

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 4 ? "ipv4" : version === 6 ? "ipv6" : null;
}
