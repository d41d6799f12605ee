import { MINUTE, SECOND } from "../../src/core/duration.ts";
import { createPageRecorder } from "../../src/store/transactions/page-recorder.ts";
import type { Failpoint, SyncAccount, SyncDeps, SyncLog } from "../../src/sync/deps.ts";
import { createSyncRunner, type RunnerAccount } from "../../src/sync/sync-runner.ts";
import { createChance } from "./chance.ts";
import { connectProcess, isMadeUp } from "./simulated-database.ts";
import { type SimulatedProcess, startProcess } from "./simulation.ts";
import { mayDie, type Stage } from "./stage.ts";

export interface Worker {
  readonly process: SimulatedProcess;
  readonly deps: SyncDeps;
  readonly accounts: readonly SyncAccount[];
}

/** A process with all that reading needs. */
export function startWorker(stage: Stage, name: string): Worker {
  const { world, simulation, line, mistake, accounts } = stage;
  const process = startProcess(name);
  const chance = createChance(world.seed, "worker", name);
  const offMs = chance.whole(-1, 1) * world.machines.clockOffMaxMs;
  const plain = connectProcess(line, process);
  const database = mistake.database?.(plain) ?? plain;
  const record = createPageRecorder(database);
  const deps: SyncDeps = {
    database,
    recordPage: mistake.recordPage?.(record, database) ?? record,
    log: logOf(stage, process),
    sleep: (ms, signal) => simulation.sleep(process, ms, signal),
    random: () => chance.share(),
    failpoint: (point) => passFailpoint(stage, process, point),
    worker: name,
    settings: { ...world.settings, ...mistake.settings },
  };
  const side = { random: deps.random, now: () => simulation.nowMs + offMs };
  return {
    process,
    deps,
    accounts: accounts.map(({ id, world: { name: account }, aggregator }) => {
      const upstream = aggregator.upstreamFor(process, side);
      return { id, name: account, upstream: mistake.upstream?.(upstream) ?? upstream };
    }),
  };
}

const deathsPerFailpoint = 0.01;
const pausesPerFailpoint = 0.015;

/** At a failpoint others may come first, and a process may die or stand still. */
async function passFailpoint(
  { simulation, fate, world }: Stage,
  process: SimulatedProcess,
  point: Failpoint,
) {
  await simulation.happen({ process, label: point, afterMs: 0, act: () => undefined });
  if (mayDie(fate, deathsPerFailpoint)) {
    simulation.kill(process);
    await new Promise(() => undefined);
  }
  if (fate.pauses > 0 && fate.chance.happens(pausesPerFailpoint)) {
    fate.pauses--;
    simulation.pause(process, world.settings.leaseMs * (1 + 2 * fate.chance.share()));
    await simulation.happen({ process, label: `${point}, goes on`, afterMs: 0, act: () => undefined });
  }
}

/** As far as they are the same whenever the world is run. */
interface LogFields {
  readonly event?: string;
  readonly window_id?: number;
  readonly code?: string;
  readonly end?: string;
}

function logOf({ simulation, windowsBefore }: Stage, process: SimulatedProcess): SyncLog {
  const say = (fields: object) => {
    const { event, window_id: id, code, end } = fields as LogFields;
    const window = id === undefined ? undefined : `window ${id - windowsBefore}`;
    const words = ["log", event, window, code, end].filter((word) => word !== undefined);
    simulation.note(process, words.join(" "));
  };
  return { debug: say, info: say, warn: say, error: say };
}

/** The workers of a service: woken to plan and to walk, replaced when they die, until they are told to stop. */
export async function runCrew(stage: Stage): Promise<void> {
  const { world, simulation, fate } = stage;
  const chance = createChance(world.seed, "crew");
  const supervisor = startProcess("supervisor");
  const members: Member[] = [];
  let started = 0;

  const start = (at: number) => {
    const member = startMember(stage, `w${at + 1}.${++started}`, wake);
    members[at] = member;
    member.worker.process.onDeath.push(() => {
      void simulation
        .sleep(supervisor, chance.whole(1, 5) * SECOND)
        .then(() => simulation.nowMs < world.endMs && start(at));
    });
  };
  const wake = (accountId: number) => {
    if (chance.happens(world.machines.lostWakeUps)) return;
    chance.pick(members).walk(accountId);
  };
  for (let at = 0; at < world.workers; at++) start(at);

  while (simulation.nowMs < world.endMs) {
    if (chance.happens(world.machines.deepReads)) chance.pick(members).planDeep();
    if (!chance.happens(world.machines.lostWakeUps)) chance.pick(members).plan();
    await simulation.sleep(supervisor, world.settings.intervalMs);
  }
  Object.assign(fate, { deaths: 0, pauses: 0 });
  for (const member of members) if (chance.happens(0.7)) member.stop();
  await simulation.sleep(supervisor, 10 * SECOND);
  for (const { worker } of members) simulation.kill(worker.process);
}

interface Member {
  readonly worker: Worker;
  plan(): void;
  planDeep(): void;
  walk(accountId: number): void;
  stop(): void;
}

function startMember(stage: Stage, name: string, wake: (accountId: number) => void): Member {
  const { simulation } = stage;
  const worker = startWorker(stage, name);
  const { process, deps } = worker;
  // The catalogue is read by another job.
  const runner = createSyncRunner(deps, worker.accounts as readonly RunnerAccount[]);
  const stopping = new AbortController();
  const attempt = (work: () => Promise<unknown>) =>
    void work().catch((error: unknown) => {
      if (!isMadeUp(error)) stage.surprises.push(`${name}: ${String(error)}`);
    });
  attempt(async () => {
    for (;;) {
      await simulation.sleep(process, MINUTE);
      await runner.rescue(stopping.signal).catch((error: unknown) => {
        if (!isMadeUp(error)) throw error;
      });
    }
  });
  return {
    worker,
    plan: () =>
      attempt(async () => {
        if (stopping.signal.aborted) return;
        for (const { accountId, walkers } of await runner.plan())
          for (let n = 0; n < walkers; n++) wake(accountId);
      }),
    planDeep: () => attempt(() => runner.planDeepReads()),
    walk: (accountId) => attempt(() => runner.walk(accountId, stopping.signal)),
    stop: () => stopping.abort(),
  };
}
