import { join } from "node:path";

/**
 * All that the data folder holds beside its database and cannot be made again: passwords, keys, and the heads of the
 * audit log outside the database. Every backup has all of them, because it copies what is named here; and a secret is
 * drawn into no other file, because `readOrDraw` takes none.
 */
export const secretFiles = {
  superuserPassword: "postgres-password",
  ownerPassword: "owner-password",
  servicePassword: "service-password",
  auditKey: "audit-key.pem",
  auditHeads: "audit-heads.jsonl",
  erasureKey: "erasure-key",
  webhookKey: "webhook-key",
} as const;

/**
 * What the aggregator of the demonstration keeps, beside the database as well: without it, a restored demonstration would read
 * another past, and know nothing of the checkouts made in it.
 */
export const demoFiles = ["demo/history.json", "demo/checkouts.jsonl", "demo/webhooks.log"] as const;

export type SecretFile = string & { readonly brand: "secret file" };

export function secretFile(dataDir: string, name: keyof typeof secretFiles): SecretFile {
  return join(dataDir, secretFiles[name]) as SecretFile;
}
