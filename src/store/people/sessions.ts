import { createHash } from "node:crypto";
import { eq, lte, sql } from "drizzle-orm";
import type { Role } from "../../core/scopes.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { signInLinks, webSessions } from "../schema/web.ts";
import { recordAudit } from "./audit-log.ts";

/** A session that is open, and the key it stands for as that key is now. */
export interface OpenSession {
  keyId: string;
  keyName: string;
  role: Role;
  scopes: string[];
  accountIds: number[] | null;
  accounts: string[] | null;
}

interface TokenOfKey {
  token: string;
  keyId: string;
  keepMs: number;
}

interface SessionToOpen extends TokenOfKey {
  requestId: string;
}

/** Signs somebody in whose key has been found good. Sessions that ended by themselves are cleared away meanwhile. */
export async function openSession(database: Database, session: SessionToOpen): Promise<void> {
  await database.transaction((tx) => insertSession(tx, session, "key"));
}

/** Signs somebody in with a link, which is used up by it. `false`: there is no such link, or its time is over. */
export async function openSessionByLink(
  database: Database,
  link: string,
  session: Omit<SessionToOpen, "keyId">,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [used] = await tx.orm
      .delete(signInLinks)
      .where(eq(signInLinks.tokenHash, tokenHash(link)))
      .returning({
        keyId: signInLinks.apiKeyId,
        good: sql<boolean>`${signInLinks.expiresAt} > clock_timestamp()`,
      });
    if (!used?.good) return false;
    await insertSession(tx, { ...session, keyId: used.keyId }, "link");
    return true;
  });
}

async function insertSession(tx: Transaction, session: SessionToOpen, by: "key" | "link"): Promise<void> {
  await tx.orm.delete(webSessions).where(lte(webSessions.expiresAt, clockNow));
  await tx.orm.insert(webSessions).values(rowOf(session));
  const actor = `key_${session.keyId}`;
  await recordAudit(tx, {
    actor,
    action: "session.opened",
    subject: actor,
    after: { by },
    requestId: session.requestId,
  });
}

/** `null` when there is none, when it has ended, and when its key is revoked or expired. */
export async function readSession(database: Queryable, token: string): Promise<OpenSession | null> {
  const [row] = await database.query<OpenSession>(
    `select k.id as "keyId", k.name as "keyName", k.role, k.scopes, k.account_ids as "accountIds",
            case when k.account_ids is not null
                 then array(select a.name from tieout.accounts as a where a.id = any(k.account_ids) order by a.name) end
              as accounts
     from tieout.web_sessions as s
     join tieout.api_keys as k on k.id = s.api_key_id
     where s.token_hash = $1
       and s.expires_at > clock_timestamp()
       and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > clock_timestamp())`,
    [tokenHash(token)],
    "read_web_session",
  );
  return row ?? null;
}

export async function closeSession(database: Database, token: string, requestId: string): Promise<void> {
  await database.transaction(async (tx) => {
    const [row] = await tx.orm
      .delete(webSessions)
      .where(eq(webSessions.tokenHash, tokenHash(token)))
      .returning({ keyId: webSessions.apiKeyId });
    if (!row) return;
    const actor = `key_${row.keyId}`;
    await recordAudit(tx, { actor, action: "session.closed", subject: actor, requestId });
  });
}

/** A link that opens one session of a key. */
export async function addSignInLink(database: Queryable, link: TokenOfKey): Promise<void> {
  await database.orm.delete(signInLinks).where(lte(signInLinks.expiresAt, clockNow));
  await database.orm.insert(signInLinks).values(rowOf(link));
}

function rowOf({ token, keyId, keepMs }: TokenOfKey) {
  return { tokenHash: tokenHash(token), apiKeyId: keyId, expiresAt: clockIn(keepMs) };
}

/** The token is random and long, so a plain hash cannot be guessed backwards. */
function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
