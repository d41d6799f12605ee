import { type Exchange, isSuccess, type Limits } from "./exchange.ts";

/** Over the `fetch` of a browser, which has no other limits than those kept here: the deadline and the size. */
export function createFetchExchange(fetch: typeof globalThis.fetch, limits: Limits): Exchange {
  return async ({ origin, path, ...request }) => {
    const init = { ...request, credentials: "omit", redirect: "manual", cache: "no-store" } as const;
    const response = await fetch(origin + path, init);
    // A browser hides where a redirect leads, and its status with it.
    const status = response.type === "opaqueredirect" ? hiddenRedirect : response.status;
    const reading = readAtMost(response.body, limits.bodyBytesMax);
    const bytes = isSuccess(status) ? await reading : await reading.catch(() => new Uint8Array());
    // What was compressed is unfolded by now.
    const header = (name: string) => (name === "content-encoding" ? null : response.headers.get(name));
    return { status, header, bytes };
  };
}

const hiddenRedirect = 302;

async function readAtMost(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    length += next.value.length;
    if (length > bytesMax) {
      await reader?.cancel();
      throw Object.assign(new Error("the body is too large"), { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE" });
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
