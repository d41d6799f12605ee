import { createHash } from "node:crypto";
import type { Role } from "../../core/scopes.ts";
import { recordAudit } from "./audit-log.ts";
import type { Database, Queryable, Transaction } from "../database.ts";

/** A session that is open, and the key it stands for as that key is now. */
export interface OpenSession {
  keyId: string;
  keyName: string;
  role: Role;
  scopes: string[];
  accountIds: number[] | null;
  accounts: string[] | null;
}

interface SessionToOpen {
  token: string;
  keyId: string;
  keepMs: number;
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
    const [used] = await tx.query<{ key_id: string; good: boolean }>(
      `delete from tieout.sign_in_links
       where token_hash = $1
       returning api_key_id as key_id, expires_at > clock_timestamp() as good`,
      [tokenHash(link)],
    );
    if (!used?.good) return false;
    await insertSession(tx, { ...session, keyId: used.key_id }, "link");
    return true;
  });
}

async function insertSession(tx: Transaction, session: SessionToOpen, by: "key" | "link"): Promise<void> {
  await tx.query("delete from tieout.web_sessions where expires_at <= clock_timestamp()");
  await tx.query(
    `insert into tieout.web_sessions (token_hash, api_key_id, expires_at)
     values ($1, $2, clock_timestamp() + $3::double precision * interval '1 millisecond')`,
    [tokenHash(session.token), session.keyId, session.keepMs],
  );
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
  const [row] = await database.query<OpenSession & Record<string, unknown>>(
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
    const [row] = await tx.query<{ key_id: string }>(
      "delete from tieout.web_sessions where token_hash = $1 returning api_key_id as key_id",
      [tokenHash(token)],
    );
    if (!row) return;
    const actor = `key_${row.key_id}`;
    await recordAudit(tx, { actor, action: "session.closed", subject: actor, requestId });
  });
}

/** A link that opens one session of a key. */
export async function addSignInLink(
  database: Queryable,
  link: { token: string; keyId: string; keepMs: number },
): Promise<void> {
  await database.query("delete from tieout.sign_in_links where expires_at <= clock_timestamp()");
  await database.query(
    `insert into tieout.sign_in_links (token_hash, api_key_id, expires_at)
     values ($1, $2, clock_timestamp() + $3::double precision * interval '1 millisecond')`,
    [tokenHash(link.token), link.keyId, link.keepMs],
  );
}

/** The token is random and long, so a plain hash cannot be guessed backwards. */
function tokenHash(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
