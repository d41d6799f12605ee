import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { isIP } from "node:net";
import { TieoutError } from "../core/errors.ts";
import type { Database } from "../store/database.ts";
import { recordAudit } from "../store/people/audit-log.ts";
import {
  deletePasskey,
  insertPasskey,
  listPasskeys,
  notePasskeyUse,
  type Passkey,
  readPasskey,
} from "../store/people/passkeys.ts";
import { noteAttempt } from "../store/people/sign-in-attempts.ts";
import { keepSignInState, takeSignInState } from "../store/people/sign-in-states.ts";
import { actorOfPerson } from "./caller.ts";
import { newToken, type RandomBytes } from "./new-token.ts";
import { openSession, type Visit } from "./sign-in.ts";

interface Deps {
  database: Database;
  randomBytes: RandomBytes;
}

/** The site as the browser sees it: a passkey is bound to its name, and made for no other. */
export interface Site {
  /** `https://books.example.com` */
  origin: string;
}

const passkeysMax = 20;

/** Read when someone comes with a passkey: it is a sixth of what the program would otherwise load before it is ready. */
const webauthn = () => import("@simplewebauthn/server");

/** Browsers bind passkeys to names, never to addresses. */
export function canHavePasskeys({ origin }: Site): boolean {
  const { hostname } = new URL(origin);
  return isIP(hostname.replaceAll(/[[\]]/g, "")) === 0;
}

/** What the browser is asked for. `token` goes into a cookie, and the answer must come back with it. */
export interface Asked {
  token: string;
  options: object;
}

export async function askForPasskey({ database, randomBytes }: Deps, site: Site): Promise<Asked> {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({ rpID: nameOf(site), userVerification: "required" });
  return keepChallenge(database, randomBytes, "passkey", options, {});
}

/** `null`: not a key that we know, not the answer to what was asked, or someone who is suspended. */
export async function signInByPasskey(
  { database, randomBytes }: Deps,
  site: Site,
  given: { token: string; answer: string },
  visit: Visit,
): Promise<string | null> {
  const session = await provePasskey(database, site, given).then((proved) =>
    proved === null
      ? null
      : database.transaction(async (tx) => {
          if (!(await notePasskeyUse(tx, proved.id, proved.counter))) return null;
          const { personId, vouchedBy } = proved;
          return openSession(tx, randomBytes, personId, { method: "passkey", vouchedBy }, visit);
        }),
  );
  await noteAttempt(database, { address: visit.address, method: "passkey", succeeded: session !== null });
  return session;
}

async function provePasskey(
  database: Database,
  site: Site,
  { token, answer }: { token: string; answer: string },
): Promise<Pick<Passkey, "id" | "personId" | "counter" | "vouchedBy"> | null> {
  const asked = await takeSignInState(database, token, "passkey");
  const response = readAnswer(answer) as AuthenticationResponseJSON | null;
  if (asked === null || response === null) return null;
  const passkey = await readPasskey(database, response.id);
  if (passkey === null) return null;
  const { id, personId, publicKey, counter, vouchedBy } = passkey;
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: asked["challenge"] ?? "",
      expectedOrigin: site.origin,
      expectedRPID: nameOf(site),
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(publicKey), counter },
    });
    return verified ? { id, personId, counter: authenticationInfo.newCounter, vouchedBy } : null;
  } catch {
    // Whatever is wrong with it, it proves nothing; why is of use to an attacker only.
    return null;
  }
}

export async function askForNewPasskey(
  { database, randomBytes }: Deps,
  site: Site,
  person: { id: number; name: string; email: string },
): Promise<Asked> {
  const held = await listPasskeys(database, person.id);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: "tieout",
    rpID: nameOf(site),
    userName: person.email,
    userDisplayName: person.name,
    userID: new TextEncoder().encode(`tieout person ${person.id}`),
    attestationType: "none",
    excludeCredentials: held.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  return keepChallenge(database, randomBytes, "add-passkey", options, { person: String(person.id) });
}

/**
 * Anyone who could have opened this session may hold the passkey, so it vouches for no more than the session
 * did, now and whenever it is used.
 */
export async function addPasskey(
  database: Database,
  site: Site,
  given: { token: string; answer: string; name: string },
  person: { id: number; vouchedBy: string | null; requestId: string },
): Promise<void> {
  const asked = await takeSignInState(database, given.token, "add-passkey");
  const response = readAnswer(given.answer) as RegistrationResponseJSON | null;
  if (asked === null || asked["person"] !== String(person.id) || response === null) throw notAnswered();
  const { verifyRegistrationResponse } = await webauthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: asked["challenge"] ?? "",
    expectedOrigin: site.origin,
    expectedRPID: nameOf(site),
    requireUserVerification: true,
  }).catch(() => {
    throw notAnswered();
  });
  if (!verified) throw notAnswered();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const name = given.name.trim().slice(0, 100) || "Passkey";
  await database.transaction(async (tx) => {
    if ((await listPasskeys(tx, person.id)).length >= passkeysMax) {
      throw new TieoutError("person_invalid", `${passkeysMax} passkeys are enough: remove one first`);
    }
    const { id: personId, vouchedBy } = person;
    const kept = { id, personId, name, publicKey: Buffer.from(publicKey), counter, transports, vouchedBy };
    if (!(await insertPasskey(tx, kept)))
      throw new TieoutError("person_conflict", "this passkey is here already");
    await recordAudit(tx, {
      actor: actorOfPerson(person.id),
      action: "passkey.added",
      subject: `per_${person.id}`,
      after: { name, link_made_by: person.vouchedBy },
      requestId: person.requestId,
    });
  });
}

/** `false`: it is not theirs, or not there. */
export async function removePasskey(
  database: Database,
  id: string,
  person: { id: number; requestId: string },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const removed = await deletePasskey(tx, person.id, id);
    if (removed === null) return false;
    await recordAudit(tx, {
      actor: actorOfPerson(person.id),
      action: "passkey.removed",
      subject: `per_${person.id}`,
      before: { name: removed.name },
      requestId: person.requestId,
    });
    return true;
  });
}

async function keepChallenge(
  database: Database,
  randomBytes: RandomBytes,
  method: "passkey" | "add-passkey",
  options: { challenge: string },
  more: Record<string, string>,
): Promise<Asked> {
  const token = newToken(randomBytes);
  await keepSignInState(database, token, method, { ...more, challenge: options.challenge });
  return { token, options };
}

function nameOf({ origin }: Site): string {
  return new URL(origin).hostname;
}

/** Its parts are judged where it is verified. */
function readAnswer(text: string): object | null {
  try {
    const value = JSON.parse(text) as unknown;
    const isAnswer =
      typeof value === "object" && value !== null && typeof (value as { id?: unknown }).id === "string";
    return isAnswer ? value : null;
  } catch {
    return null;
  }
}

function notAnswered(): TieoutError {
  return new TieoutError(
    "person_invalid",
    "the passkey was not added: it took too long, or the device said no. Try again",
  );
}
