import { readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compiledFiles, loadCompiled } from "./test/support/compiled.ts";
import { LongestFirst } from "./test/support/longest-first.ts";

// Databases, backups and browser profiles are thousands of small files: kept in memory, where the machine has room for them.
if (hasRoomInMemory()) process.env["TMPDIR"] ??= "/dev/shm";

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    // One of the tests installs the package, and runs it from there.
    const forbidsPrograms = /^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync("/proc/mounts", "utf8"));
    return bavail * bsize >= 8 * 1024 ** 3 && !forbidsPrograms;
  } catch {
    return false;
  }
}

// Watching needs Vite to know the sources, and coverage is counted in what its own runner evaluates.
const { argv } = process;
const isShuffled = argv.some((one) => one.startsWith("--sequence.shuffle"));
const isPlainRun = argv.includes("run") && !argv.some((one) => one.startsWith("--coverage"));

export default defineConfig({
  plugins: isPlainRun ? [loadCompiled()] : [],
  test: {
    server: { deps: { external: [compiledFiles] } },
    // So that what fails is shown in the source.
    execArgv: ["--enable-source-maps"],
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    pool: "forks",
    // Files share a process and the modules it has loaded: loading them anew for each file took a third of the suite's time. So no
    // test may leave anything behind, and `--sequence.shuffle.files` must change nothing.
    isolate: false,
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    // One more than there are processors, because many tests wait for a program that they have started.
    maxWorkers: Math.min(6, availableParallelism() + 1),
    // For a machine with other work to do: what hangs is found all the same, and what is slow belongs into bench/.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // `npm run coverage`. The floor lies two to three points under what a whole run shows (88.9, 82.0, 89.6 and 90.1), so that
    // only a real loss is refused. Programs that tests start do not count.
    coverage: {
      provider: "v8",
      include: ["src/**/*.{ts,tsx}", "jobs/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "artifacts/coverage",
      reportOnFailure: true,
      thresholds: { statements: 86, branches: 79, functions: 87, lines: 87 },
    },
  },
});
