import { DAY, durationWords, MINUTE } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import { rolesOfFirstPerson } from "../core/roles.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type Author, recordAudit } from "../store/people/audit-log.ts";
import { activatePerson, hasPerson, insertPerson, lockPeople, type Person } from "../store/people/people.ts";
import { endSession, endSessionsOf, holdPerson, insertSession } from "../store/people/sessions.ts";
import { countFailures, noteAttempt } from "../store/people/sign-in-attempts.ts";
import {
  addSignInLink,
  dropSignInLinks,
  type LinkPurpose,
  useSignInLink,
} from "../store/people/sign-in-links.ts";
import { actorOfPerson } from "./caller.ts";
import { newToken, type RandomBytes } from "./new-token.ts";
import { type NameAndEmail, readNameAndEmail } from "./person-fields.ts";
import { sessionLife } from "./session-ring.ts";

/** An invited person may be away; a person who asks for a link to sign in is sitting there. */
const linkKeepMs: Record<LinkPurpose, number> = {
  first_person: 15 * MINUTE,
  invitation: 7 * DAY,
  sign_in: 15 * MINUTE,
};

/** For how long a link may be used: `15 minutes`. */
export function linkLife(purpose: LinkPurpose): string {
  return durationWords(linkKeepMs[purpose]);
}

/** Of a link for this person. */
export function purposeFor({ state }: Pick<Person, "state">): LinkPurpose {
  return state === "invited" ? "invitation" : "sign_in";
}

/** Across all processes: links cannot be guessed, and a caller who tries is blocked. */
const failuresMax = { count: 20, withinMs: 15 * MINUTE };

/** Makes a link and returns its token, which is kept as a hash only. */
export async function makeLink(
  tx: Transaction,
  randomBytes: RandomBytes,
  link: { purpose: LinkPurpose; personId: number | null; createdBy: string; vouchedBy?: string },
): Promise<string> {
  const token = newToken(randomBytes);
  const { purpose, createdBy } = link;
  // No one vouches for the very first link: it is for the operator of the service.
  const vouchedBy = purpose === "first_person" ? null : (link.vouchedBy ?? createdBy);
  await addSignInLink(tx, { ...link, vouchedBy, token, keepMs: linkKeepMs[purpose] });
  return token;
}

/** The address that a token is opened at. */
export function linkAddress(baseUrl: string, token: string): string {
  return `${baseUrl}/sign-in?link=${token}`;
}

/** For the first start of the service; `null` once there is a person. */
export async function makeFirstLink(database: Database, randomBytes: RandomBytes): Promise<string | null> {
  return database.transaction(async (tx) => {
    if (await hasPerson(tx)) return null;
    return makeLink(tx, randomBytes, { purpose: "first_person", personId: null, createdBy: "service" });
  });
}

export interface Visit {
  address: string;
  requestId: string;
}

/**
 * Signs someone in with a link, which is used up by it, and returns the session's token. `null`: there is no such link, or
 * its time is over. The visitor who opens the very first link says who they are, and becomes the first person.
 */
export async function signInByLink(
  deps: { database: Database; randomBytes: RandomBytes },
  link: string,
  visit: Visit,
  given: NameAndEmail,
): Promise<string | null> {
  const { database, randomBytes } = deps;
  const token = await database.transaction(async (tx) => {
    // First, as in every change of people. Holding the link while waiting for an admin who wants that link would be a deadlock.
    await lockPeople(tx);
    const used = await useSignInLink(tx, link);
    if (used === null) return null;
    const personId = used.personId ?? (await makeFirstPerson(tx, given, visit));
    return openSession(tx, randomBytes, personId, { method: "link", vouchedBy: used.vouchedBy }, visit);
  });
  await noteAttempt(database, { address: visit.address, method: "link", succeeded: token !== null });
  return token;
}

/**
 * Opens a session for someone who has proved who they are, by whatever method, and returns its token. `null`: they are
 * suspended, or not there. A person who comes for the first time is active from then on.
 */
export async function openSession(
  tx: Transaction,
  randomBytes: RandomBytes,
  personId: number,
  proof: { method: string; vouchedBy: string | null },
  { requestId }: Pick<Visit, "requestId">,
): Promise<string | null> {
  await lockPeople(tx);
  const person = await holdPerson(tx, personId);
  if (person === null || person.state === "suspended") return null;
  const token = newToken(randomBytes);
  await activatePerson(tx, personId);
  await insertSession(tx, { token, personId, ...proof, keepMs: sessionLife.absoluteMs });
  await recordAudit(tx, {
    actor: actorOfPerson(personId),
    action: "session.opened",
    subject: `per_${personId}`,
    after: { method: proof.method, link_made_by: proof.vouchedBy },
    requestId,
  });
  return token;
}

/** Whether an address has failed so often that it has to wait. */
export async function hasFailedTooOften(database: Database, address: string): Promise<boolean> {
  return (await countFailures(database, address, failuresMax)) >= failuresMax.count;
}

async function makeFirstPerson(tx: Transaction, given: NameAndEmail, { requestId }: Visit): Promise<number> {
  const { name, email } = readNameAndEmail(given);
  await lockPeople(tx);
  if (await hasPerson(tx)) {
    throw new TieoutError(
      "person_conflict",
      "someone else is the first person already: ask them for an invitation",
    );
  }
  const person = await insertPerson(tx, {
    name,
    email,
    roles: rolesOfFirstPerson,
    accountIds: null,
    state: "active",
    createdBy: "first link",
  });
  await dropSignInLinks(tx, null);
  const { id, roles } = person;
  const actor = actorOfPerson(id);
  const after = { name, email, roles, accounts: null };
  await recordAudit(tx, { actor, action: "person.first", subject: `per_${id}`, after, requestId });
  return id;
}

export async function signOut(database: Database, token: string, requestId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const personId = await endSession(tx, token);
    if (personId === null) return;
    const actor = actorOfPerson(personId);
    await recordAudit(tx, { actor, action: "session.closed", subject: `per_${personId}`, requestId });
  });
}

/** Everywhere: for a person who has lost a machine. */
export async function signOutEverywhere(
  database: Database,
  personId: number,
  author: Author,
): Promise<number> {
  return database.transaction(async (tx) => {
    const count = await endSessionsOf(tx, personId);
    const subject = `per_${personId}`;
    await recordAudit(tx, { ...author, action: "session.closed_all", subject, after: { count } });
    return count;
  });
}
