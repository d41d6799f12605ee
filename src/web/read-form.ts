import { keepUpload, type Upload, withUploadFolder } from "../api/keep-upload.ts";
import { problem } from "../api/problem.ts";
import type { WebContext } from "./deps.ts";
import { collectBytes, readParts } from "./multipart.ts";

/** What a form sent: its fields, and the one file that it may have brought, for as long as it is answered. */
export interface SentForm {
  fields: FormData;
  file: (Upload & { name: string }) | null;
}

/** All fields together; a file is counted by itself. */
const fieldBytesMax = 64 * 1024;
/** No form of ours has nearly as many; to take thirty thousand apart would keep others waiting. */
const fieldsMax = 3_000;

/** Read only when it is known who sends it. Forms without a file are small; a file goes to disk as it comes. */
export async function withForm<T>(
  c: WebContext,
  { fileBytesMax }: { fileBytesMax: number | null },
  use: (form: SentForm) => Promise<T> | T,
): Promise<T> {
  const contentType = c.req.header("content-type") ?? "";
  const body = (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>;
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType)) {
    return use({ fields: await readFields(body), file: null });
  }
  if (fileBytesMax !== null && /^multipart\/form-data\s*;/i.test(contentType)) {
    return withUploadFolder(async (folder) =>
      use(await readMultipart(body, contentType, { folder, bytesMax: fileBytesMax })),
    );
  }
  throw problem("unsupported_media_type", "Only the page's own forms can be sent here.");
}

async function readFields(body: AsyncIterable<Uint8Array>): Promise<FormData> {
  const text = (await collectBytes(asBuffers(body), fieldBytesMax)).toString("utf8");
  if (text.split("&", fieldsMax + 1).length > fieldsMax)
    throw problem("body_too_large", "This has more fields than any form of this page.");
  const fields = new FormData();
  for (const [name, value] of new URLSearchParams(text)) fields.append(name, value);
  return fields;
}

async function readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  place: { folder: string; bytesMax: number },
): Promise<SentForm> {
  const fields = new FormData();
  let file: SentForm["file"] = null;
  let bytesLeft = fieldBytesMax;
  for await (const { name, fileName, pieces } of readParts(body, contentType)) {
    if (fileName === null) {
      const value = await collectBytes(pieces, bytesLeft);
      bytesLeft -= value.length;
      fields.append(name, value.toString("utf8"));
    } else if (name === "file" && file === null) {
      file = { ...(await keepUpload(pieces, place)), name: fileName };
    }
  }
  return { fields, file };
}

async function* asBuffers(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
