import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { issueWords } from "./core/issue-words.ts";
import { notATime, parseTime } from "./core/period.ts";
import { quote } from "./core/quote.ts";
import { secret, type Secret } from "./core/secret.ts";
import { isWebhookSecret } from "./core/webhook-signature.ts";

export interface AccountConfig {
  name: string;
  baseUrl: string;
  legacyBaseUrl: string | null;
  apiKey: Secret;
  apiSecret: Secret;
  /** What to do when key or secret are refused: where they are set, and when that is read again. */
  credentialsAdvice: string;
  syncStart: string | null;
  /** What the aggregator signs its events with. */
  webhookSecret: Secret | null;
}

/** The file behind `TIEOUT_ACCOUNTS_FILE`: several aggregator accounts, each with its own address and keys. */
export function readAccountsFile(
  file: string,
  problems: string[],
  warnings: string[],
): AccountConfig[] | null {
  const name = "TIEOUT_ACCOUNTS_FILE";
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    // A parser's message may quote the file, and the file holds secrets: only the kind of failure is passed on.
    const why =
      error instanceof SyntaxError
        ? "is not JSON"
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    problems.push(`${name}: ${file} ${why}`);
    return null;
  }
  const parsed = z.array(accountSchema).min(1).safeParse(content);
  if (!parsed.success) {
    for (const issue of parsed.error.issues)
      problems.push(`${name}: ${formatPath(issue.path)}: ${issueWords(issue)}`);
    return null;
  }
  const names = new Set<string>();
  for (const account of parsed.data) {
    if (names.has(account.name)) problems.push(`${name}: two accounts are named ${quote(account.name)}`);
    names.add(account.name);
  }
  // Not refused: a secret that an orchestrator puts into a container is often readable by all who are in there.
  if (parsed.data.some(({ apiSecret }) => apiSecret !== undefined) && isOpenToOthers(file)) {
    warnings.push(`${name}: ${file} holds secrets and every user of this machine can read it: chmod 600 it`);
  }
  return parsed.data.map((account) => ({
    name: account.name,
    baseUrl: withoutTrailingSlash(account.baseUrl),
    legacyBaseUrl: account.legacyBaseUrl === undefined ? null : withoutTrailingSlash(account.legacyBaseUrl),
    apiKey: secret(account.apiKey),
    apiSecret: secret(account.apiSecret ?? readSecretFile(account, problems)),
    credentialsAdvice: `correct ${account.apiSecretFile ?? "apiSecret"} or apiKey of account ${quote(account.name)} in ${file} (${name}): it is read again within seconds`,
    syncStart: parseTime(account.syncStart ?? ""),
    webhookSecret: account.webhookSecret === undefined ? null : secret(account.webhookSecret),
  }));
}

function isOpenToOthers(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o004) !== 0;
}

function readSecretFile(
  account: { name: string; apiSecretFile?: string | undefined },
  problems: string[],
): string {
  const file = account.apiSecretFile ?? "";
  try {
    const content = readFileSync(file, "utf8").trim();
    if (content !== "") return content;
    problems.push(`TIEOUT_ACCOUNTS_FILE: account ${quote(account.name)}: the file ${file} is empty`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`TIEOUT_ACCOUNTS_FILE: account ${quote(account.name)}: cannot read ${file} (${code})`);
  }
  return "";
}

const urlSchema = z.string().refine(isSafeUrl, { error: (issue) => unsafeUrl(String(issue.input)) });

const accountSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "use 1 to 40 of a-z, 0-9, _ and -"),
    baseUrl: urlSchema,
    legacyBaseUrl: urlSchema.optional(),
    apiKey: z.string().min(1),
    apiSecret: z.string().min(1).optional(),
    apiSecretFile: z.string().min(1).optional(),
    webhookSecret: z
      .string()
      .refine(isWebhookSecret, { error: "expected whsec_ and 24 to 64 bytes in base64" })
      .optional(),
    syncStart: z
      .string()
      .refine((text) => parseTime(text) !== null, { error: ({ input }) => notATime(String(input)) })
      .optional(),
  })
  .refine((account) => (account.apiSecret === undefined) !== (account.apiSecretFile === undefined), {
    error: "give either apiSecret or apiSecretFile",
  });

/** Keys travel with every request, so anything but https is refused outside this machine. */
export function isSafeUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

export function unsafeUrl(value: string): string {
  return `expected an https address without user name (http only for this machine), found ${quote(value.replace(/\/\/[^/]*@/, "//…@"))}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the file";
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : index > 0 ? `.${String(part)}` : String(part),
    )
    .join("");
}
