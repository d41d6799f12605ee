import { inject } from "vitest";
import { postgresEngine, type QueueEngine, redisEngine } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import type { TestDatabase } from "./test-database.ts";

/** The engines this run can test; the run says it when one is missing. */
export function availableEngines(): ("postgres" | "redis")[] {
  return inject("redisUrl") === null ? ["postgres"] : ["postgres", "redis"];
}

export function openEngine(kind: "postgres" | "redis", database: TestDatabase): QueueEngine {
  if (kind === "postgres") return postgresEngine(database.url, "tieout:test");
  return redisEngine(secret(inject("redisUrl") ?? ""));
}
