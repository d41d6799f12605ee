import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { clientFor, failure } from "./client-for.ts";

// Made for this test: it proves nothing to anyone, which is the point.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUaxWt+yWrRAsas1rKlDHQFPlKcV8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTAyMTgxOFoYDzIxMjYxMDIy
MDIxODE4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAT39ZAKREWs1UY1+jkaxAR0y+jAYY5QbbyqyvqHrtRmQDBZ+GvWDoen
JEdADJJpvvjfRAV3tmwFSrreZI7hoB7Co28wbTAdBgNVHQ4EFgQUM2A5YP6mnDbz
gSBfaAtogU6kKSAwHwYDVR0jBBgwFoAUM2A5YP6mnDbzgSBfaAtogU6kKSAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAMFLczyUqS6smatW9mXtZsWQZelWPzlc3PxBpwkhPMYrAiAy
rFnM0rEGCitbhLFoV83dRp7p8V81gArX05OqUGcBmw==
-----END CERTIFICATE-----`;
const privateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg84HDJ9A7o8GI5pQF
dTMikCNCeHlbWYa325yWATh8FEmhRANCAAT39ZAKREWs1UY1+jkaxAR0y+jAYY5Q
bbyqyvqHrtRmQDBZ+GvWDoenJEdADJJpvvjfRAV3tmwFSrreZI7hoB7C
-----END PRIVATE KEY-----`;

async function selfSigned() {
  const requests: unknown[] = [];
  const server = createServer({ key: privateKey, cert: certificate }, (request, response) => {
    requests.push(request.url);
    response.end("{}");
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

test("a server with a certificate of its own making is refused, and gets no request", async () => {
  const { url, requests } = await selfSigned();
  const { upstream } = clientFor(url);
  expect(await failure(upstream.fetchPage())).toMatchObject({ code: "tls_refused", retry: false });
  expect(requests).toEqual([]);
});

test("also when Node's environment says that certificates do not matter", async () => {
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  onTestFinished(() => {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  });
  const { url, requests } = await selfSigned();
  const { upstream } = clientFor(url);
  expect(await failure(upstream.fetchPage())).toMatchObject({ code: "tls_refused" });
  expect(requests).toEqual([]);
});
