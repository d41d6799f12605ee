import { randomBytes } from "node:crypto";
import { invitePerson, linkForPerson, type PeopleDeps, setRoles, setSuspended } from "../access/people.ts";
import { linkAddress, linkLife, makeFirstLink, purposeFor } from "../access/sign-in.ts";
import { urlOf } from "../api/listen.ts";
import { presentPerson } from "../api/people/schema.ts";
import { usageError } from "../core/errors.ts";
import { isRole, type Role, roles } from "../core/roles.ts";
import { scopes } from "../core/scopes.ts";
import type { Database } from "../store/database.ts";
import { heldAddress } from "../store/embedded/hold-data-folder.ts";
import { findPersonByEmail, listPeople, type Person, readPerson } from "../store/people/people.ts";
import { actorName } from "./actor-name.ts";
import { accountsNamed } from "./accounts-named.ts";
import type { CommandContext } from "./context.ts";
import { answer, answerList, writeOut } from "./write-out.ts";
import { withDatabase, withExistingDatabase } from "./with-store.ts";

export interface PersonFlags {
  json: boolean;
  name?: string;
  email?: string;
  role?: string[];
  account?: string[];
  reason?: string;
}

export async function invitePersonCommand(context: CommandContext, flags: PersonFlags): Promise<void> {
  const wanted = readRoles(flags.role ?? []);
  const { name = "", email = "" } = flags;
  await withDatabase(context, async (database) => {
    const accountIds = await accountsNamed(database, flags.account);
    const made = await invitePerson(depsOf(database), { name, email, roles: wanted, accountIds });
    await sayLink(context, flags, made);
  });
}

export async function listPeopleCommand(context: CommandContext, flags: PersonFlags): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const { rows } = await listPeople({ database, accountIds: null }, {}, { limit: 10_000, after: null });
    const none = "There are no people yet: tieout people link lets the first one in.";
    answerList(context, flags, { rows, present: presentPerson, describe, none });
  });
}

export async function suspendPersonCommand(
  context: CommandContext,
  who: string,
  flags: PersonFlags & { suspended: boolean },
): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const { id } = await onePerson(database, who);
    const { suspended, reason } = flags;
    const change = { suspended, ...(reason === undefined ? {} : { reason }) };
    sayPerson(context, flags, await setSuspended(depsOf(database), id, change));
  });
}

export async function setRolesCommand(
  context: CommandContext,
  who: string,
  flags: PersonFlags,
): Promise<void> {
  const wanted = readRoles(flags.role ?? []);
  await withExistingDatabase(context, async (database) => {
    const person = await onePerson(database, who);
    const accountIds =
      flags.account === undefined ? person.accountIds : await accountsNamed(database, flags.account);
    sayPerson(context, flags, await setRoles(depsOf(database), person.id, { roles: wanted, accountIds }));
  });
}

/** Without a name: the very first link, until the first person is there. */
export async function linkPersonCommand(
  context: CommandContext,
  who: string | undefined,
  flags: PersonFlags,
): Promise<void> {
  await withDatabase(context, async (database) => {
    if (who !== undefined) {
      const { id } = await onePerson(database, who);
      await sayLink(context, flags, await linkForPerson(depsOf(database), id));
      return;
    }
    const token = await makeFirstLink(database, randomBytes);
    if (token === null) {
      throw usageError("say for whom: tieout people link you@example.com; see tieout people list");
    }
    const link = linkAddress(await baseUrlOf(context), token);
    answer(flags, { link }, link);
    const within = linkLife("first_person");
    context.say(`Open it within ${within} to become the first person. It is shown only now.`);
  });
}

/** A user who can read the database's password may do everything; the audit log says that it was done here. */
function depsOf(database: Database): PeopleDeps {
  const actor = actorName();
  const granter = { actor, personId: null, vouchedBy: null, scopes: new Set(scopes), accountIds: null };
  return { database, randomBytes, granter };
}

/** By e-mail or by id. */
async function onePerson(database: Database, who: string): Promise<Person> {
  const [, number] = /^(?:per_)?([1-9]\d{0,14})$/.exec(who) ?? [];
  const found =
    number === undefined
      ? await findPersonByEmail(database, who)
      : await readPerson({ database, accountIds: null }, Number(number));
  if (found === null) throw usageError(`there is no person ${who}: see tieout people list`);
  return found;
}

function readRoles(given: readonly string[]): Role[] {
  const named = given.flatMap((text) => text.split(","));
  const unknown = named.filter((text) => !isRole(text));
  if (named.length === 0 || unknown.length > 0) {
    const found = unknown.length > 0 ? `, found "${unknown.join(", ")}"` : "";
    throw usageError(`--role: expected some of ${roles.join(", ")}${found}`);
  }
  return named.filter(isRole);
}

async function sayLink(
  context: CommandContext,
  flags: PersonFlags,
  { person, token }: { person: Person; token: string },
): Promise<void> {
  const link = linkAddress(await baseUrlOf(context), token);
  if (flags.json) writeOut(`${JSON.stringify({ ...presentPerson(person), link })}\n`);
  else {
    writeOut(`${link}\n`);
    const within = linkLife(purposeFor(person));
    context.say(
      `Hand this link to ${person.name}: it signs them in once, within ${within}. It is shown only now.`,
    );
  }
}

function sayPerson(context: CommandContext, flags: PersonFlags, person: Person): void {
  if (flags.json) writeOut(`${JSON.stringify(presentPerson(person))}\n`);
  else context.say(describe(person));
}

function describe({ id, name, email, roles: held, accounts, state }: Person): string {
  const seen = accounts === null ? "all accounts" : `accounts ${accounts.join(", ")}`;
  return `per_${id}  ${name} <${email}>  ${held.join(", ")}  (${state}; ${seen})`;
}

/** What people open: as it is set, else where the service on this data folder answers, else where it would. */
async function baseUrlOf({ config }: CommandContext): Promise<string> {
  return config.publicUrl ?? (await heldAddress(config.dataDir)) ?? urlOf(config.host, config.port);
}
