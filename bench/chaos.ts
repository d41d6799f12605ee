import { parseArgs } from "node:util";
import { runChaos } from "../test/support/chaos.ts";
import { tiedOut } from "../test/support/ledger-oracle.ts";
import { isDeepStrictEqual } from "node:util";

/** The chaos run at full size, on demand: `npm run chaos`. Exits 1 when anything was lost, doubled or made up. */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "chaos" },
    transactions: { type: "string", default: "55000" },
    workers: { type: "string", default: "4" },
    kills: { type: "string", default: "100" },
    restarts: { type: "string", default: "10" },
    seconds: { type: "string", default: "120" },
  },
});

const report = await runChaos({
  seed: values.seed,
  transactions: Number(values.transactions),
  workers: Number(values.workers),
  kills: Number(values.kills),
  restarts: Number(values.restarts),
  queueWipes: 2,
  faults: "429=0.05,5xx=0.05,reset=0.04,truncated=0.04,html=0.02,duplicates=0.1",
  faultsThatStay: "malformed=0.005",
  faultSeconds: Number(values.seconds),
  healSecondsMax: 600,
  say: (line) => process.stderr.write(`${line}\n`),
});

const { lost, phantom, doubled, latestWrong, sumsWrong, digestDiffers } = report.verdict;
process.stdout.write(`seed ${values.seed}: ${report.statusRows} status rows
lost ${lost.length}, doubled ${doubled}, phantom ${phantom.length}, latest wrong ${latestWrong.length}, sums wrong ${sumsWrong.length}
digest ${digestDiffers ? "DIFFERS" : "equal"}, verify ${report.mismatches} mismatches, healed in ${report.healSeconds.toFixed(1)} s (aim ≤ 60 s)
`);
if (!isDeepStrictEqual({ ...report.verdict, unfinished: [] }, tiedOut) || report.mismatches > 0) {
  process.stdout.write(`${JSON.stringify(report.verdict, null, 2)}\n`);
  process.exitCode = 1;
}
