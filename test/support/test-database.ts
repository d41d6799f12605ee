import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { secret, type Secret } from "../../src/core/secret.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";

export interface TestDatabase {
  readonly url: Secret;
  readonly db: Database;
}

/** A database of its own for this test file, copied from the migrated template, and gone afterwards. */
export function useTestDatabase(options: { template?: string } = {}): TestDatabase {
  let url: Secret | undefined;
  let db: Database | undefined;
  const name = `test_${randomBytes(6).toString("hex")}`;

  beforeAll(async () => {
    // Copying files takes half the time of writing every block into the log, which nobody will read.
    await asSuperuser(
      `create database ${name} template ${options.template ?? inject("templateDatabase")} strategy file_copy`,
    );
    const address = new URL(inject("superuserUrl"));
    address.pathname = name;
    url = secret(address.href);
    db = openTestDatabase(url);
  });

  afterAll(async () => {
    await db?.close();
    await asSuperuser(`drop database if exists ${name} with (force)`);
  });

  return {
    get url() {
      return url ?? notYet();
    },
    get db() {
      return db ?? notYet();
    },
  };
}

export function openTestDatabase(url: Secret): Database {
  return openDatabase(url, {
    part: "test",
    connectionsMax: 8,
    statementTimeoutMs: 30_000,
    onError: () => undefined,
  });
}

async function asSuperuser(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject("superuserUrl") });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function notYet(): never {
  throw new Error("the test database exists inside tests and hooks only");
}
