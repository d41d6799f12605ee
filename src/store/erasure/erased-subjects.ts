import { TieoutError } from "../../core/errors.ts";
import { type ErasedSubjects, type ErasureKey, nothingErased } from "../../core/erasure.ts";
import type { Queryable } from "../database.ts";
import { erasedSubjects, erasures } from "../schema/erasures.ts";
import { max } from "drizzle-orm";

/** Hands out the key, where there is one. */
export type OpenErasureKey = () => Promise<ErasureKey | null>;

/** What has been erased, as it is known now. Without the key nothing that arrives can be recognised, so that is an error. */
export async function readErasedSubjects(
  database: Queryable,
  openKey: OpenErasureKey,
): Promise<ErasedSubjects> {
  const [newest] = await database.orm.select({ id: max(erasures.id) }).from(erasures);
  const version = newest?.id ?? 0;
  if (version === 0) return nothingErased;
  const key = await openKey();
  await checkKey(database, key);
  const rows = await database.orm.select().from(erasedSubjects);
  const kept = new Set(
    rows.map(({ accountId, kind, digest }) => `${accountId} ${kind} ${digest.toString("hex")}`),
  );
  const accounts = new Set(rows.map(({ accountId }) => accountId));
  return {
    version,
    key,
    any: (accountId) => accounts.has(accountId),
    has: (accountId, kind, value) =>
      key !== null && kept.has(`${accountId} ${kind} ${key.digest(accountId, kind, value)}`),
  };
}

/** Two keys would give one wallet two digests, and what one has erased would come back past the other. */
export async function checkKey(database: Queryable, key: ErasureKey | null): Promise<void> {
  const [other] = await database.query<{ key_id: string }>(
    "select key_id from tieout.erasures where key_id is distinct from $1 limit 1",
    [key?.id ?? null],
  );
  if (other)
    throw new TieoutError(
      "config_invalid",
      `the erasure key is ${key === null ? "missing" : "another one"}: set ERASURE_KEY_FILE to the key that erased before (its id is ${other.key_id}); without it erased data would come back`,
    );
}

export interface ErasureMemory {
  current(): Promise<ErasedSubjects>;
  /** After the database said that there is a newer erasure. */
  reload(): Promise<ErasedSubjects>;
}

/** Read once; the database itself refuses what was written by someone who does not know of the newest erasure. */
export function rememberErased(database: Queryable, openKey: OpenErasureKey): ErasureMemory {
  let known: Promise<ErasedSubjects> | null = null;
  const reload = () => {
    const reading = readErasedSubjects(database, openKey);
    known = reading;
    // Not kept: the next one tries again.
    reading.catch(() => (known = known === reading ? null : known));
    return reading;
  };
  return { reload, current: () => known ?? reload() };
}

/** Writes of this transaction count only if their writer knew of every erasure. */
export async function confirmErasuresKnown(tx: Queryable, { version }: ErasedSubjects): Promise<void> {
  await tx.query("select tieout.knows_erasures($1)", [version]);
}
