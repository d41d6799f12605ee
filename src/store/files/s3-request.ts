import { randomInt } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { MINUTE, SECOND } from "../../core/duration.ts";
import { codeOf, isPassing, type Refusal, refused, unreachable } from "./s3-errors.ts";
import { encodeKey, encodeQuery, type S3Credentials, sha256, signRequest } from "./s3-signature.ts";

export interface S3Place {
  bucket: string;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  region: string;
  /** Another store than Amazon's, which is then asked by path: `https://store.example/bucket/name`. */
  endpoint: string | null;
  credentials: S3Credentials;
}

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** In the bucket; `null`: the bucket itself. */
  key: string | null;
  /** For people: "writing exports/a.csv". */
  doing: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
  signal?: AbortSignal | undefined;
}

export interface S3Answer {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
}

/** Every request is sent again while the store does not answer or says that it cannot now; any other refusal is an error. */
export interface S3Client {
  /** `null`: there is no such object. The caller reads the body to its end. */
  open(request: S3Request): Promise<S3Answer | null>;
  ask(request: S3Request): Promise<{ text: string; headers: S3Answer["headers"] }>;
}

export interface S3ClientOptions {
  now: () => number;
  /** How long to wait before each further try, about. */
  retryAfterMs?: readonly number[];
}

/** A store that is restarted is back within these; a job that fails is taken up again later. */
const retryAfterMsUsual = [200, 1 * SECOND, 4 * SECOND];
const connectTimeoutMs = 5 * SECOND;
const headersTimeoutMs = 30 * SECOND;
const bodyTimeoutMs = 1 * MINUTE;
/** A page of a listing has a thousand names of a thousand bytes at most. */
const textBytesMax = 8 * 1024 * 1024;

export function createS3Client(
  place: S3Place,
  { now, retryAfterMs = retryAfterMsUsual }: S3ClientOptions,
): S3Client {
  const { bucket, credentials, region } = place;
  const { origin, host, basePath } = addressOf(place);
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  });

  async function send({ method, key, query = {}, headers = {}, body, signal }: S3Request) {
    const path = key === null ? basePath || "/" : `${basePath}/${encodeKey(key)}`;
    const signed = signRequest(
      { method, host, path, query, headers, bodySha256: sha256(body ?? "") },
      { credentials, region, nowMs: now() },
    );
    const search = encodeQuery(query);
    return agent.request({
      origin,
      // As it was signed: made of a URL object, parts of it would be taken for something else.
      path: search === "" ? path : `${path}?${search}`,
      method,
      headers: signed,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Reading the answer belongs to the try. `null`: there is no such object. */
  async function attempt<T>(request: S3Request, read: (answer: S3Answer) => Promise<T>): Promise<T | null> {
    const { doing, signal } = request;
    for (let tries = 0; ; tries++) {
      const wait = retryAfterMs[tries];
      let refusal: Refusal;
      try {
        const answer = await send(request);
        if (answer.statusCode >= 200 && answer.statusCode < 300) return await read(answer);
        refusal = await readRefusal(answer);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (wait === undefined) throw unreachable(bucket, doing, error);
        await pause(wait, signal);
        continue;
      }
      if (refusal.status === 404 && (refusal.code === null || refusal.code === "NoSuchKey")) return null;
      if (wait === undefined || !isPassing(refusal)) throw refused(bucket, doing, refusal);
      await pause(wait, signal);
    }
  }

  return {
    open: (request) => attempt(request, async (answer) => answer),
    ask: async (request) => {
      const answer = await attempt(request, async ({ body, headers }) => ({
        text: await readText(body),
        headers,
      }));
      if (answer === null) throw refused(bucket, request.doing, { status: 404, code: null, region: null });
      return answer;
    },
  };
}

/** Half of it, and a random part of the other half: workers that were refused together do not come back together. */
async function pause(wait: number, signal: AbortSignal | undefined): Promise<void> {
  const half = Math.ceil(wait / 2);
  await sleep(half + randomInt(half + 1), undefined, signal === undefined ? {} : { signal });
}

function addressOf({ bucket, region, endpoint }: S3Place): {
  origin: string;
  host: string;
  basePath: string;
} {
  // A name with dots would not fit the certificate as part of the host.
  const byPath = endpoint !== null || bucket.includes(".");
  const home = endpoint ?? `https://${byPath ? "" : `${bucket}.`}s3.${region}.amazonaws.com`;
  const { origin, host, pathname } = new URL(home);
  return {
    origin,
    host,
    basePath: `${pathname.replace(/\/+$/, "")}${byPath ? `/${encodeKey(bucket)}` : ""}`,
  };
}

async function readRefusal(answer: S3Answer): Promise<Refusal> {
  const region = answer.headers["x-amz-bucket-region"];
  const misplaced = answer.statusCode === 301 || answer.statusCode === 400;
  return {
    status: answer.statusCode,
    code: codeOf(await readText(answer.body)),
    region: misplaced && typeof region === "string" && /^[a-z0-9-]{1,40}$/.test(region) ? region : null,
  };
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > textBytesMax) throw Object.assign(new Error("the answer is too long"), { code: "TOO_LONG" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
