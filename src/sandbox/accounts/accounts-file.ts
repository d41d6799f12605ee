import { z } from "zod";
import { usageError } from "../../core/errors.ts";
import { issueWords } from "../../core/issue-words.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import { isWebhookSecret } from "../../core/webhook-signature.ts";
import { providerProfiles } from "../world/provider-profiles.ts";
import type { Account } from "./account.ts";

/**
 * The clients of a sandbox, as a JSON array in a file. Every problem is named by its place, and all of them at once.
 * `readSecret` reads the file that a secret is kept in.
 */
export function parseAccounts(
  text: string,
  readSecret: (file: string) => string,
): readonly [Account, ...Account[]] {
  const parsed = accountsSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${place(issue.path)}: ${issueWords(issue)}`);
    throw usageError(`accounts: ${problems.join("; ")}`);
  }
  const accounts = parsed.data.map((entry, at) => toAccount(entry, at, readSecret));
  refuseTwice(accounts, "apiKey");
  refuseTwice(accounts, "name");
  const [first, ...others] = accounts;
  if (!first) throw usageError("accounts: expected at least one");
  return [first, ...others];
}

const headerText = z.string().regex(/^[\x21-\x7e]{1,512}$/, "expected 1 to 512 visible ASCII characters");
const providerIds = providerProfiles.map(({ id }) => id);
const provider = z.string().superRefine((id, issues) => {
  if (providerIds.includes(id)) return;
  const near = nearestWord(id, providerIds);
  issues.addIssue(
    `there is no provider "${id}"${near === null ? `; there are ${providerIds.join(", ")}` : `, did you mean ${near}?`}`,
  );
});

const entrySchema = z.strictObject({
  name: z.string().min(1).max(100),
  apiKey: headerText,
  apiSecret: headerText.optional(),
  apiSecretFile: z.string().optional(),
  providers: z.array(provider).optional(),
  preferred: z.union([provider.transform((id) => ({ "*": id })), z.record(z.string(), provider)]).optional(),
  requestsPerSecond: z.number().min(0).max(1_000_000).optional(),
  mode: z.enum(["test", "live"]).optional(),
  transactions: z.int().min(0).max(1_000_000_000).optional(),
  webhook: z
    .strictObject({
      url: z.url({ protocol: /^https?$/, error: "expected an http or https address" }),
      secret: z.string().refine(isWebhookSecret, "expected whsec_ and 24 to 64 bytes in base64"),
    })
    .optional(),
});

const accountsSchema = z.array(entrySchema).min(1, "expected at least one account");

function toAccount(
  entry: z.output<typeof entrySchema>,
  at: number,
  readSecret: (file: string) => string,
): Account {
  const { apiSecret, apiSecretFile } = entry;
  if ((apiSecret === undefined) === (apiSecretFile === undefined)) {
    throw usageError(`accounts: [${at}]: give either apiSecret or apiSecretFile`);
  }
  return {
    name: entry.name,
    apiKey: entry.apiKey,
    apiSecret: apiSecret ?? readSecret(apiSecretFile ?? ""),
    providers: entry.providers === undefined ? null : new Set(entry.providers),
    preferred: new Map(Object.entries(entry.preferred ?? {})),
    requestsPerSecond: entry.requestsPerSecond ?? 0,
    mode: entry.mode ?? "test",
    transactions: entry.transactions ?? null,
    webhook: entry.webhook ?? null,
  };
}

function refuseTwice(accounts: readonly Account[], field: "apiKey" | "name"): void {
  const twice = accounts.find(
    (account, at) => accounts.findIndex((each) => each[field] === account[field]) < at,
  );
  // A key is not repeated in a message: it may be one that is in use elsewhere.
  if (twice) throw usageError(`accounts: two accounts have the ${field} of "${twice.name}"`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError("accounts: the file is not JSON; expected an array of accounts");
  }
}

function place(path: readonly PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("") || "file";
}
