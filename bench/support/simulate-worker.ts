/** Runs the worlds it is told to, in a process of its own: two of them keep two processors busy. */
import { openSimulator } from "../../test/simulate/simulator.ts";
import { tellFailure } from "../../test/simulate/tell.ts";

/** Worlds from this seed on, until one of them finds the mistake, or so many have been tried. */
export interface WorldsWanted {
  readonly fromSeed: number;
  readonly seeds: number;
  readonly mistake?: string;
}

export interface WorldsDone {
  readonly worlds: number;
  readonly events: number;
  readonly statusRows: number;
  readonly failed: { readonly seed: number; readonly kind: string; readonly tells: string } | null;
}

const [superuserUrl = "", template = ""] = process.argv.slice(2);
const simulator = openSimulator(superuserUrl, template);

process.on("message", (wanted: WorldsWanted) => void answer(wanted));
let running = 0;
process.on("disconnect", () => {
  // In the middle of a world it means that whoever asked is gone: nobody will read the answer.
  if (running > 0) process.exit(1);
  void simulator.close();
});

async function answer(wanted: WorldsWanted): Promise<void> {
  running++;
  const done = await runAll(wanted);
  running--;
  process.send?.(done);
}

async function runAll({ fromSeed, seeds, mistake }: WorldsWanted): Promise<WorldsDone> {
  let events = 0;
  let statusRows = 0;
  for (let worlds = 1; ; worlds++) {
    const outcome = await simulator.run(fromSeed + worlds - 1, mistake);
    events += outcome.trace.length;
    statusRows += outcome.statusRows;
    const [finding] = outcome.findings;
    if (!finding && worlds < seeds) continue;
    const { seed } = outcome.world;
    const failed = finding ? { seed, kind: finding.kind, tells: tellFailure(outcome, mistake) } : null;
    return { worlds, events, statusRows, failed };
  }
}
