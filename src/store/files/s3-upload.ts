import { TieoutError } from "../../core/errors.ts";
import type { S3Client } from "./s3-request.ts";

/** All that is held of a file. Every part but the last has this length, as some stores insist. */
const partBytes = 8 * 1024 * 1024;
/** Of the protocol: longer files than these times `partBytes`, 78 GiB, cannot be written. */
const partsMax = 10_000;

/** Writes an object of any length. It is there when all of it is, and otherwise not at all. */
export async function putObject(
  client: S3Client,
  key: string,
  body: AsyncIterable<Buffer>,
  signal?: AbortSignal,
): Promise<void> {
  const doing = `writing ${key}`;
  let upload: Upload | null = null;
  try {
    for await (const { part, isLast } of inParts(body)) {
      signal?.throwIfAborted();
      if (upload === null && isLast) {
        await client.ask({ method: "PUT", key, doing, body: part, signal });
        return;
      }
      upload ??= await beginUpload(client, key, signal);
      await addPart(client, upload, part, signal);
    }
    if (upload !== null) await completeUpload(client, upload, signal);
  } catch (error) {
    // Parts are stored, and paid for, until someone says that nothing will come of them.
    if (upload !== null) await abandonUpload(client, upload).catch(() => undefined);
    throw error;
  }
}

interface Upload {
  key: string;
  id: string;
  etags: string[];
  bytes: number;
}

async function* inParts(body: AsyncIterable<Buffer>): AsyncGenerator<{ part: Buffer; isLast: boolean }> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let rest = chunk;
    // One that is full waits for a byte after it: only then is it known not to be the last.
    while (bytes + rest.length > partBytes) {
      const room = partBytes - bytes;
      yield { part: Buffer.concat([...held, rest.subarray(0, room)], partBytes), isLast: false };
      rest = rest.subarray(room);
      held = [];
      bytes = 0;
    }
    held.push(rest);
    bytes += rest.length;
  }
  yield { part: Buffer.concat(held, bytes), isLast: true };
}

async function beginUpload(client: S3Client, key: string, signal?: AbortSignal): Promise<Upload> {
  const query = { uploads: "" };
  const { text } = await client.ask({ method: "POST", key, doing: `writing ${key}`, query, signal });
  const id = /<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1];
  if (id === undefined) throw notUnderstood(key, "it gave the upload no id");
  return { key, id, etags: [], bytes: 0 };
}

async function addPart(client: S3Client, upload: Upload, part: Buffer, signal?: AbortSignal): Promise<void> {
  const number = upload.etags.length + 1;
  if (number > partsMax)
    throw new TieoutError(
      "files_unusable",
      `${upload.key} is longer than ${partsMax * partBytes} bytes, which the store cannot hold: ask for less at a time`,
    );
  const { headers } = await client.ask({
    method: "PUT",
    key: upload.key,
    doing: `writing part ${number} of ${upload.key}`,
    query: { partNumber: String(number), uploadId: upload.id },
    body: part,
    signal,
  });
  if (typeof headers["etag"] !== "string") throw notUnderstood(upload.key, "it gave a part no ETag");
  upload.etags.push(headers["etag"]);
  upload.bytes += part.length;
}

async function completeUpload(client: S3Client, upload: Upload, signal?: AbortSignal): Promise<void> {
  const { key, id: uploadId, etags, bytes } = upload;
  const parts = etags.map(
    (etag, at) =>
      `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const doing = `completing ${key}`;
  try {
    const { text } = await client.ask({ method: "POST", key, doing, query: { uploadId }, body, signal });
    // The store begins its answer before it is done, so a failure may come with the status of a success.
    if (text.includes("<Error>")) throw notUnderstood(key, "it failed to put the parts together");
  } catch (error) {
    if ((error as { cause?: { code?: unknown } }).cause?.code !== "NoSuchUpload") throw error;
    // A try whose answer was lost may have succeeded, and then the upload is gone and the object is there.
    const answer = await client.open({ method: "HEAD", key, doing });
    answer?.body.resume();
    if (Number(answer?.headers["content-length"]) !== bytes) throw error;
  }
}

async function abandonUpload(client: S3Client, { key, id: uploadId }: Upload): Promise<void> {
  const answer = await client.open({
    method: "DELETE",
    key,
    doing: `abandoning ${key}`,
    query: { uploadId },
  });
  answer?.body.resume();
}

function notUnderstood(key: string, what: string): TieoutError {
  return new TieoutError("files_unusable", `the store cannot take ${key}: ${what}`, { retry: true });
}
