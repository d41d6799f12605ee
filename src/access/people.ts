import { TieoutError } from "../core/errors.ts";
import { quote } from "../core/quote.ts";
import { type Role, scopesOfRoles } from "../core/roles.ts";
import type { AccountReader } from "../store/conditions.ts";
import type { Database, Transaction } from "../store/database.ts";
import { recordAudit } from "../store/people/audit-log.ts";
import {
  changePerson,
  findPersonByEmail,
  insertPerson,
  listNames,
  listOtherAdmins,
  lockPeople,
  type Person,
  readPerson,
  resumePerson,
  suspendPerson,
} from "../store/people/people.ts";
import { dropSignInLinks } from "../store/people/sign-in-links.ts";
import { needsSecondAdmin } from "../store/people/approvals.ts";
import { propose } from "./approvals.ts";
import { type Caller, vouchersFrom } from "./caller.ts";
import { lackingToGrant } from "./decide.ts";
import type { RandomBytes } from "./new-token.ts";
import { isSameName, type NameAndEmail, readNameAndEmail } from "./person-fields.ts";
import { makeLink, purposeFor } from "./sign-in.ts";

/** Who changes people: a caller of the API or the page, or the user of the command line. */
export type Granter = Pick<Caller, "actor" | "personId" | "vouchedBy" | "scopes" | "accountIds">;

export interface PeopleDeps {
  database: Database;
  randomBytes: RandomBytes;
  granter: Granter;
  requestId?: string | undefined;
}

export interface PersonToInvite extends NameAndEmail {
  roles: readonly Role[];
  accountIds: readonly number[] | null;
}

/** Returns the person and the token of the link that lets them in. */
export async function invitePerson(
  deps: PeopleDeps,
  wanted: PersonToInvite,
): Promise<{ person: Person; token: string }> {
  const { name, email } = readNameAndEmail(wanted);
  const { roles, accountIds } = wanted;
  refuseToGrant(deps.granter, { roles, accountIds });
  return deps.database.transaction(async (tx) => {
    await lockPeople(tx);
    if ((await findPersonByEmail(tx, email)) !== null) {
      throw new TieoutError("person_conflict", `${quote(email)} belongs to someone who is here already`);
    }
    if ((await listNames(tx)).some((taken) => isSameName(taken, name))) {
      throw new TieoutError(
        "person_conflict",
        `${name} is someone's name already, and people are told apart by it: add something, such as a place or an initial`,
      );
    }
    const createdBy = deps.granter.actor;
    const held = await withoutAdmin(tx, deps, roles, []);
    const person = await insertPerson(tx, {
      name,
      email,
      roles: held,
      accountIds,
      state: "invited",
      createdBy,
    });
    await audit(tx, deps, "person.invited", person, { after: describe(person) });
    if (held !== roles) await proposeAdmin(tx, deps, person, roles);
    const token = await makeLink(tx, deps.randomBytes, {
      purpose: "invitation",
      personId: person.id,
      createdBy,
      vouchedBy: vouchersFrom(deps.granter),
    });
    return { person, token };
  });
}

/** Another link for someone who is here: the one before no longer works. */
export async function linkForPerson(
  deps: PeopleDeps,
  id: number,
): Promise<{ person: Person; token: string }> {
  return onPerson(deps, id, async (tx, person) => {
    if (person.state === "suspended") {
      throw new TieoutError("person_conflict", `${quote(person.name)} is suspended: resume them first`);
    }
    const purpose = purposeFor(person);
    const by = { createdBy: deps.granter.actor, vouchedBy: vouchersFrom(deps.granter) };
    const token = await makeLink(tx, deps.randomBytes, { purpose, personId: id, ...by });
    await audit(tx, deps, "person.link_made", person, { after: { purpose } });
    return { person, token };
  });
}

export async function setRoles(
  deps: PeopleDeps,
  id: number,
  wanted: { roles: readonly Role[]; accountIds: readonly number[] | null },
): Promise<Person> {
  refuseToGrant(deps.granter, wanted);
  return onPerson(deps, id, async (tx, person) => {
    await refuseLastAdmin(tx, person, wanted);
    const held = await withoutAdmin(tx, deps, wanted.roles, person.roles);
    if (held !== wanted.roles) await proposeAdmin(tx, deps, person, wanted.roles);
    const given = { roles: [...held], accountIds: wanted.accountIds && [...wanted.accountIds] };
    // Nothing was changed by proposing an admin, or by leaving everything as it is.
    if (isAsBefore(person, given)) return person;
    const changed = await changePerson(tx, id, given, deps.granter.actor);
    await audit(tx, deps, "person.roles_changed", person, {
      before: describe(person),
      after: describe(changed),
    });
    return changed;
  });
}

function isAsBefore(
  before: Pick<Person, "roles" | "accountIds">,
  given: Pick<Person, "roles" | "accountIds">,
): boolean {
  const textOf = ({ roles, accountIds }: typeof before) =>
    JSON.stringify([roles.toSorted(), accountIds?.toSorted((a, b) => a - b) ?? null]);
  return textOf(before) === textOf(given);
}

/** Out of the page within a second, and with them every key they own; and back again. */
export async function setSuspended(
  deps: PeopleDeps,
  id: number,
  { suspended, reason }: { suspended: boolean; reason?: string },
): Promise<Person> {
  return onPerson(deps, id, async (tx, person) => {
    if (suspended === (person.state === "suspended")) return person;
    if (suspended) {
      if (id === deps.granter.personId) {
        throw new TieoutError("person_conflict", "you cannot suspend yourself: ask another admin to");
      }
      await refuseLastAdmin(tx, person, null);
      await dropSignInLinks(tx, id);
    }
    const changed = suspended ? await suspendPerson(tx, id) : await resumePerson(tx, id);
    await audit(tx, deps, suspended ? "person.suspended" : "person.resumed", person, {
      before: { state: person.state },
      after: { state: changed.state },
      ...(reason === undefined ? {} : { reason }),
    });
    return changed;
  });
}

/**
 * Once there are two admins, neither makes another alone: the other roles are given at once, and admin when the second has
 * approved it. A user of the command line has the database as well, and needs no approval.
 */
async function withoutAdmin(
  tx: Transaction,
  { granter }: PeopleDeps,
  wanted: readonly Role[],
  before: readonly Role[],
): Promise<readonly Role[]> {
  if (!wanted.includes("admin") || before.includes("admin") || granter.actor.startsWith("cli:"))
    return wanted;
  if (!(await needsSecondAdmin(tx))) return wanted;
  if (granter.personId === null)
    throw new TieoutError("not_allowed", "only a person can propose an admin; a key without an owner cannot");
  const others = wanted.filter((role) => role !== "admin");
  if (others.length > 0) return others;
  return before.length > 0 ? before : ["viewer"];
}

async function proposeAdmin(
  tx: Transaction,
  { granter, requestId }: PeopleDeps,
  { id, name }: Person,
  roles: readonly Role[],
): Promise<void> {
  if (granter.personId === null) return;
  const wanted = {
    kind: "admin_key",
    subject: `per_${id}`,
    accountId: null,
    details: { name, roles: [...roles] },
    proposedBy: granter.personId,
    reason: `make ${name} an admin`,
  } as const;
  const { actor, vouchedBy } = granter;
  await propose(tx, wanted, { actor, vouchedBy, requestId });
}

/** Nobody may change a person who may do or see more than they do. */
async function onPerson<T>(
  deps: PeopleDeps,
  id: number,
  change: (tx: Transaction, person: Person) => Promise<T>,
): Promise<T> {
  return deps.database.transaction(async (tx) => {
    await lockPeople(tx);
    const reader: AccountReader = { database: tx, accountIds: deps.granter.accountIds };
    const person = await readPerson(reader, id);
    if (person === null)
      throw new TieoutError("person_not_found", `there is no person ${id} that you may see`);
    refuseToGrant(deps.granter, person);
    return change(tx, person);
  });
}

function refuseToGrant(
  granter: Granter,
  { roles, accountIds }: { roles: readonly Role[]; accountIds: readonly number[] | null },
): void {
  const lacking = lackingToGrant(granter, { scopes: scopesOfRoles(roles), accountIds });
  if (lacking.scopes.length > 0) {
    const scopes = lacking.scopes.join(", ");
    throw new TieoutError("not_allowed", `the role ${roles.join(", ")} may do what you may not: ${scopes}`);
  }
  if (lacking.accounts) {
    throw new TieoutError("not_allowed", "these accounts are more than your own: name those that you see");
  }
}

/** Someone has to be able to invite people, to every account: an admin who is limited to some cannot do so for the rest. */
async function refuseLastAdmin(
  tx: Transaction,
  person: Person,
  wanted: { roles: readonly Role[]; accountIds: readonly number[] | null } | null,
): Promise<void> {
  if (person.state !== "active" || !person.roles.includes("admin")) return;
  const isOfAll = person.accountIds === null;
  if (wanted?.roles.includes("admin") && (wanted.accountIds === null || !isOfAll)) return;
  const others = await listOtherAdmins(tx, person.id);
  if (others.some(({ accountIds }) => accountIds === null || !isOfAll)) return;
  const which = others.length > 0 ? "the only admin for all accounts" : "the only admin";
  throw new TieoutError("person_conflict", `${quote(person.name)} is ${which}: make someone else one first`);
}

async function audit(
  tx: Transaction,
  deps: PeopleDeps,
  action: string,
  person: Person,
  more: { before?: object; after?: object; reason?: string },
): Promise<void> {
  const { granter, requestId } = deps;
  await recordAudit(tx, {
    actor: granter.actor,
    action,
    subject: `per_${person.id}`,
    ...more,
    requestId,
  });
}

function describe({ name, email, roles, accounts }: Person): object {
  return { name, email, roles, accounts };
}
