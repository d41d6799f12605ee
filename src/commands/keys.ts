import { randomBytes } from "node:crypto";
import { presentKey } from "../api/keys/schema.ts";
import { DAY, parseDurationMs } from "../core/duration.ts";
import { usageError } from "../core/errors.ts";
import { isKeyRole, type KeyRole, keyRoles } from "../core/roles.ts";
import { isScope, scopes } from "../core/scopes.ts";
import {
  createKey,
  type HeldKey,
  type KeyToMake,
  listKeys,
  readKey,
  revokeKey,
} from "../store/people/api-keys.ts";
import type { Database } from "../store/database.ts";
import { findPersonByEmail } from "../store/people/people.ts";
import { accountsNamed } from "./accounts-named.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { answerList, writeOut } from "./write-out.ts";
import { withDatabase, withExistingDatabase } from "./with-store.ts";

interface CreateKeyFlags {
  name: string;
  role?: string;
  scope?: string[];
  account?: string[];
  owner?: string;
  expires?: string;
  replaces?: string;
  overlap?: string;
  json: boolean;
}

/** The key goes to stdout, alone or as JSON, so that it can be piped into a file; the explanation goes to stderr. */
export async function createKeyCommand(context: CommandContext, flags: CreateKeyFlags): Promise<void> {
  const wanted = readFlags(flags);
  await withDatabase(context, async (database) => {
    const accountIds = await accountsNamed(database, flags.account);
    const ownerId = await ownerNamed(database, flags.owner);
    const replaces = flags.replaces === undefined ? null : await oneKey(database, flags.replaces);
    const overlapMs = durationOf("--overlap", flags.overlap) ?? DAY;
    const { key, held } = await createKey(
      database,
      randomBytes,
      { ...wanted, accountIds, ownerId, ...(replaces && { replaces: { id: replaces.id, overlapMs } }) },
      { actor: actorName() },
    );
    if (flags.json) writeOut(`${JSON.stringify({ key, ...presentKey(held) })}\n`);
    else {
      writeOut(`${key}\n`);
      context.say(`Key ${describe(held)}. It is shown only now.`);
    }
  });
}

export async function listKeysCommand(context: CommandContext, flags: { json: boolean }): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const { rows } = await listKeys({ database, accountIds: null }, { limit: 10_000, after: null });
    const none = "There are no keys yet: tieout keys create makes one.";
    answerList(context, flags, { rows, present: presentKey, describe, none });
  });
}

export async function revokeKeyCommand(
  context: CommandContext,
  id: string,
  flags: { json: boolean },
): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const found = await oneKey(database, id);
    const held = await revokeKey(database, found.id, { actor: actorName() });
    if (flags.json) writeOut(`${JSON.stringify(presentKey(held))}\n`);
    else context.say(`Revoked: ${describe(held)}`);
  });
}

/** All that is wrong with the flags at once, before anything is opened. */
function readFlags(flags: CreateKeyFlags): Omit<KeyToMake, "accountIds" | "replaces"> {
  const problems: string[] = [];
  const name = flags.name.trim();
  if (name === "" || name.length > 200) problems.push("--name: expected 1 to 200 characters");
  const named = flags.scope?.flatMap((text) => text.split(",")) ?? [];
  const role: string = flags.role ?? (named.length > 0 ? "custom" : "viewer");
  if (!isKeyRole(role)) problems.push(`--role: expected one of ${keyRoles.join(", ")}, found "${role}"`);
  for (const scope of named) {
    if (!isScope(scope)) problems.push(`--scope: expected one of ${scopes.join(", ")}, found "${scope}"`);
  }
  for (const [flag, text] of [
    ["--expires", flags.expires],
    ["--overlap", flags.overlap],
  ] as const) {
    if (text !== undefined && parseDurationMs(text) === null)
      problems.push(`${flag}: expected a duration such as 90d, found "${text}"`);
  }
  if (problems.length > 0) throw usageError(problems.join("\n"));
  return { name, role: role as KeyRole, scopes: named, expiresInMs: durationOf("--expires", flags.expires) };
}

function durationOf(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = parseDurationMs(text);
  if (ms === null) throw usageError(`${flag}: expected a duration such as 90d, found "${text}"`);
  return ms;
}

/** Without an owner no person answers for the key, and it outlives its maker. */
async function ownerNamed(database: Database, email: string | undefined): Promise<number | null> {
  if (email === undefined) return null;
  const person = await findPersonByEmail(database, email);
  if (person === null) throw usageError(`--owner: there is no person ${email}: see tieout people list`);
  return person.id;
}

async function oneKey(database: Database, id: string): Promise<HeldKey> {
  const bare = id.replace(/^key_/, "");
  const held = await readKey({ database, accountIds: null }, bare);
  if (held === null) throw usageError(`there is no key ${id}: see tieout keys list`);
  return held;
}

function describe(held: HeldKey): string {
  const shown = presentKey(held);
  const notes = [
    shown.accounts === null ? "all accounts" : `accounts ${shown.accounts.join(", ")}`,
    shown.owner_name === null ? null : `owner ${shown.owner_name}`,
    `expires ${shown.expires_at}`,
    shown.approval_state === "proposed" ? `waits for approval ${shown.approval}` : null,
    shown.unused ? "not used for 90 days" : null,
    shown.revoked_at === null ? null : `revoked ${shown.revoked_at}`,
  ].filter(Boolean);
  return `${shown.id} …${shown.last_four}  ${shown.role}  ${shown.name}  (${notes.join("; ")})`;
}
