import { expect, test } from "vitest";
import type { CommandContext } from "../../src/commands/context.ts";
import type { Store } from "../../src/commands/open-store.ts";
import { readinessChecks } from "../../src/commands/readiness-checks.ts";
import { secret } from "../../src/core/secret.ts";
import { freePort } from "../support/free-port.ts";
import { openTestDatabase } from "../support/test-database.ts";

test.each([
  ["embedded", /^the embedded Postgres does not answer: .* see postgres\.log in the data folder$/],
  ["configured", /^the database does not answer: start it, or correct DATABASE_URL$/],
])(
  "a database that is %s and down is told with what helps there, by every check that asks it",
  async (kind, says) => {
    const database = openTestDatabase(secret(`postgres://u:p@127.0.0.1:${await freePort()}/t`));
    try {
      const embedded = kind === "embedded" ? ({ engine: { cluster: "" } } as Store["embedded"]) : null;
      const config = { accounts: null, lake: { scheduled: true } };
      const context = { now: () => 0, config, migrationsDir: "migrations" } as unknown as CommandContext;
      const checks = readinessChecks(context, { database, embedded }, null).filter(
        ({ name }) => name !== "backup",
      );
      expect(checks.map(({ name }) => name)).toContain("writes");
      for (const check of checks) await expect(check.run(), check.name).rejects.toThrow(says);
    } finally {
      await database.close();
    }
  },
);
