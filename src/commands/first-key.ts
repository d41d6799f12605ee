import { randomBytes } from "node:crypto";
import { parseApiKey } from "../core/api-key.ts";
import { TieoutError } from "../core/errors.ts";
import { ensureFirstKey, hasKey } from "../store/people/api-keys.ts";
import type { Database } from "../store/database.ts";
import { createSignInLink } from "../web/sign-in.tsx";
import type { CommandContext } from "./context.ts";

/**
 * Before the API is served: on the very first start an admin key is made and shown, once, with a link that signs in to the
 * page, once. Not when other machines can reach the port: whoever opens it to them should hold a key already, rather than
 * find one in a log.
 */
export async function prepareKeys(
  context: CommandContext,
  database: Database,
  baseUrl: string,
): Promise<void> {
  const { host } = context.config;
  if (!isLoopback(host) && !(await hasKey(database))) {
    throw new TieoutError(
      "key_missing",
      `HOST is ${host}, which other machines can reach, and there is no API key yet: make one first with tieout keys create --name admin --role admin`,
    );
  }
  const key = await ensureFirstKey(database, randomBytes);
  if (key === null) return;
  context.say(`First key (admin, shown only now): ${key}`);
  const keyId = parseApiKey(key)?.id ?? "";
  const link = await createSignInLink(database, randomBytes, { baseUrl, keyId });
  context.say(`Sign in once, within 15 minutes: ${link}`);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
