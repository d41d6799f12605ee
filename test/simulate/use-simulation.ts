import { afterAll, beforeAll } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { mistakes } from "./mistakes.ts";
import { type Outcome, runWorld } from "./run-world.ts";
import { type ClockedServer, connectClocked } from "./simulated-database.ts";
import { createWorld } from "./world.ts";

interface RunWorld {
  (seed: number, mistake?: string): Promise<Outcome>;
  /** Of the database that all worlds of the file share. */
  readonly query: (text: string) => Promise<unknown>;
}

/** Worlds of one test file, on its own database. */
export function useSimulation(): RunWorld {
  const database = useTestDatabase();
  let server: ClockedServer | undefined;
  beforeAll(async () => {
    server = await connectClocked(database.url);
  });
  afterAll(() => server?.close());
  const run = (seed: number, mistake?: string) => {
    if (!server) throw new Error("worlds exist inside tests only");
    return runWorld(createWorld(seed), { server, mistake: mistakes.get(mistake ?? "") ?? {} });
  };
  return Object.assign(run, { query: (text: string) => database.db.query(text) });
}
