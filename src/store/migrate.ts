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

export interface MigrationResult {
  applied: string[];
  version: number;
}

/**
 * Brings the database up to date: all pending migrations in one transaction, under a lock, so that two processes that
 * start at once migrate once and the second simply finds nothing to do.
 */
export async function migrateDatabase(database: Database, migrationsDir: string): Promise<MigrationResult> {
  const known = await readMigrations(migrationsDir);
  try {
    return await database.session(async (client) => {
      // A long migration on a large table is not a runaway statement.
      await client.query("begin; set local statement_timeout = 0");
      try {
        const result = await applyPending(client, known);
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

/** For processes that use the database but do not migrate it: wrong in either direction is refused. */
export async function checkMigrated(database: Queryable, migrationsDir: string): Promise<number> {
  const known = await readMigrations(migrationsDir);
  const version = await schemaVersion(database);
  refuseNewer(version, known.length);
  if (version < known.length) {
    throw new TieoutError(
      "database_not_migrated",
      `the database is at version ${version}, this program needs ${known.length}: run tieout migrate`,
    );
  }
  return version;
}

/** Number of migrations applied; 0 for an empty database. */
export async function schemaVersion(database: Queryable): Promise<number> {
  const [ledger] = await database.query<{ exists: boolean }>(
    "select to_regclass('tieout.migrations') is not null as exists",
  );
  if (!ledger?.exists) return 0;
  const [row] = await database.query<{ version: number }>(
    "select count(*)::int as version from tieout.migrations",
  );
  return row?.version ?? 0;
}

async function applyPending(client: PoolClient, known: Migration[]): Promise<MigrationResult> {
  await client.query("select pg_advisory_xact_lock(hashtextextended('tieout.migrations', 0))");
  await client.query("create schema if not exists tieout");
  await client.query(`create table if not exists tieout.migrations (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`);
  const { rows: held } = await client.query<{ number: number; name: string; sha256: string }>(
    "select number, name, sha256 from tieout.migrations order by number",
  );
  refuseNewer(held.length, known.length);
  for (const migration of known.slice(0, held.length)) refuseEdited(migration, held[migration.number - 1]);

  const pending = known.slice(held.length);
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

function refuseNewer(held: number, known: number): void {
  if (held <= known) return;
  throw new TieoutError(
    "database_newer",
    `the database is at version ${held}, this program knows ${known} only: start a newer tieout; there is no way back`,
  );
}

function refuseEdited(migration: Migration, held: { name: string; sha256: string } | undefined): void {
  if (held?.sha256 === migration.sha256) return;
  throw new TieoutError(
    "database_newer",
    `migration ${migration.name} is not the one this database was made with (${held?.name}): use the tieout that made it`,
  );
}
