import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { certificate, privateKey } from "../support/self-signed.ts";
import { clientFor, failure } from "./client-for.ts";

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
