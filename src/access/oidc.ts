import * as oidc from "openid-client";
import { isRole, type Role } from "../core/roles.ts";
import { isLoopback } from "../core/network.ts";
import type { Secret } from "../core/secret.ts";
import type { Database, Transaction } from "../store/database.ts";
import { recordAudit } from "../store/people/audit-log.ts";
import { findPersonOfIdentity, linkIdentity } from "../store/people/identities.ts";
import {
  changePerson,
  findPersonByEmail,
  insertPerson,
  listNames,
  lockPeople,
  readPerson,
} from "../store/people/people.ts";
import { noteAttempt } from "../store/people/sign-in-attempts.ts";
import { keepSignInState, takeSignInState } from "../store/people/sign-in-states.ts";
import { newToken, type RandomBytes } from "./new-token.ts";
import { isFitName, isSameName } from "./person-fields.ts";
import { openSession, type Visit } from "./sign-in.ts";

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: Secret | null;
  /** Where people come back to: `https://books.example.com/sign-in/oidc/callback`. */
  redirectUrl: string;
  /** Group of the service → role here; empty: groups say nothing, and people are invited. */
  rolesOfGroups: ReadonlyMap<string, Role>;
}

export interface Oidc {
  /** Where to send the browser; `token` goes into its cookie. */
  begin(back: string): Promise<{ token: string; url: string }>;
  end(given: { token: string; url: URL }, visit: Visit): Promise<OidcOutcome>;
}

export type OidcOutcome =
  | { session: string; back: string }
  | { refused: "not_proved" | "not_invited" | "email_not_verified" | "suspended"; email: string | null };

interface Claims {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  groups: readonly string[];
}

/** Asked for once and kept; asked for again when it could not be had: the service may start later than we do. */
export function createOidc(
  { database, randomBytes }: { database: Database; randomBytes: RandomBytes },
  settings: OidcSettings,
): Oidc {
  let discovered: Promise<oidc.Configuration> | null = null;
  const configuration = () => {
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = null;
      throw error;
    });
    return discovered;
  };

  return {
    async begin(back) {
      const config = await configuration();
      const [state, nonce, verifier] = [
        oidc.randomState(),
        oidc.randomNonce(),
        oidc.randomPKCECodeVerifier(),
      ];
      const token = newToken(randomBytes);
      await keepSignInState(database, token, "oidc", { state, nonce, verifier, back });
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: settings.redirectUrl,
        scope: settings.rolesOfGroups.size > 0 ? "openid email profile groups" : "openid email profile",
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      return { token, url: url.href };
    },

    async end({ token, url }, visit) {
      const outcome = await (async (): Promise<OidcOutcome> => {
        const asked = await takeSignInState(database, token, "oidc");
        if (asked === null) return { refused: "not_proved", email: null };
        const claims = await redeem(await configuration(), settings, url, asked);
        if (claims === null) return { refused: "not_proved", email: null };
        return database.transaction((tx) =>
          letIn(tx, randomBytes, settings, claims, asked["back"] ?? "/", visit),
        );
      })();
      await noteAttempt(database, {
        address: visit.address,
        method: "oidc",
        succeeded: "session" in outcome,
      });
      return outcome;
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<oidc.Configuration> {
  const url = new URL(issuer);
  // In plain http a stranger could say who everyone is; on this machine there is no stranger in between.
  const mayBePlain = url.protocol === "http:" && isLoopback(url.hostname);
  return oidc.discovery(
    url,
    clientId,
    clientSecret?.reveal(),
    undefined,
    mayBePlain ? { execute: [oidc.allowInsecureRequests] } : undefined,
  );
}

/** `null`: the code, the state, the nonce or the signature is not what it should be. */
async function redeem(
  config: oidc.Configuration,
  settings: OidcSettings,
  url: URL,
  asked: Record<string, string>,
): Promise<Claims | null> {
  // Behind a proxy we were asked under another address than the one that was registered.
  const registered = new URL(settings.redirectUrl);
  registered.search = url.search;
  try {
    const tokens = await oidc.authorizationCodeGrant(config, registered, {
      pkceCodeVerifier: asked["verifier"] ?? "",
      expectedState: asked["state"] ?? "",
      expectedNonce: asked["nonce"] ?? "",
      idTokenExpected: true,
    });
    const signed = tokens.claims();
    if (signed === undefined) return null;
    // Many services leave e-mail and groups out of the signed token and give them here.
    const told = config.serverMetadata().userinfo_endpoint
      ? await oidc.fetchUserInfo(config, tokens.access_token, signed.sub)
      : {};
    return readClaims({ ...told, ...signed });
  } catch (error) {
    if (error instanceof oidc.ClientError || error instanceof oidc.ResponseBodyError) return null;
    if (
      error instanceof oidc.AuthorizationResponseError ||
      error instanceof oidc.WWWAuthenticateChallengeError
    )
      return null;
    throw error;
  }
}

function readClaims(claims: Record<string, unknown>): Claims {
  const text = (name: string) =>
    typeof claims[name] === "string" && claims[name] !== "" ? claims[name] : null;
  const groups = Array.isArray(claims["groups"]) ? claims["groups"] : [];
  return {
    issuer: text("iss") ?? "",
    subject: text("sub") ?? "",
    email: text("email"),
    emailVerified: claims["email_verified"] === true,
    name: text("name"),
    groups: groups.filter((group): group is string => typeof group === "string"),
  };
}

async function letIn(
  tx: Transaction,
  randomBytes: RandomBytes,
  settings: OidcSettings,
  claims: Claims,
  back: string,
  visit: Visit,
): Promise<OidcOutcome> {
  await lockPeople(tx);
  const roles = rolesOf(settings, claims);
  const found = await findPersonOfIdentity(tx, claims);
  const personId = found ?? (await meet(tx, claims, roles, visit));
  if (typeof personId === "string") return { refused: personId, email: claims.email };
  if (found !== null && settings.rolesOfGroups.size > 0) await followGroups(tx, found, roles, visit);
  const session = await openSession(
    tx,
    randomBytes,
    personId,
    { method: "oidc", vouchedBy: settings.issuer },
    visit,
  );
  return session === null ? { refused: "suspended", email: claims.email } : { session, back };
}

/** Comes this way for the first time: someone who was invited under that address, or whose groups open the door. */
async function meet(
  tx: Transaction,
  claims: Claims,
  roles: readonly Role[],
  { requestId }: Visit,
): Promise<number | "not_invited" | "email_not_verified"> {
  if (claims.email === null) return "not_invited";
  // A person who may write any address into a profile could otherwise become anyone.
  if (!claims.emailVerified) return "email_not_verified";
  const invited = await findPersonByEmail(tx, claims.email);
  if (invited === null && roles.length === 0) return "not_invited";
  const person =
    invited ??
    (await insertPerson(tx, {
      name: await nameFor(tx, claims.name, claims.email),
      email: claims.email,
      roles,
      accountIds: null,
      state: "invited",
      createdBy: "sign-in service",
    }));
  await linkIdentity(tx, claims, person.id);
  await recordAudit(tx, {
    actor: "sign-in service",
    action: invited === null ? "person.admitted" : "person.linked",
    subject: `per_${person.id}`,
    after: { email: claims.email, issuer: claims.issuer, roles: person.roles },
    requestId,
  });
  return person.id;
}

/** Their own name, unless it could be mistaken for another person's; then their e-mail address, which is unique. */
async function nameFor(tx: Transaction, name: string | null, email: string): Promise<string> {
  if (name === null || !isFitName(name)) return email;
  return (await listNames(tx)).some((taken) => isSameName(taken, name)) ? email : name;
}

/** The service says what people are; someone whose groups say nothing keeps what they were given here. */
async function followGroups(
  tx: Transaction,
  id: number,
  roles: readonly Role[],
  { requestId }: Visit,
): Promise<void> {
  const person = await readPerson({ database: tx, accountIds: null }, id);
  if (person === null || roles.length === 0 || sameRoles(person.roles, roles)) return;
  await changePerson(tx, id, { roles: [...roles] }, "sign-in service");
  await recordAudit(tx, {
    actor: "sign-in service",
    action: "person.changed",
    subject: `per_${id}`,
    before: { roles: person.roles },
    after: { roles },
    requestId,
  });
}

function rolesOf({ rolesOfGroups }: OidcSettings, { groups }: Claims): Role[] {
  const found = groups.flatMap((group) => rolesOfGroups.get(group) ?? []);
  return [...new Set(found)].toSorted();
}

function sameRoles(a: readonly Role[], b: readonly Role[]): boolean {
  return a.toSorted().join() === b.toSorted().join();
}

/** `finance=accountant, heads=controller`; what is not understood was refused with the configuration. */
export function readRolesOfGroups(text: string): Map<string, Role> {
  const pairs = text.split(",").map((pair) => pair.trim().split("="));
  return new Map(pairs.flatMap(([group = "", role = ""]) => (isRole(role) ? [[group.trim(), role]] : [])));
}
