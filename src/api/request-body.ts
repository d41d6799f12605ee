import type { ApiContext } from "./deps.ts";
import { problem } from "./problem.ts";

/** What the JSON routes take; uploads have a limit of their own. */
const bodyBytesMax = 64 * 1024;

const depthMax = 32;

/** The body, read once and kept. Counted while it is read: what a header says of the length need not be true. */
export async function readBodyText(c: ApiContext): Promise<string> {
  const held = c.get("bodyText");
  if (held !== undefined) return held;
  if (Number(c.req.header("content-length") ?? 0) > bodyBytesMax) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  c.set("bodyText", text);
  return text;
}

export async function readJsonBody(c: ApiContext): Promise<unknown> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const given = type === "" ? "nothing" : type.slice(0, 60);
    throw problem("unsupported_media_type", `This route takes application/json; the request has ${given}.`);
  }
  const text = await readBodyText(c);
  if (isTooDeep(text)) throw problem("invalid_body", `The body is nested deeper than ${depthMax} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw problem("invalid_body", "The body is not JSON.");
  }
}

function tooLarge() {
  return problem("body_too_large", `The body is larger than ${bodyBytesMax / 1024} KB.`);
}

/** Asked of the text, before the parser recurses into it. Brackets inside strings count as well, which does no harm here. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const letter of text) {
    if (letter === "{" || letter === "[") depth++;
    else if (letter === "}" || letter === "]") depth--;
    if (depth > depthMax) return true;
  }
  return false;
}
