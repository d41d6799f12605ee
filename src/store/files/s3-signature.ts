import { createHash, createHmac } from "node:crypto";
import type { Secret } from "../../core/secret.ts";

export interface S3Credentials {
  accessKeyId: Secret;
  secretAccessKey: Secret;
  sessionToken: Secret | null;
}

export interface RequestToSign {
  method: string;
  host: string;
  /** As it goes over the wire: see `encodeKey`. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Signed besides those that every request has; names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** In hexadecimal digits. */
  bodySha256: string;
}

/**
 * Signs a request as Amazon's Signature Version 4 has it, and returns the headers to send. The secret itself never
 * travels: a server that has it comes to the same signature, or refuses.
 */
export function signRequest(
  request: RequestToSign,
  { credentials, region, nowMs }: { credentials: S3Credentials; region: string; nowMs: number },
): Record<string, string> {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    "x-amz-content-sha256": request.bodySha256,
    "x-amz-date": time,
    ...(credentials.sessionToken ? { "x-amz-security-token": credentials.sessionToken.reveal() } : {}),
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method,
    request.path,
    encodeQuery(request.query),
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    request.bodySha256,
  ].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<Buffer | string>(hmac, `AWS4${credentials.secretAccessKey.reveal()}`);
  const signature = hmac(key, toSign).toString("hex");
  const { host: _, ...sent } = headers;
  const credential = `${credentials.accessKeyId.reveal()}/${scope}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}

export function encodeKey(key: string): string {
  return key.split("/").map(encode).join("/");
}

/** Sorted, as it has to be signed; sent in the same form. */
export function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
}

/** Everything but letters, digits and `-._~`; `encodeURIComponent` leaves five more as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}
