import { MINUTE, SECOND } from "../../src/core/duration.ts";
import { countWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planDeepRead } from "../../src/sync/plan-account.ts";
import { syncOnce } from "../../src/sync/sync-once.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { never } from "../support/sync-deps.ts";
import { runCrew, startWorker, type Worker } from "./crew.ts";
import { type Finding, judge, type Judged } from "./judge.ts";
import type { Mistake } from "./mistake.ts";
import type { ClockedServer } from "./simulated-database.ts";
import { digestOf, NeverAtRest } from "./simulation.ts";
import { setStage, type Stage } from "./stage.ts";
import { readState, readVersions } from "./state.ts";
import type { World } from "./world.ts";

export interface Outcome {
  readonly world: World;
  /** Empty when everything that is promised was kept. */
  readonly findings: readonly Finding[];
  readonly trace: readonly string[];
  /** Of the course and of all rows at the end: two runs of a seed have one. */
  readonly digest: string;
  readonly statusRows: number;
  /** What was seen of each account, each time that it was judged. */
  readonly judged: readonly Judged[];
}

/** Lets a world run its course, and judges it against its truth. */
export async function runWorld(
  world: World,
  { server, mistake = {} }: { server: ClockedServer; mistake?: Mistake },
): Promise<Outcome> {
  const stage = await setStage(world, server, mistake);
  const judged: Judged[] = [];
  const findings: Finding[] = [];
  const look = async (moment: Judged["moment"]) => {
    for (const one of await seeAccounts(stage, server, moment)) {
      const before = judged.findLast(({ account }) => account === one.account);
      judged.push(one);
      findings.push(...judge(one, world, before));
    }
  };
  try {
    await runCourse(stage, look);
  } catch (error) {
    if (error instanceof NeverAtRest)
      findings.push({ kind: "not at rest", account: null, tells: error.message });
    else stage.surprises.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  // The next world must not go on in the transaction of this one.
  if (stage.line.holder !== null) await server.run(stage.simulation, { text: "rollback" });
  findings.push(...stage.surprises.map((tells): Finding => ({ kind: "surprise", account: null, tells })));
  const atTheEnd = judged.slice(-world.accounts.length).map(({ state }) => state);
  const { trace } = stage.simulation;
  return {
    world,
    findings,
    trace,
    digest: digestOf([...trace, ...atTheEnd.map((state) => JSON.stringify(state))]),
    statusRows: atTheEnd.reduce((sum, { statuses }) => sum + statuses.length, 0),
    judged,
  };
}

/** Workers under all sorts of trouble; then the trouble ends, and everything is read, compared, and compared again. */
async function runCourse(stage: Stage, look: (moment: Judged["moment"]) => Promise<void>): Promise<void> {
  const { simulation, world, accounts } = stage;
  await simulation.drive(runCrew(stage));
  for (const { aggregator } of accounts) aggregator.recover();
  const last = startWorker(stage, "last");
  // Until all that has happened lies in the past, by whatever clock.
  const offMs = Math.max(...world.accounts.map(({ aheadMs }) => Math.abs(aheadMs)));
  await simulation.drive(last.deps.sleep(2 * MINUTE + world.settings.lagMs + offMs));
  await simulation.drive(forEach(last, readEverything));
  await look("everything was read");
  await simulation.drive(forEach(last, readDeep));
  await look("everything was read again");
  await simulation.drive(forEach(last, readDeep));
  await look("nothing has changed");
}

async function seeAccounts(
  { simulation: { nowMs }, accounts, windowsBefore }: Stage,
  server: ClockedServer,
  moment: Judged["moment"],
): Promise<Judged[]> {
  const seen: Judged[] = [];
  for (const { id, world: account, aggregator } of accounts) {
    const place = { accountId: id, nowMs, windowsBefore };
    const state = await readState(server, place);
    const versions = await readVersions(server, place);
    seen.push({ moment, account, state, versions, exchanges: aggregator.exchanges, atMs: nowMs });
  }
  return seen;
}

async function forEach(
  worker: Worker,
  read: (worker: Worker, account: SyncAccount) => Promise<void>,
): Promise<void> {
  await Promise.all(worker.accounts.map((account) => read(worker, account)));
}

/** What failed may have to be tried again, and waits for that; a world without trouble needs a few rounds at most. */
const roundsMax = 40;

/** `sync --once`, by a person who starts it again as long as it says that something is missing. */
async function readEverything({ deps }: Worker, account: SyncAccount): Promise<void> {
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    const { unfinished } = await syncOnce(deps, account, { signal: never });
    if (unfinished === null) return;
    await deps.sleep(MINUTE);
  }
}

/** Days enough for any history. */
const deepDays = 35;

async function readDeep({ deps }: Worker, account: SyncAccount): Promise<void> {
  await planDeepRead(deps, account.id, deepDays);
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    const walked = await workAccount(deps, account, never);
    const { open, failed } = await countWindows(deps.database, account.id);
    if (open + failed === 0) return;
    if (walked === 0) await deps.sleep(rounds < 10 ? 5 * SECOND : 5 * MINUTE);
  }
}
