import { formatInstant } from "../../src/core/instant.ts";
import { type Aggregator, createAggregator } from "./aggregator.ts";
import { type Chance, createChance } from "./chance.ts";
import type { Mistake } from "./mistake.ts";
import { type ClockedServer, type Line, openLine } from "./simulated-database.ts";
import { createSimulation, type Simulation } from "./simulation.ts";
import type { AccountWorld, World } from "./world.ts";

/** A world with everything in its place, before anything happens: what all its processes share. */
export interface Stage {
  readonly world: World;
  readonly simulation: Simulation;
  readonly line: Line;
  readonly mistake: Mistake;
  readonly accounts: readonly StagedAccount[];
  /** The number of the last window of the worlds before: numbers in the trace begin with 1. */
  readonly windowsBefore: number;
  /** Errors that nobody should have to deal with. */
  readonly surprises: string[];
  readonly fate: Fate;
}

export interface StagedAccount {
  readonly id: number;
  readonly world: AccountWorld;
  readonly aggregator: Aggregator;
}

/** Deaths and pauses that are still to come. */
export interface Fate {
  readonly chance: Chance;
  deaths: number;
  pauses: number;
}

export function mayDie(fate: Fate, share: number): boolean {
  if (fate.deaths === 0 || !fate.chance.happens(share)) return false;
  fate.deaths--;
  return true;
}

/** Shares of the moments at which a process may die: few, because a world has some thousand of them. */
const deathsPerStatement = 0.004;

/** New accounts for every world: nothing has to be cleared away between two of them. */
export async function setStage(world: World, server: ClockedServer, mistake: Mistake): Promise<Stage> {
  const { seed, machines, startMs, endMs } = world;
  const simulation = createSimulation({ startMs, chance: createChance(seed, "course") });
  const fate = {
    chance: createChance(seed, "fate"),
    deaths: machines.deaths,
    pauses: machines.pauses,
  };
  const line = openLine({
    server,
    simulation,
    chance: createChance(seed, "line"),
    latencyMaxMs: machines.statementMaxMs,
    lostShare: () => (simulation.nowMs < endMs ? machines.lostStatements : 0),
    afterStatement: (process) => {
      if (mayDie(fate, deathsPerStatement)) simulation.kill(process);
    },
  });
  const accounts: StagedAccount[] = [];
  for (const [at, account] of world.accounts.entries()) {
    const chance = createChance(seed, "aggregator", at);
    const id = await addAccount(server, account, startMs);
    accounts.push({ id, world: account, aggregator: createAggregator(account, { simulation, chance }) });
  }
  const windowsBefore = await lastWindowId(server, startMs);
  return { world, simulation, line, mistake, accounts, windowsBefore, surprises: [], fate };
}

async function addAccount(server: ClockedServer, account: AccountWorld, nowMs: number): Promise<number> {
  const [row] = await server.run(
    { nowMs },
    {
      text: `insert into tieout.accounts (name, base_url, sync_start, request_limit)
             values ($1 || ', number ' || (select count(*) from tieout.accounts), 'https://simulated.example', $2, $3)
             returning id`,
      values: [account.name, formatInstant(account.syncStartMs), account.requestLimit],
    },
  );
  return Number(row?.["id"]);
}

/** Of all that were ever given out: a window that was rolled back has used up its number as well. */
async function lastWindowId(server: ClockedServer, nowMs: number): Promise<number> {
  const text = "select case when is_called then last_value else 0 end as id from tieout.sync_windows_id_seq";
  const [row] = await server.run({ nowMs }, { text });
  return Number(row?.["id"]);
}
