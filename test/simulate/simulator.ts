import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { secret } from "../../src/core/secret.ts";
import { mistakes } from "./mistakes.ts";
import { type Outcome, runWorld } from "./run-world.ts";
import { type ClockedServer, connectClocked } from "./simulated-database.ts";
import { createWorld } from "./world.ts";

/** Worlds one after the other, on a database that is exchanged before it grows large enough to be slow. */
export interface Simulator {
  run(seed: number, mistake?: string): Promise<Outcome>;
  close(): Promise<void>;
}

const worldsPerDatabase = 100;

/** `template` is the name of a migrated database. */
export function openSimulator(superuserUrl: string, template: string): Simulator {
  let open: { server: ClockedServer; name: string; worlds: number } | null = null;

  async function close(): Promise<void> {
    if (!open) return;
    await open.server.close();
    await asSuperuser(superuserUrl, `drop database ${open.name}`);
    open = null;
  }

  async function ready(): Promise<ClockedServer> {
    if (open && open.worlds >= worldsPerDatabase) await close();
    if (!open) {
      const name = `simulated_${randomBytes(6).toString("hex")}`;
      await asSuperuser(superuserUrl, `create database ${name} template ${template}`);
      const url = new URL(superuserUrl);
      url.pathname = name;
      open = { name, worlds: 0, server: await connectClocked(secret(url.href)) };
    }
    open.worlds++;
    return open.server;
  }

  return {
    async run(seed, name) {
      const mistake = name === undefined ? {} : mistakes.get(name);
      if (!mistake)
        throw new Error(`no mistake is called "${name}"; there are ${[...mistakes.keys()].join(", ")}`);
      return runWorld(createWorld(seed), { server: await ready(), mistake });
    },
    close,
  };
}

async function asSuperuser(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
