import { describe, expect, test } from "vitest";
import { parseAddressCountries } from "../../src/sandbox/country-of-address.ts";
import { assetsResponse } from "../../src/sandbox/current/schemas.ts";
import { useSandbox, withKey, type SandboxUnderTest } from "./use-sandbox.ts";

const countries = parseAddressCountries("81.2.69.0/24=GB, 8.8.8.8=US,2a01:4f8::/32=de,127.0.0.2=BR");
const plain = useSandbox({ defaultCountry: "PT" });
const atHome = useSandbox({ defaultCountry: "PT", countries: parseAddressCountries("127.0.0.0/8=JP") });
const behindProxy = useSandbox({ defaultCountry: "PT", trustForwardedFor: true, countries });
const behindNetwork = useSandbox({
  defaultCountry: "PT",
  trustForwardedFor: true,
  countryHeader: "CF-IPCountry",
});

async function countrySeen(
  sandbox: SandboxUnderTest,
  query: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const answer = await sandbox.get(`/supported/assets${query}`, { ...withKey, ...headers });
  return assetsResponse.parse(answer.json).message.country;
}

describe("the country of a request", () => {
  test("is the parameter, in upper case", async () => {
    expect(await countrySeen(plain, "?country=de")).toBe("DE");
  });

  test("is that of the address it comes from, and the configured one where nobody said", async () => {
    expect(await countrySeen(atHome, "")).toBe("JP");
    expect(await countrySeen(plain, "")).toBe("PT");
  });

  test.each([
    ["8.8.8.8", "US"],
    ["81.2.69.142", "GB"],
    ["2a01:4f8::1", "DE"],
    ["::ffff:81.2.69.142", "GB"],
    ["81.2.69.142, 10.0.0.1", "GB"],
    ["10.1.2.3", "PT"],
    ["nonsense", "PT"],
  ])("is that of %s behind a proxy that is trusted: %s", async (address, country) => {
    expect(await countrySeen(behindProxy, "", { "x-forwarded-for": address })).toBe(country);
  });

  test.each([
    ["NL", "NL"],
    ["nl", "NL"],
    ["XX", "PT"],
    ["", "PT"],
  ])("is what a trusted network says about the address: %s is %s", async (header, country) => {
    expect(await countrySeen(behindNetwork, "", { "cf-ipcountry": header })).toBe(country);
  });

  test("cannot be chosen by a header when no proxy is trusted", async () => {
    const headers = { "x-forwarded-for": "8.8.8.8", "cf-ipcountry": "NL" };
    expect(await countrySeen(plain, "", headers)).toBe("PT");
  });

  test.each(["/supported/assets", "/supported/payment-types", "/supported/defaults/all", "/legacy/gateways"])(
    "must exist: %s refuses UK, EU and ZZ",
    async (path) => {
      for (const code of ["UK", "EU", "ZZ", "USA", "1A"]) {
        const answer = await plain.get(`${path}?country=${code}`);
        expect([code, answer.status]).toEqual([code, 400]);
        expect(answer.json).toMatchObject({ field: "country" });
      }
      expect((await plain.get(`${path}?country=gb`)).status).toBe(200);
      expect((await plain.get(`${path}?country=KP`)).status).toBe(200);
    },
  );
});
