import { TieoutError } from "../../core/errors.ts";

/** What the store has against a request. */
export interface Refusal {
  status: number;
  /** `null` where it gave none, as with HEAD. */
  code: string | null;
  /** Where the bucket really is, when it is not where we asked. */
  region: string | null;
}

/** Only the code is taken from an answer: the rest of it repeats the key id, and what was signed. */
export function codeOf(xml: string): string | null {
  return /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(xml)?.[1] ?? null;
}

/** Whether the same request may succeed a little later. */
export function isPassing({ status, code }: Refusal): boolean {
  return (
    status >= 500 || status === 429 || status === 408 || code === "RequestTimeout" || code === "SlowDown"
  );
}

const advice: Readonly<Record<string, string>> = {
  NoSuchBucket: "create the bucket, or correct FILES_URL",
  InvalidAccessKeyId: "correct AWS_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "correct AWS_SECRET_ACCESS_KEY",
  InvalidToken: "correct AWS_SESSION_TOKEN, and start again",
  ExpiredToken: "renew AWS_SESSION_TOKEN, and start again",
  RequestTimeTooSkewed: "set this machine's clock by NTP",
  AccessDenied: "allow this key to read, write, list and remove objects of the bucket",
};

export function refused(bucket: string, doing: string, refusal: Refusal): TieoutError {
  const said = [String(refusal.status), refusal.code].filter((word) => word !== null).join(" ");
  const next =
    refusal.region === null
      ? (advice[refusal.code ?? ""] ?? (refusal.status === 403 ? advice["AccessDenied"] : null))
      : `the bucket is in ${refusal.region}: set AWS_REGION to that`;
  const retry = isPassing(refusal);
  const otherwise = retry ? "try again later" : "look up the code in the manual of the store";
  return new TieoutError(
    "files_unusable",
    `the bucket ${bucket} refused ${doing} (${said}): ${next ?? otherwise}`,
    { retry, cause: refusal },
  );
}

export function unreachable(bucket: string, doing: string, cause: unknown): TieoutError {
  return new TieoutError(
    "files_unusable",
    `the bucket ${bucket} did not answer while ${doing} (${reasonOf(cause)}): look at the network and at AWS_ENDPOINT_URL_S3`,
    { cause, retry: true },
  );
}

function reasonOf(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "it broke off";
}
