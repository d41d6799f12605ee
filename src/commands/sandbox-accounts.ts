import { readFileSync } from "node:fs";
import { TieoutError } from "../core/errors.ts";
import { type Account, plainAccount, type Webhook } from "../sandbox/accounts/account.ts";
import { parseAccounts } from "../sandbox/accounts/accounts-file.ts";
import { sandboxDefaults } from "../sandbox/options.ts";
import { isWebhookSecret } from "../core/webhook-signature.ts";
import type { OptionReader } from "./option-problems.ts";

export interface AccountFlags {
  accounts?: string;
  apiKey?: string;
  apiSecret?: string;
  apiSecretFile?: string;
  webhookUrl?: string;
  webhookSecret?: string;
  webhookSecretFile?: string;
}

/** The accounts of the file, or the one of the command line. */
export function readSandboxAccounts(
  reader: OptionReader,
  flags: AccountFlags,
): readonly [Account, ...Account[]] {
  const single = plainAccount("default", {
    apiKey: reader.headerText("--api-key", flags.apiKey) ?? sandboxDefaults.apiKey,
    apiSecret:
      reader.secret("--api-secret", { text: flags.apiSecret, file: flags.apiSecretFile }) ??
      sandboxDefaults.apiSecret,
  });
  const webhook = readWebhook(reader, flags);
  if (flags.accounts === undefined) return [{ ...single, webhook }];
  for (const [option, value] of [
    ["--api-key", flags.apiKey],
    ["--api-secret", flags.apiSecret ?? flags.apiSecretFile],
    ["--webhook-url", flags.webhookUrl],
  ] as const) {
    if (value !== undefined) reader.problem(option, "belongs in the --accounts file; give it there");
  }
  const text = readFile(reader, "--accounts", flags.accounts);
  if (text === undefined) return [single];
  const readSecret = (file: string) => readFile(reader, "--accounts", file)?.trim() ?? "";
  return attempt(reader, () => parseAccounts(text, readSecret)) ?? [single];
}

function readWebhook(reader: OptionReader, flags: AccountFlags): Webhook | null {
  const given = reader.secret("--webhook-secret", {
    text: flags.webhookSecret,
    file: flags.webhookSecretFile,
  });
  if (given !== undefined && !isWebhookSecret(given)) {
    reader.problem("--webhook-secret", "expected whsec_ and 24 to 64 bytes in base64");
  }
  const url = flags.webhookUrl;
  if (url === undefined) {
    if (given !== undefined) reader.problem("--webhook-secret", "needs --webhook-url");
    return null;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    reader.problem("--webhook-url", "expected an http or https address");
  }
  return { url, secret: given ?? sandboxDefaults.webhookSecret };
}

function readFile(reader: OptionReader, option: string, file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    reader.problem(option, `cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

/** Runs a reader of the sandbox's own, whose messages begin with the name of the option, and notes what it says. */
export function attempt<T>(reader: OptionReader, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    const [option = "", ...rest] = error.message.split(": ");
    reader.problem(`--${option}`, rest.join(": "));
    return undefined;
  }
}
