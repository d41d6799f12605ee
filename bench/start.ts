import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Time from `tieout up` to ready: on an empty folder, and on one that has its database. Side by side with a bare
 * `node -e 0`, because what a process costs at all differs from machine to machine.
 */
const rounds = 5;
const firstMs: number[] = [];
const laterMs: number[] = [];
const bareMs: number[] = [];

for (let round = 0; round < rounds; round++) {
  const folder = await mkdtemp(join(tmpdir(), "tieout-bench-"));
  await chmod(folder, 0o711);
  bareMs.push(await timeBareNode());
  firstMs.push(await timeToReady(join(folder, "data")));
  laterMs.push(await timeToReady(join(folder, "data")));
  await rm(folder, { recursive: true });
}

process.stdout
  .write(`start to ready, median of ${rounds} (node ${process.versions.node}, ${process.platform}-${process.arch})

                    ms     × bare node   aim
bare node   ${cell(median(bareMs))}           1.0
first start ${cell(median(firstMs))}  ${ratio(firstMs)}   ≤  5000 ms
later start ${cell(median(laterMs))}  ${ratio(laterMs)}   ≤  1500 ms
`);

async function timeToReady(dataDir: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ["dist/tieout.js", "up"], {
    env: { ...process.env, TIEOUT_DATA_DIR: dataDir, PORT: "0" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const took = await new Promise<number>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
      if (said.includes("Ready: open")) resolve(performance.now() - begun);
    });
    child.once("exit", () => reject(new Error(said)));
  });
  child.removeAllListeners("exit");
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("exit", resolve));
  return took;
}

async function timeBareNode(): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, ["-e", "0"]);
  await new Promise((resolve) => child.once("exit", resolve));
  return performance.now() - begun;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function cell(value: number): string {
  return value.toFixed(0).padStart(10);
}

function ratio(values: number[]): string {
  return (median(values) / median(bareMs)).toFixed(1).padStart(12);
}
