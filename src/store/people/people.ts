import { and, asc, eq, getTableColumns, ne, sql } from "drizzle-orm";
import type { Role } from "../../core/roles.ts";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, seenWhollyBy } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { accounts } from "../schema/accounts.ts";
import { people, sessions } from "../schema/people.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** A person, with their accounts by name; `null`: all of them. */
export type Person = typeof people.$inferSelect & { accounts: string[] | null; createdByName: string };

export type PersonState = Person["state"];

const columns = {
  ...getTableColumns(people),
  accounts: sql<string[] | null>`case when ${people.accountIds} is not null then array(
    select a.name from ${accounts} as a where a.id = any(${people.accountIds}) order by a.name) end`,
  createdByName: sql<string>`tieout.actor_name(${people.createdBy})`,
};

export const personPaging = pagingBy(people, "ascending", "id");

/** A person who is limited to accounts sees only those who are limited to them as well. */
export async function listPeople(
  reader: AccountReader,
  filters: Filters<"state">,
  page: PageWanted,
): Promise<Page<Person>> {
  const select = reader.database.orm.select(columns).from(people).$dynamic();
  const where = [seenWhollyBy(reader, people.accountIds), anyOf(people.state, filters.state)];
  return selectPage(select, personPaging, page, where);
}

export async function readPerson(reader: AccountReader, id: number): Promise<Person | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(people)
    .where(and(seenWhollyBy(reader, people.accountIds), eq(people.id, id)));
  return row ?? null;
}

export async function findPersonByEmail(database: Queryable, email: string): Promise<Person | null> {
  const [row] = await database.orm
    .select(columns)
    .from(people)
    .where(eq(sql`lower(${people.email})`, email.toLowerCase()));
  return row ?? null;
}

/** Of everyone, suspended people included: what they did is still told under their names. */
export async function listNames(database: Queryable): Promise<string[]> {
  const rows = await database.orm.select({ name: people.name }).from(people);
  return rows.map(({ name }) => name);
}

/** Whether anyone is there at all; someone who was only invited counts. */
export async function hasPerson(database: Queryable): Promise<boolean> {
  return (await database.orm.select({ id: people.id }).from(people).limit(1)).length > 0;
}

/** So that of two who change people at the same time the second sees what the first did. */
export async function lockPeople(tx: Transaction): Promise<void> {
  await tx.query("lock table tieout.people in share row exclusive mode");
}

/** All other active admins, with the accounts that each is limited to. */
export async function listOtherAdmins(
  database: Queryable,
  except: number,
): Promise<{ accountIds: number[] | null }[]> {
  return database.orm
    .select({ accountIds: people.accountIds })
    .from(people)
    .where(and(eq(people.state, "active"), sql`'admin' = any(${people.roles})`, ne(people.id, except)));
}

export interface PersonToKeep {
  name: string;
  email: string;
  roles: readonly Role[];
  accountIds: readonly number[] | null;
  state: PersonState;
  createdBy: string;
}

export async function insertPerson(tx: Transaction, person: PersonToKeep): Promise<Person> {
  const { roles, accountIds, state } = person;
  const [row] = await tx.orm
    .insert(people)
    .values({
      ...person,
      roles: [...roles],
      accountIds: accountIds && [...accountIds],
      activatedAt: state === "active" ? clockNow : null,
    })
    .returning({ id: people.id });
  return mustRead(tx, row?.id ?? 0);
}

/** `givenBy`: who gives the roles; the database asks whether they may make an admin alone. */
export async function changePerson(
  tx: Transaction,
  id: number,
  change: Partial<Pick<Person, "name" | "roles" | "accountIds">>,
  givenBy: string,
): Promise<Person> {
  await tx.query("select set_config('tieout.roles_given_by', $1, true)", [givenBy]);
  await tx.orm.update(people).set(change).where(eq(people.id, id));
  return mustRead(tx, id);
}

/** Out at once: sessions end with it, and keys fall as long as it lasts. */
export async function suspendPerson(tx: Transaction, id: number): Promise<Person> {
  await tx.orm.update(people).set({ state: "suspended", suspendedAt: clockNow }).where(eq(people.id, id));
  await tx.orm
    .update(sessions)
    .set({ endedAt: clockNow })
    .where(and(eq(sessions.personId, id), sql`${sessions.endedAt} is null`));
  return mustRead(tx, id);
}

/** Back as they were: someone who had never signed in is still only invited. */
export async function resumePerson(tx: Transaction, id: number): Promise<Person> {
  const state = sql`case when ${people.activatedAt} is null then 'invited' else 'active' end`;
  await tx.orm.update(people).set({ state, suspendedAt: null }).where(eq(people.id, id));
  return mustRead(tx, id);
}

/** By the first session of someone who was invited. */
export async function activatePerson(tx: Transaction, id: number): Promise<void> {
  await tx.orm
    .update(people)
    .set({ state: "active", activatedAt: clockNow })
    .where(and(eq(people.id, id), eq(people.state, "invited")));
}

async function mustRead(tx: Transaction, id: number): Promise<Person> {
  const row = await readPerson({ database: tx, accountIds: null }, id);
  if (!row) throw new Error(`person ${id} is gone`);
  return row;
}

/**
 * For screens that choose among people: those who see an account that the reader sees too; and, of them, those who see
 * all the accounts that are named: people can only work on what they see.
 */
export async function listActiveNames(
  { database, accountIds }: AccountReader,
  { seeing = [] }: { seeing?: readonly string[] } = {},
): Promise<{ id: number; name: string }[]> {
  const shares =
    accountIds === null
      ? sql`true`
      : sql`${people.accountIds} && ${sql.param(accountIds, people.accountIds)}`;
  const seesAll = sql`not exists (
    select from ${accounts} as a where a.name = any(${sql.param([...seeing])}::text[]) and a.id <> all(${people.accountIds}))`;
  return database.orm
    .select({ id: people.id, name: people.name })
    .from(people)
    .where(and(eq(people.state, "active"), sql`(${people.accountIds} is null or (${shares} and ${seesAll}))`))
    .orderBy(asc(people.name));
}

/** The name of an active person who sees an account, by their name or e-mail; `null`: there is none. */
export async function findActiveName(
  database: Queryable,
  { given, accountId }: { given: string; accountId: number },
): Promise<string | null> {
  const [row] = await database.orm
    .select({ name: people.name })
    .from(people)
    .where(
      and(
        eq(people.state, "active"),
        sql`lower(${given.trim()}) in (lower(${people.name}), lower(${people.email}))`,
        sql`(${people.accountIds} is null or ${accountId} = any(${people.accountIds}))`,
      ),
    )
    // As it was written, where names differ only in capitals.
    .orderBy(sql`${people.name} = ${given.trim()} desc`, asc(people.id))
    .limit(1);
  return row?.name ?? null;
}
