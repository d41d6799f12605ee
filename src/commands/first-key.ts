import { randomBytes } from "node:crypto";
import { linkAddress, linkLife, makeFirstLink } from "../access/sign-in.ts";
import { TieoutError } from "../core/errors.ts";
import { isLoopback } from "../core/network.ts";
import type { Database } from "../store/database.ts";
import { ensureFirstKey, hasKey } from "../store/people/api-keys.ts";
import { hasPerson } from "../store/people/people.ts";
import { hasGoodLink } from "../store/people/sign-in-links.ts";
import type { CommandContext } from "./context.ts";

/**
 * Before the API is served: on the very first start an admin key is made and shown, once; and for as long as nobody is
 * there, a link that makes its first visitor the first person. Not when other machines can reach the port: an operator
 * who opens it to them should have let themselves in already, rather than find the way in a log.
 */
export async function prepareKeys(
  context: CommandContext,
  database: Database,
  baseUrl: string,
): Promise<void> {
  const { host } = context.config;
  if (!isLoopback(host)) {
    // A link that was just made counts: its first visitor is about to come in.
    for (const isThere of [hasKey, hasPerson, hasGoodLink]) if (await isThere(database)) return;
    throw new TieoutError(
      "key_missing",
      `HOST is ${host}, which other machines can reach, and there is no person and no key yet: make a link for the first person with tieout people link, or a key with tieout keys create --name admin --role admin`,
    );
  }
  const key = await ensureFirstKey(database, randomBytes);
  if (key !== null) context.say(`First key (admin, shown only now): ${key}`);
  const token = await makeFirstLink(database, randomBytes);
  if (token !== null)
    context.say(`Sign in once, within ${linkLife("first_person")}: ${linkAddress(baseUrl, token)}`);
}
