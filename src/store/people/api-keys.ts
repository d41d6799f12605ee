import { and, eq, isNull, sql } from "drizzle-orm";
import { DAY } from "../../core/duration.ts";
import { isAdminKey, type KeyRole, type Role } from "../../core/roles.ts";
import { hashApiKey, makeApiKey, parseApiKey } from "../../core/api-key.ts";
import { clockIn, clockNow } from "../clock-time.ts";
import { columnsWithout } from "../columns-without.ts";
import { type AccountReader, seenWhollyBy } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { accounts } from "../schema/accounts.ts";
import { apiKeys } from "../schema/api-keys.ts";
import { approvals } from "../schema/approvals.ts";
import { people } from "../schema/people.ts";
import { pagingBy, selectPage } from "../select-page.ts";
import { insertApproval, needsSecondAdmin, personOf, sayVouchers } from "./approvals.ts";
import { type Author, recordAudit } from "./audit-log.ts";

/**
 * A key that is never replaced outlives the people who knew what it was for. A year is long enough for a machine that is
 * rarely touched, and short enough that a person looks at the key again.
 */
export const keyLifeMaxMs = 365 * DAY;

/** A key as it is kept, with its accounts by name; the key itself is not kept, and its hash stays here. */
export type HeldKey = Omit<typeof apiKeys.$inferSelect, "secretHash"> & {
  accounts: string[] | null;
  createdByName: string;
  ownerName: string | null;
  /** Of an admin key that a second admin has to approve. */
  approvalState: string | null;
  /** Not used for three months, or never since it was made that long ago. */
  unused: boolean;
};

const heldColumns = {
  ...columnsWithout(apiKeys, "secretHash"),
  accounts: sql<string[] | null>`case when ${apiKeys.accountIds} is not null then array(
    select a.name from ${accounts} as a where a.id = any(${apiKeys.accountIds}) order by a.name) end`,
  createdByName: sql<string>`tieout.actor_name(${apiKeys.createdBy})`,
  ownerName: sql<string | null>`(select p.name from ${people} as p where p.id = ${apiKeys.ownerId})`,
  approvalState: sql<
    string | null
  >`(select s.state from ${approvals} as s where s.id = ${apiKeys.approvalId})`,
  unused: sql<boolean>`coalesce(${apiKeys.lastUsedAt}, ${apiKeys.createdAt}) < clock_timestamp() - interval '90 days'`,
};

export interface KeyToMake {
  name: string;
  role: KeyRole;
  scopes: readonly string[];
  accountIds: readonly number[] | null;
  /** From now on; `null`: as long as a key may live. */
  expiresInMs: number | null;
  /** The person who answers for it. */
  ownerId?: number | null;
  /** Who could have opened the session that it is made in. */
  vouchedBy?: string | null;
  /** The key that makes it, if a key does: it cannot make one that outlives it. */
  madeWith?: string;
  /** The key that this one takes over from, and how long both are good. */
  replaces?: { id: string; overlapMs: number };
}

type RandomBytes = (count: number) => Uint8Array;

/** Returns the key itself, which cannot be had again. */
export async function createKey(
  database: Database,
  randomBytes: RandomBytes,
  wanted: KeyToMake,
  author: Author,
): Promise<{ key: string; held: HeldKey }> {
  return database.transaction((tx) => insertKey(tx, randomBytes, wanted, author));
}

async function insertKey(
  tx: Transaction,
  randomBytes: RandomBytes,
  wanted: KeyToMake,
  author: Author,
): Promise<{ key: string; held: HeldKey }> {
  const key = makeApiKey(randomBytes);
  const id = parseApiKey(key)?.id ?? "";
  const { name, role, scopes, accountIds, expiresInMs, ownerId, vouchedBy, madeWith, replaces } = wanted;
  // Before anything enters the audit log: a revocation of that key holds its row, and then waits for its turn there.
  if (replaces) await expireKey(tx, replaces);
  const approvalId = isAdminKey(role, scopes) ? await proposeAdminKey(tx, { id, ...wanted }, author) : null;
  await tx.orm.insert(apiKeys).values({
    id,
    approvalId,
    name,
    role,
    scopes: [...scopes],
    accountIds: accountIds && [...accountIds],
    secretHash: hashApiKey(key),
    lastFour: key.slice(-4),
    createdBy: author.actor,
    ownerId: ownerId ?? null,
    vouchedBy: vouchedBy ?? null,
    // `least` passes over what is null.
    expiresAt: sql`least(${clockIn(expiresInMs)}, ${clockIn(keyLifeMaxMs)}, (
      select maker.expires_at from ${apiKeys} as maker where maker.id = ${madeWith ?? null}))`,
    replaces: replaces?.id,
  });
  const held = await heldKey(tx, id);
  await recordAudit(tx, { ...author, action: "key.created", subject: `key_${id}`, after: describe(held) });
  return { key, held };
}

/** Once there are two admins, a key that may do what only admins do works when the other has approved it; `null`: needs nobody. */
async function proposeAdminKey(
  tx: Transaction,
  { id, name, role, scopes, vouchedBy }: KeyToMake & { id: string },
  { actor, requestId }: Author,
): Promise<number | null> {
  const proposedBy = await personOf(tx, actor);
  if (proposedBy === null || !(await needsSecondAdmin(tx))) return null;
  const subject = `key_${id}`;
  const details = { name, role, ...(scopes.length === 0 ? {} : { scopes }) };
  const reason = `admin key ${name}`;
  const wanted = { kind: "admin_key", subject, accountId: null, details, proposedBy, reason } as const;
  await sayVouchers(tx, vouchedBy ?? null);
  const approvalId = await insertApproval(tx, wanted);
  await recordAudit(tx, { actor, requestId, action: "approval.proposed", subject, after: details, reason });
  return approvalId;
}

/** The old key goes on for the overlap, so that nobody is locked out while the new one is rolled out. */
async function expireKey(
  tx: Transaction,
  { id, overlapMs }: { id: string; overlapMs: number },
): Promise<void> {
  await tx.orm
    .update(apiKeys)
    .set({ expiresAt: sql`least(${apiKeys.expiresAt}, ${clockIn(overlapMs)})` })
    .where(eq(apiKeys.id, id));
}

async function heldKey(tx: Transaction, id: string): Promise<HeldKey> {
  const row = await readKey({ database: tx, accountIds: null }, id);
  if (!row) throw new Error(`key ${id} is gone`);
  return row;
}

/** What the audit log says of a key: everything but what opens doors. */
function describe({ name, role, scopes, accounts: names, ownerName, expiresAt, replaces }: HeldKey): object {
  return { name, role, scopes, accounts: names, owner: ownerName, expires_at: expiresAt, replaces };
}

/**
 * An admin key when there is none at all, so that a first start can be used at once; `null` when there is one. Two
 * processes that start together make one key: the second waits at the lock, and then finds it.
 */
export async function ensureFirstKey(database: Database, randomBytes: RandomBytes): Promise<string | null> {
  return database.transaction(async (tx) => {
    await tx.query("lock table tieout.api_keys in share row exclusive mode");
    if (await hasKey(tx)) return null;
    const first = { name: "first", role: "admin", scopes: [], accountIds: null, expiresInMs: null } as const;
    const { key } = await insertKey(tx, randomBytes, first, { actor: "service" });
    return key;
  });
}

/** Whether any key was ever made, a revoked one included: who revoked the last one wants no other to appear. */
export async function hasKey(database: Queryable): Promise<boolean> {
  const found = await database.orm.select({ id: apiKeys.id }).from(apiKeys).limit(1);
  return found.length > 0;
}

export type KeyToCheck = Pick<
  typeof apiKeys.$inferSelect,
  "id" | "name" | "role" | "scopes" | "accountIds" | "ownerId" | "secretHash"
> & {
  expiresAtMs: number;
  revoked: boolean;
  unapproved: boolean;
  /** Who could hold it besides its owner. */
  vouchedBy: string | null;
  /** As they are now: a key does no more than they may; `null` for a key without one. */
  owner: { name: string; roles: Role[]; accountIds: number[] | null; suspended: boolean } | null;
};

export async function findKey(database: Queryable, id: string): Promise<KeyToCheck | null> {
  const [row] = await database.query<KeyToCheck>(
    `select k.id, k.name, k.role, k.scopes, k.account_ids as "accountIds", k.secret_hash as "secretHash",
            k.owner_id::int as "ownerId",
            (extract(epoch from k.expires_at) * 1000)::double precision as "expiresAtMs",
            k.revoked_at is not null as revoked,
            case when p.id is not null then jsonb_build_object('name', p.name, 'roles', p.roles,
              'accountIds', p.account_ids, 'suspended', p.state = 'suspended') end as owner,
            nullif(concat_ws(', ', case when p.id = tieout.person_of(k.created_by) then null else k.created_by end,
              k.vouched_by), '') as "vouchedBy",
            k.approval_id is not null and a.state is distinct from 'approved' as unapproved
     from tieout.api_keys as k
     left join tieout.people as p on p.id = k.owner_id
     left join tieout.approvals as a on a.id = k.approval_id
     where k.id = $1`,
    [id],
    "find_api_key",
  );
  return row ?? null;
}

/** At most once a minute for each key, however busy it is: the condition leaves a fresh row without a lock. */
export async function noteUse(database: Queryable, id: string): Promise<void> {
  await database.query(
    `update tieout.api_keys
     set last_used_at = clock_timestamp()
     where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`,
    [id],
    "note_api_key_use",
  );
}

export const keyPaging = pagingBy(apiKeys, "descending", "createdAt", "id");

/** A key that is limited to accounts sees only those that are limited to them as well. */
export async function listKeys(reader: AccountReader, page: PageWanted): Promise<Page<HeldKey>> {
  const select = reader.database.orm.select(heldColumns).from(apiKeys).$dynamic();
  return selectPage(select, keyPaging, page, [seenWhollyBy(reader, apiKeys.accountIds)]);
}

export async function readKey(reader: AccountReader, id: string): Promise<HeldKey | null> {
  const [row] = await reader.database.orm
    .select(heldColumns)
    .from(apiKeys)
    .where(and(seenWhollyBy(reader, apiKeys.accountIds), eq(apiKeys.id, id)));
  return row ?? null;
}

/** Refused from now on, and for ever. A key that is revoked already stays as it is. */
export async function revokeKey(database: Database, id: string, author: Author): Promise<HeldKey> {
  return database.transaction(async (tx) => {
    const revoked = await tx.orm
      .update(apiKeys)
      .set({ revokedAt: clockNow })
      .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id });
    const held = await heldKey(tx, id);
    if (revoked.length > 0) await recordAudit(tx, { ...author, action: "key.revoked", subject: `key_${id}` });
    return held;
  });
}
