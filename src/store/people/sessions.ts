import { and, eq, isNull, sql } from "drizzle-orm";
import type { Role } from "../../core/roles.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import type { Queryable, Transaction } from "../database.ts";
import { people, sessions } from "../schema/people.ts";
import { tokenHash } from "./token-hash.ts";

/** A session that is open, and the person it belongs to as they are now. */
export interface OpenSession {
  personId: number;
  name: string;
  email: string;
  roles: Role[];
  accountIds: number[] | null;
  accounts: string[] | null;
  vouchedBy: string | null;
}

export interface SessionToOpen {
  token: string;
  personId: number;
  method: string;
  vouchedBy: string | null;
  keepMs: number;
}

/** Signs someone in who has proved who they are. Sessions that ended a month ago are cleared away meanwhile. */
export async function insertSession(tx: Transaction, session: SessionToOpen): Promise<void> {
  const { token, keepMs, ...row } = session;
  await tx.orm.delete(sessions).where(sql`${sessions.expiresAt} < clock_timestamp() - interval '30 days'`);
  await tx.orm.insert(sessions).values({ ...row, tokenHash: tokenHash(token), expiresAt: clockIn(keepMs) });
}

/** `null` when there is none, when it has ended or stood still for too long, and when its person is not active. */
export async function readSession(
  database: Queryable,
  token: string,
  { idleMs }: { idleMs: number },
): Promise<OpenSession | null> {
  const [row] = await database.query<OpenSession>(
    `select p.id::int as "personId", p.name, p.email, p.roles, p.account_ids as "accountIds", s.vouched_by as "vouchedBy",
            case when p.account_ids is not null
                 then array(select a.name from tieout.accounts as a where a.id = any(p.account_ids) order by a.name) end
              as accounts
     from tieout.sessions as s
     join tieout.people as p on p.id = s.person_id
     where s.token_hash = $1
       and s.ended_at is null
       and s.expires_at > clock_timestamp()
       and s.last_seen_at > clock_timestamp() - $2::double precision * interval '1 millisecond'
       and p.state = 'active'`,
    [tokenHash(token), idleMs],
    "read_session",
  );
  return row ?? null;
}

/** At most once a minute for each session, however busy it is. */
export async function noteSeen(database: Queryable, token: string): Promise<void> {
  await database.query(
    `with seen as (
       update tieout.sessions
       set last_seen_at = clock_timestamp()
       where token_hash = $1
         and ended_at is null
         and last_seen_at < clock_timestamp() - interval '1 minute'
       returning person_id
     )
     update tieout.people
     set last_seen_at = clock_timestamp()
     where id in (select person_id from seen)`,
    [tokenHash(token)],
    "note_session_seen",
  );
}

/** Returns whose it was; `null` when it had ended before. */
export async function endSession(tx: Transaction, token: string): Promise<number | null> {
  const [row] = await tx.orm
    .update(sessions)
    .set({ endedAt: clockNow })
    .where(and(eq(sessions.tokenHash, tokenHash(token)), isNull(sessions.endedAt)))
    .returning({ personId: sessions.personId });
  return row?.personId ?? null;
}

/** Of one person, everywhere. Returns how many there were. */
export async function endSessionsOf(tx: Transaction, personId: number): Promise<number> {
  const ended = await tx.orm
    .update(sessions)
    .set({ endedAt: clockNow })
    .where(and(eq(sessions.personId, personId), isNull(sessions.endedAt)))
    .returning({ personId: sessions.personId });
  return ended.length;
}

/** Locks the person's row, so that someone who is being suspended does not come in meanwhile. */
export async function holdPerson(
  tx: Transaction,
  id: number,
): Promise<{ state: string; name: string } | null> {
  const [row] = await tx.orm
    .select({ state: people.state, name: people.name })
    .from(people)
    .where(eq(people.id, id))
    .for("no key update");
  return row ?? null;
}
