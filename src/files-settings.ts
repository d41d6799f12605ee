import { fileURLToPath } from "node:url";
import { isSafeUrl, unsafeUrl } from "./accounts-file.ts";
import { quote } from "./core/quote.ts";
import type { Secret } from "./core/secret.ts";
import type { Reader } from "./environment.ts";

/** Where files go: exports, and copies of the data unless they have a folder of their own. */
export type FilesSettings =
  | { kind: "folder"; folder: string }
  | {
      kind: "s3";
      bucket: string;
      /** Without slashes at its ends; may be empty. */
      prefix: string;
      region: string;
      /** Another store than Amazon's. */
      endpoint: string | null;
      credentials: { accessKeyId: Secret; secretAccessKey: Secret; sessionToken: Secret | null };
    };

/** Those that hold a secret; each may be given as `NAME_FILE` instead. */
export const fileSecretNames = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;

export const fileVariableNames = [
  "FILES_URL",
  "AWS_REGION",
  "AWS_DEFAULT_REGION",
  "AWS_ENDPOINT_URL_S3",
  "AWS_ENDPOINT_URL",
] as const;

/** `null`: in the data folder. What Amazon's own programs are told by their variables is told to us by the same ones. */
export function readFiles(reader: Reader, problems: string[]): FilesSettings | null {
  const accessKeyId = reader.secret("AWS_ACCESS_KEY_ID");
  const secretAccessKey = reader.secret("AWS_SECRET_ACCESS_KEY");
  const sessionToken = reader.secret("AWS_SESSION_TOKEN");
  const [region, regionUsual] = [reader.text("AWS_REGION"), reader.text("AWS_DEFAULT_REGION")];
  const endpoints = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].map((name) => ({
    name,
    url: reader.text(name),
  }));
  const value = reader.text("FILES_URL");
  if (value === null) return null;
  const folder = folderOf(value);
  if (folder !== null) return { kind: "folder", folder };
  const place = bucketOf(value);
  if (place === null) {
    const expected = "expected s3://bucket/prefix, or file:///folder";
    problems.push(`FILES_URL: ${expected}, found ${quote(value.replace(/\/\/[^/]*@/, "//…@"))}`);
    return null;
  }
  const endpoint = endpoints.find(({ url }) => url !== null);
  if (endpoint?.url && !isSafeUrl(endpoint.url))
    problems.push(`${endpoint.name}: ${unsafeUrl(endpoint.url)}`);
  for (const [name, given] of Object.entries({
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }))
    if (given === null) problems.push(`${name}: missing; a bucket in FILES_URL needs a key and its secret`);
  if (accessKeyId === null || secretAccessKey === null) return null;
  return {
    kind: "s3",
    ...place,
    region: region ?? regionUsual ?? "us-east-1",
    endpoint: endpoint?.url ?? null,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
  };
}

function folderOf(value: string): string | null {
  if (!/^file:\/\/\/[^/]/.test(value)) return null;
  try {
    return fileURLToPath(value).replace(/\/+$/, "");
  } catch {
    return null;
  }
}

/** Bucket names as they may be on every store; a prefix that is as good in a folder as in a bucket. */
function bucketOf(value: string): { bucket: string; prefix: string } | null {
  const [, bucket, rest = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(value) ?? [];
  const prefix = rest.replace(/\/+$/, "");
  const parts = prefix.split("/");
  const isOdd = prefix !== "" && parts.some((part) => !/^[\w.+=@ -]+$/.test(part) || /^\.+$/.test(part));
  return bucket === undefined || isOdd ? null : { bucket, prefix };
}
