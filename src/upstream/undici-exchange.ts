import { Agent } from "undici";
import { type Exchange, isSuccess, type Limits } from "./exchange.ts";

/** Over pooled keep-alive connections, where everything that may be slow or large has a limit. */
export function createUndiciExchange(limits: Limits): {
  exchange: Exchange;
  close: () => Promise<void>;
} {
  const agent = new Agent({
    connections: limits.connectionsMax,
    // Stated, because an environment variable of Node can otherwise switch the verification off.
    connect: { timeout: limits.connectTimeoutMs, rejectUnauthorized: true },
    headersTimeout: limits.headersTimeoutMs,
    bodyTimeout: limits.bodyTimeoutMs,
    maxResponseSize: limits.bodyBytesMax,
  });
  return {
    async exchange({ headers, ...request }) {
      // We ask for no encoding, so that nothing can unfold to a thousand times its size.
      const response = await agent.request({
        ...request,
        headers: { ...headers, "accept-encoding": "identity" },
      });
      const reading = response.body.bytes();
      // The status of a refusal and its headers say all that matters; half a body must not hide them.
      const bytes = isSuccess(response.statusCode)
        ? await reading
        : await reading.catch(() => new Uint8Array());
      const header = (name: string) => [response.headers[name]].flat()[0] ?? null;
      return { status: response.statusCode, header, bytes };
    },
    close: () => agent.close(),
  };
}
