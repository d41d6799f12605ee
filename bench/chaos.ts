import { parseArgs } from "node:util";
import { type ChaosPlan, endedWell, runChaos } from "../test/support/chaos.ts";

/**
 * The chaos run on demand: `npm run chaos`. Ten seeds, one after the other: `npm run chaos -- --runs 10`. Exits 1 when
 * anything was lost, doubled or made up; the folder it names then holds the evidence.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "chaos" },
    runs: { type: "string", default: "1" },
    size: { type: "string", default: "full" },
    transactions: { type: "string" },
    workers: { type: "string" },
    kills: { type: "string" },
    restarts: { type: "string" },
    seconds: { type: "string" },
  },
});

const sizes = {
  small: { transactions: 3_000, workers: 3, kills: 20, restarts: 3, queueWipes: 1, faultSeconds: 20 },
  full: { transactions: 55_000, workers: 4, kills: 100, restarts: 10, queueWipes: 2, faultSeconds: 120 },
};
if (values.size !== "small" && values.size !== "full")
  throw new Error(`--size is small or full, not ${values.size}`);
const size = sizes[values.size];

const runs = Number(values.runs);
let clean = 0;
for (let run = 1; run <= runs; run++) {
  // With one run, the seed as it is given: so that a run of many can be seen again by its name.
  const seed = runs === 1 ? values.seed : `${values.seed}-${run}`;
  clean += Number(await runOnce(planFor(seed)).catch(tellError));
}
if (runs > 1) process.stdout.write(`${clean} of ${runs} runs were clean\n`);
if (clean < runs) process.exitCode = 1;

function planFor(seed: string): ChaosPlan {
  return {
    seed,
    transactions: Number(values.transactions ?? size.transactions),
    workers: Number(values.workers ?? size.workers),
    kills: Number(values.kills ?? size.kills),
    restarts: Number(values.restarts ?? size.restarts),
    queueWipes: size.queueWipes,
    faults: "429=0.05,5xx=0.05,reset=0.04,truncated=0.04,html=0.02,duplicates=0.1",
    faultsThatStay: "malformed=0.005",
    faultSeconds: Number(values.seconds ?? size.faultSeconds),
    healSecondsMax: 600,
    say: (line) => process.stderr.write(`${line}\n`),
  };
}

async function runOnce(plan: ChaosPlan): Promise<boolean> {
  const report = await runChaos(plan);
  const { lost, phantom, doubled, latestWrong, sumsWrong, digestDiffers } = report.verdict;
  process.stdout.write(`seed ${plan.seed}: ${report.statusRows} status rows
lost ${lost.length}, doubled ${doubled}, phantom ${phantom.length}, latest wrong ${latestWrong.length}, sums wrong ${sumsWrong.length}
digest ${digestDiffers ? "DIFFERS" : "equal"}, verify ${report.mismatches} mismatches, healed in ${report.healSeconds.toFixed(1)} s (aim ≤ 60 s)
`);
  if (endedWell(report)) return true;
  process.stdout.write(`${JSON.stringify(report.verdict, null, 2)}\nthe evidence is in ${report.evidence}\n`);
  return false;
}

function tellError(error: unknown): boolean {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return false;
}
