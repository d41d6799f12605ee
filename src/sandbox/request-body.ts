import type { SandboxContext } from "./context.ts";
import { RefusedError } from "./refusal.ts";
import { readJson } from "./wire.ts";

/** Larger than any honest body of the specification, small enough that nobody can fill the memory with it. */
export const bodyBytesMax = 64 * 1024;

/** The body as JSON whose numbers keep their digits. */
export async function readJsonBody(c: SandboxContext): Promise<unknown> {
  const body = await tryJsonBody(c);
  if (body === undefined) throw new RefusedError("INVALID_BODY", "The body is not JSON.", "body");
  return body;
}

/** The same; `undefined` for a body that is not JSON. */
export async function tryJsonBody(c: SandboxContext): Promise<unknown> {
  const text = new TextDecoder().decode(await readBody(c, bodyBytesMax));
  try {
    return readJson(text);
  } catch {
    // Also a nesting so deep that the parser's stack ends: not a body of ours either way.
    return undefined;
  }
}

/** Counts while reading and stops at the limit, whatever the length header says. */
export async function readBody(c: SandboxContext, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = () => new RefusedError("BODY_TOO_LARGE", `The body is larger than ${bytesMax} bytes.`);
  if (Number(c.req.header("content-length") ?? 0) > bytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
