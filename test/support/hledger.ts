import { spawnSync } from "node:child_process";

/** Whether the machine has `hledger`; where it has none, the run says so, and CI fails. */
export function hasHledger(): boolean {
  if (spawnSync("hledger", ["--version"]).status === 0) return true;
  const message = "there is no hledger: its checks of the journal did not run (apt-get install hledger)";
  if (process.env["CI"]) throw new Error(message);
  process.stderr.write(`${message}\n`);
  return false;
}

/** Runs it over a journal; fails with what it said when it refuses. */
export function hledger(journal: string, ...args: string[]): string {
  const run = spawnSync("hledger", ["-f", "-", ...args], {
    input: journal,
    encoding: "utf8",
    // Without it, hledger reads and writes ASCII only.
    env: { ...process.env, LC_ALL: "C.UTF-8" },
    maxBuffer: 1e8,
  });
  if (run.status !== 0) throw new Error(`hledger ${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}
