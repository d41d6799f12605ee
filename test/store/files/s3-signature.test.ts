import { expect, test } from "vitest";
import { secret } from "../../../src/core/secret.ts";
import { encodeKey, type RequestToSign, sha256, signRequest } from "../../../src/store/files/s3-signature.ts";

/** The worked examples of Amazon's own manual ("Signature Calculations for the Authorization Header"). */
const credentials = {
  accessKeyId: secret("AKIAIOSFODNN7EXAMPLE"),
  secretAccessKey: secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
  sessionToken: null,
};
const at = { credentials, region: "us-east-1", nowMs: Date.UTC(2013, 4, 24) };
const host = "examplebucket.s3.amazonaws.com";
const empty = { host, bodySha256: sha256("") };

test.each<[string, RequestToSign, string]>([
  [
    "part of an object",
    { ...empty, method: "GET", path: "/test.txt", query: {}, headers: { range: "bytes=0-9" } },
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "an object with a body",
    {
      host,
      method: "PUT",
      path: `/${encodeKey("test$file.text")}`,
      query: {},
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodySha256: sha256("Welcome to Amazon S3."),
    },
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "a parameter without a value",
    { ...empty, method: "GET", path: "/", query: { lifecycle: "" } },
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "a listing",
    { ...empty, method: "GET", path: "/", query: { prefix: "J", "max-keys": "2" } },
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
])("%s is signed as in the manual", (_, request, signature) => {
  const { authorization } = signRequest(request, at);
  expect(authorization).toContain(`Signature=${signature}`);
  expect(authorization).toContain("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request");
});

test("a token of a session is sent and signed; the secret is in none of it", () => {
  const request = { ...empty, method: "GET", path: "/", query: {} };
  const sent = signRequest(request, {
    ...at,
    credentials: { ...credentials, sessionToken: secret("token") },
  });
  expect(sent["x-amz-security-token"]).toBe("token");
  expect(sent["authorization"]).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
  );
  expect(JSON.stringify(sent)).not.toContain("wJalr");
});
