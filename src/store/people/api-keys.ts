import type { Role } from "../../core/scopes.ts";
import { hashApiKey, makeApiKey, parseApiKey } from "../../core/api-key.ts";
import { recordAudit } from "./audit-log.ts";
import { type AccountReader, conditionsFor } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

/** A key as it is kept; the key itself is not. */
export interface HeldKey {
  id: string;
  name: string;
  role: Role;
  scopes: string[];
  account_ids: number[] | null;
  accounts: string[] | null;
  last_four: string;
  created_at: string;
  created_by: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  replaces: string | null;
}

export interface KeyToMake {
  name: string;
  role: Role;
  scopes: readonly string[];
  accountIds: readonly number[] | null;
  /** From now on; `null`: never. */
  expiresInMs: number | null;
  /** The key that this one takes over from, and how long both are good. */
  replaces?: { id: string; overlapMs: number };
}

export interface Author {
  actor: string;
  requestId?: string;
}

type RandomBytes = (count: number) => Uint8Array;

const heldColumns = `k.id, k.name, k.role, k.scopes, k.account_ids,
  case when k.account_ids is not null
       then array(select a.name from tieout.accounts as a where a.id = any(k.account_ids) order by a.name) end as accounts,
  k.last_four, k.created_at::text, k.created_by, k.expires_at::text, k.last_used_at::text, k.revoked_at::text, k.replaces`;

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
  const { name, role, scopes, accountIds, expiresInMs, replaces } = wanted;
  await tx.query(
    `insert into tieout.api_keys
       (id, name, role, scopes, account_ids, secret_hash, last_four, created_by, expires_at, replaces)
     values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + $9::double precision * interval '1 millisecond', $10)`,
    [
      id,
      name,
      role,
      scopes,
      accountIds,
      hashApiKey(key),
      key.slice(-4),
      author.actor,
      expiresInMs,
      replaces?.id ?? null,
    ],
  );
  if (replaces) await expireKey(tx, replaces);
  const held = await heldKey(tx, id);
  await recordAudit(tx, { ...author, action: "key.created", subject: `key_${id}`, after: describe(held) });
  return { key, held };
}

/** The old key goes on for the overlap, so that nobody is locked out while the new one is brought to its place. */
async function expireKey(
  tx: Transaction,
  { id, overlapMs }: { id: string; overlapMs: number },
): Promise<void> {
  await tx.query(
    `update tieout.api_keys
     set expires_at = least(expires_at, clock_timestamp() + $2::double precision * interval '1 millisecond')
     where id = $1`,
    [id, overlapMs],
  );
}

async function heldKey(database: Queryable, id: string): Promise<HeldKey> {
  const [row] = await database.query<HeldKey & Record<string, unknown>>(
    `select ${heldColumns} from tieout.api_keys as k where k.id = $1`,
    [id],
  );
  if (!row) throw new Error(`key ${id} is gone`);
  return row;
}

/** What the audit log says of a key: everything but what opens doors. */
function describe({ name, role, scopes, accounts, expires_at, replaces }: HeldKey): object {
  return { name, role, scopes, accounts, expires_at, replaces };
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
  const [row] = await database.query<{ found: boolean }>(
    "select exists (select from tieout.api_keys) as found",
  );
  return row?.found ?? false;
}

export interface KeyToCheck {
  id: string;
  role: Role;
  scopes: string[];
  accountIds: number[] | null;
  secretHash: Buffer;
  expiresAtMs: number | null;
  revoked: boolean;
}

export async function findKey(database: Queryable, id: string): Promise<KeyToCheck | null> {
  const [row] = await database.query<KeyToCheck & Record<string, unknown>>(
    `select id, role, scopes, account_ids as "accountIds", secret_hash as "secretHash",
            (extract(epoch from expires_at) * 1000)::double precision as "expiresAtMs",
            revoked_at is not null as revoked
     from tieout.api_keys
     where id = $1`,
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

const newestFirst: Keyset = {
  keys: [
    { expression: "k.created_at", kind: "time" },
    { expression: "k.id", kind: "text" },
  ],
  descending: true,
};

export const keyKeyset = { keyset: newestFirst, positionOf: (row: HeldKey) => [row.created_at, row.id] };

/** A key that is limited to accounts sees only those that are limited to them as well. */
export async function listKeys(reader: AccountReader, page: PageWanted): Promise<Page<HeldKey>> {
  const conditions = keyConditions(reader);
  return readPage(reader.database, {
    select: heldColumns,
    from: "tieout.api_keys as k",
    conditions,
    keyset: newestFirst,
    page,
  });
}

export async function readKey(reader: AccountReader, id: string): Promise<HeldKey | null> {
  const conditions = keyConditions(reader);
  conditions.add(`k.id = ${conditions.bind(id)}`);
  const [row] = await reader.database.query<HeldKey & Record<string, unknown>>(
    `select ${heldColumns} from tieout.api_keys as k where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

function keyConditions(reader: AccountReader) {
  const conditions = conditionsFor({ ...reader, accountIds: null }, "");
  if (reader.accountIds !== null)
    conditions.add(`k.account_ids <@ ${conditions.bind(reader.accountIds)}::int[]`);
  return conditions;
}

/** Refused from now on, and for ever. A key that is revoked already stays as it is. */
export async function revokeKey(database: Database, id: string, author: Author): Promise<HeldKey> {
  return database.transaction(async (tx) => {
    const revoked = await tx.query(
      "update tieout.api_keys set revoked_at = clock_timestamp() where id = $1 and revoked_at is null returning id",
      [id],
    );
    const held = await heldKey(tx, id);
    if (revoked.length > 0) await recordAudit(tx, { ...author, action: "key.revoked", subject: `key_${id}` });
    return held;
  });
}
