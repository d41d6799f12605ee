import { Readable } from "node:stream";
import { TieoutError } from "../../core/errors.ts";
import { checkName, type FileBody, type Files } from "./files.ts";
import { inParallel } from "./in-parallel.ts";
import { createMeter } from "./meter.ts";
import { unreachable } from "./s3-errors.ts";
import {
  createS3Client,
  type S3Answer,
  type S3Client,
  type S3ClientOptions,
  type S3Place,
} from "./s3-request.ts";
import { putObject } from "./s3-upload.ts";

/** How often a body that breaks off is taken up again without bringing a byte. */
const resumesMax = 3;

const requestsMax = 8;
const roundsMax = 5;

/** Files in a bucket of Amazon S3, or of any store that speaks its protocol. */
export function createS3Files(place: S3Place, options: S3ClientOptions): Files {
  return filesAt(createS3Client(place, options), place.bucket, place.prefix);
}

function filesAt(client: S3Client, bucket: string, prefix: string): Files {
  const base = prefix === "" ? "" : `${prefix}/`;
  const keyOf = (name: string) => base + checkName(name);
  return {
    place: prefix === "" ? `s3://${bucket}` : `s3://${bucket}/${prefix}`,
    write: async (name: string, body: FileBody, signal?: AbortSignal) => {
      const meter = createMeter();
      await putObject(client, keyOf(name), meter.measure(body), signal);
      return meter.result();
    },
    read: async (name) => {
      const key = keyOf(name);
      const answer = await client.open({ method: "GET", key, doing: `reading ${key}` });
      if (answer === null) return null;
      const bytes = Number(answer.headers["content-length"]);
      return {
        bytes,
        body: Readable.from(wholeBody(client, { bucket, key, bytes }, answer), { objectMode: false }),
      };
    },
    sizeOf: async (name) => {
      const key = keyOf(name);
      const answer = await client.open({ method: "HEAD", key, doing: `looking for ${key}` });
      answer?.body.resume();
      return answer === null ? null : Number(answer.headers["content-length"]);
    },
    list: async (wanted) => (await listKeys(client, base + wanted)).map((key) => key.slice(base.length)),
    folders: async () => {
      const found = await listKeys(client, base, { folders: true });
      return found.map((key) => key.slice(base.length, -1));
    },
    removeFolder: async (name) => {
      // Until none is left: what an earlier page of a listing had not yet, or a store lists out of order, is found then.
      for (let rounds = 0; rounds < roundsMax; rounds++) {
        const keys = await listKeys(client, `${keyOf(name)}/`);
        if (keys.length === 0) return;
        await inParallel(keys, requestsMax, (key) => removeKey(client, key));
      }
    },
    remove: (name) => removeKey(client, keyOf(name)),
    within: (inner) => filesAt(client, bucket, keyOf(inner)),
  };
}

/** A long download outlives the connection that it began on: what is missing is asked for, of the same object. */
async function* wholeBody(
  client: S3Client,
  { bucket, key, bytes }: { bucket: string; key: string; bytes: number },
  first: S3Answer,
): AsyncGenerator<Buffer> {
  const doing = `reading ${key}`;
  const etag = String(first.headers["etag"] ?? "");
  let answer = first;
  let given = 0;
  for (let idle = 1; ; idle++) {
    let broken: unknown = null;
    try {
      for await (const chunk of answer.body as AsyncIterable<Buffer>) {
        given += chunk.length;
        idle = 0;
        yield chunk;
      }
    } catch (error) {
      broken = error;
    }
    if (given === bytes) return;
    if (idle > resumesMax) throw unreachable(bucket, doing, broken);
    const headers = { range: `bytes=${given}-`, ...(etag === "" ? {} : { "if-match": etag }) };
    const rest = await client.open({ method: "GET", key, doing, headers });
    if (rest?.statusCode !== 206)
      throw new TieoutError(
        "files_unusable",
        `${key} of the bucket ${bucket} broke off, and the store has no way to go on: ask again`,
        { cause: broken, retry: true },
      );
    answer = rest;
  }
}

async function removeKey(client: S3Client, key: string): Promise<void> {
  const answer = await client.open({ method: "DELETE", key, doing: `removing ${key}` });
  answer?.body.resume();
}

/** With `folders` only what names have in common up to their next slash, which they keep. */
async function listKeys(
  client: S3Client,
  prefix: string,
  { folders }: { folders: boolean } = { folders: false },
): Promise<string[]> {
  const wanted = folders ? /<CommonPrefixes>\s*<Prefix>([^<]*)<\/Prefix>/g : /<Key>([^<]*)<\/Key>/g;
  const keys: string[] = [];
  let token: string | null = null;
  do {
    const { text }: { text: string } = await client.ask({
      method: "GET",
      key: null,
      doing: `listing ${prefix}`,
      query: {
        "list-type": "2",
        prefix,
        ...(folders ? { delimiter: "/" } : {}),
        ...(token === null ? {} : { "continuation-token": token }),
      },
    });
    for (const [, key = ""] of text.matchAll(wanted)) keys.push(plain(key));
    token = plain(/<NextContinuationToken>([^<]+)</.exec(text)?.[1] ?? "") || null;
  } while (token !== null);
  return keys;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Text of XML without its entities. */
function plain(xml: string): string {
  return xml.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (whole, hex?: string, digits?: string, name = "") => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (digits !== undefined) return String.fromCodePoint(Number(digits));
      return entities[name] ?? whole;
    },
  );
}
