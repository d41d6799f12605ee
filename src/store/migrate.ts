import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PoolClient } from "pg";
import { TieoutError } from "../core/errors.ts";
import type { Database, Queryable } from "./database.ts";
import { asDatabaseError } from "./sql-errors.ts";

interface Migration {
  number: number;
  name: string;
  sha256: string;
  statements: string[];
}

/** A row of `tieout.migrations`: what was applied to this database. */
interface Applied {
  [column: string]: unknown;
  name: string;
  sha256: string;
}

export interface MigrationResult {
  applied: string[];
  version: number;
}

/**
 * Brings the database up to date: all pending migrations in one transaction, under a lock, so that two processes that
 * start at once migrate once and the second simply finds nothing to do. `embeddedIn` is the folder of the embedded
 * Postgres, for the advice when the database is refused; null for a configured one.
 */
export async function migrateDatabase(
  database: Database,
  migrationsDir: string,
  embeddedIn: string | null = null,
): Promise<MigrationResult> {
  const known = await readMigrations(migrationsDir);
  try {
    return await database.session(async (client) => {
      // A long migration on a large table is not a runaway statement.
      await client.query("begin; set local statement_timeout = 0");
      try {
        const result = await applyPending(client, known, embeddedIn);
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        throw error;
      }
    });
  } catch (error) {
    throw asDatabaseError(error);
  }
}

/** Lets the role of the running service use what the migrations have made, the queue's tables included. */
export async function admitService(database: Queryable, { migrated }: { migrated: boolean }): Promise<void> {
  const [found] = await database.query<{ due: boolean }>(
    `select to_regrole('tieout_service') is null
         or not coalesce(has_schema_privilege(to_regrole('tieout_service'), to_regnamespace('queue'), 'create'), false)
       as due`,
  );
  // Not at every start: each grant makes everyone plan their statements anew.
  if (migrated || found?.due === true) await database.query("select tieout.admit_service()");
}

/** For processes that use the database but do not migrate it: wrong in either direction is refused. */
export async function checkMigrated(
  database: Queryable,
  migrationsDir: string,
  embeddedIn: string | null = null,
): Promise<number> {
  const known = await readMigrations(migrationsDir);
  const [ledger] = await database.query<{ exists: boolean }>(
    "select to_regclass('tieout.migrations') is not null as exists",
  );
  const applied = ledger?.exists ? await database.query<Applied>(selectApplied) : [];
  refuseOther(applied, known, embeddedIn);
  if (applied.length < known.length) {
    throw new TieoutError(
      "database_not_migrated",
      `the database is at version ${applied.length}, this program needs ${known.length}: run tieout migrate`,
    );
  }
  return known.length;
}

const selectApplied = "select name, sha256 from tieout.migrations order by number";

/** What the queue makes while it runs belongs to the service: only a member may grant it again, as migrations do. */
const joinService = `do $$
begin
  if not pg_has_role(to_regrole('tieout_service'), 'usage') then
    execute format('grant tieout_service to %I', current_user);
  end if;
exception when insufficient_privilege then
  raise notice 'the role % is not a member of tieout_service', current_user
    using hint = 'If this upgrade is refused, let an administrator grant tieout_service to it.';
end
$$`;

async function applyPending(
  client: PoolClient,
  known: Migration[],
  embeddedIn: string | null,
): Promise<MigrationResult> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('tieout.migrations', 0))");
  await client.query("create schema if not exists tieout");
  await client.query(`create table if not exists tieout.migrations (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`);
  const { rows: applied } = await client.query<Applied>(selectApplied);
  refuseOther(applied, known, embeddedIn);

  const pending = known.slice(applied.length);
  if (pending.length > 0) await client.query(joinService);
  for (const migration of pending) {
    for (const statement of migration.statements) await client.query(statement);
    await client.query("insert into tieout.migrations (number, name, sha256) values ($1, $2, $3)", [
      migration.number,
      migration.name,
      migration.sha256,
    ]);
  }
  return { applied: pending.map((migration) => migration.name), version: known.length };
}

/** Drizzle's journal gives the order; a migration's number is its place in it, counted from 1. */
async function readMigrations(folder: string): Promise<Migration[]> {
  const journal = JSON.parse(await readFile(join(folder, "meta", "_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  return Promise.all(
    journal.entries.map(async ({ tag }, index) => {
      const text = await readFile(join(folder, `${tag}.sql`), "utf8");
      return {
        number: index + 1,
        name: tag,
        sha256: createHash("sha256").update(text).digest("hex"),
        statements: text.split("--> statement-breakpoint"),
      };
    }),
  );
}

/** What was applied must be the beginning of what this program knows: same names, same texts, same order. */
function refuseOther(applied: Applied[], known: Migration[], embeddedIn: string | null): void {
  for (const [index, { name, sha256 }] of applied.entries()) {
    const migration = known[index];
    if (migration === undefined) {
      throw new TieoutError(
        "database_newer",
        `the database is at version ${applied.length}, this program knows ${known.length} only: start a newer tieout; there is no way back`,
      );
    }
    if (name !== migration.name) {
      throw new TieoutError(
        "database_outdated",
        `this database was made by an earlier tieout and cannot be upgraded: ${startEmpty(embeddedIn)}`,
      );
    }
    if (sha256 !== migration.sha256) {
      throw new TieoutError(
        "database_outdated",
        `migration ${name} was edited after this database was made: use the tieout that made it, or ${startEmpty(embeddedIn)}`,
      );
    }
  }
}

function startEmpty(embeddedIn: string | null): string {
  const how =
    embeddedIn === null
      ? "create an empty one and set DATABASE_URL to it"
      : `move ${embeddedIn} away, or set TIEOUT_DATA_DIR to another folder`;
  return `${how}; tieout then reads everything again from the aggregator, and statements have to be imported again`;
}
