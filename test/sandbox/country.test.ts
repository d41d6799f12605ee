import { describe, expect, test } from "vitest";
import { assetsResponse } from "../../src/sandbox/current/schemas.ts";
import { useSandbox, withKey, type SandboxUnderTest } from "./use-sandbox.ts";

const plain = useSandbox({ defaultCountry: "PT" });
const behindProxy = useSandbox({ defaultCountry: "PT", trustForwardedFor: true });

async function countrySeen(sandbox: SandboxUnderTest, query: string, forwardedFor?: string): Promise<string> {
  const headers = forwardedFor === undefined ? withKey : { ...withKey, "x-forwarded-for": forwardedFor };
  return assetsResponse.parse((await sandbox.get(`/supported/assets${query}`, headers)).json).message.country;
}

describe("the country of a request", () => {
  test("is the parameter, in upper case", async () => {
    expect(await countrySeen(plain, "?country=de")).toBe("DE");
  });

  test("is the configured one for loopback", async () => {
    expect(await countrySeen(plain, "")).toBe("PT");
  });

  test.each([
    ["8.8.8.8", "US"],
    ["81.2.69.142", "GB"],
    ["2a01:4f8::1", "DE"],
    ["81.2.69.142, 10.0.0.1", "GB"],
    ["10.1.2.3", "PT"],
    ["nonsense", "PT"],
  ])("is that of %s behind a proxy that is trusted: %s", async (address, country) => {
    expect(await countrySeen(behindProxy, "", address)).toBe(country);
  });

  test("cannot be chosen by a header when no proxy is trusted", async () => {
    expect(await countrySeen(plain, "", "8.8.8.8")).toBe("PT");
  });
});
