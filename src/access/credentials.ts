import { timingSafeEqual } from "node:crypto";
import { hashApiKey, parseApiKey } from "../core/api-key.ts";
import type { Access } from "./access.ts";

export type Credentials = { kind: "key"; key: string } | { kind: "missing" | "unreadable" | "secret_wrong" };

interface Headers {
  authorization: string | undefined;
  serviceSecret: string | undefined;
}

/** The key of a request. A bearer everywhere; on the mirror as the aggregator takes it as well. */
export function readCredentials(access: Access, { authorization, serviceSecret }: Headers): Credentials {
  if (authorization === undefined || authorization === "") return { kind: "missing" };
  if (access.credentials === "aggregator") return readAggregatorHeaders(authorization, serviceSecret);
  const [scheme = "", value = "", ...rest] = authorization.split(" ");
  if (rest.length > 0) return { kind: "unreadable" };
  if (scheme.toLowerCase() === "bearer" && value !== "") return { kind: "key", key: value };
  if (scheme.toLowerCase() === "basic") return readBasic(value);
  return { kind: "unreadable" };
}

/**
 * The bare key, and a second header that must not be wrong either: clients of the aggregator send both. It holds the
 * key's secret part, what follows its last underscore, or the whole key once more.
 */
function readAggregatorHeaders(key: string, serviceSecret: string | undefined): Credentials {
  if (serviceSecret === undefined || serviceSecret === "") return { kind: "missing" };
  const parts = parseApiKey(key);
  if (parts === null) return { kind: "unreadable" };
  // Digests have one length, and the time to compare them tells nothing about the text.
  const given = hashApiKey(serviceSecret);
  const isPart = timingSafeEqual(given, hashApiKey(parts.secret));
  const isWhole = timingSafeEqual(given, hashApiKey(key));
  return isPart || isWhole ? { kind: "key", key } : { kind: "secret_wrong" };
}

/** `curl -u KEY:` sends the key as the user name, with an empty password. */
function readBasic(value: string): Credentials {
  const text = Buffer.from(value, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon <= 0 || colon !== text.length - 1) return { kind: "unreadable" };
  return { kind: "key", key: text.slice(0, colon) };
}
