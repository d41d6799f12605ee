import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    pool: "forks",
    // Each file has a process of its own: shared ones were quicker to read modules, and made outcomes depend on the order of files.
    maxWorkers: Math.min(6, Math.max(2, availableParallelism())),
    // For a machine with other work to do: what hangs is found all the same, and what is slow belongs into bench/.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // `npm run coverage`. The floor is a starting value: set it to a few points under what the first whole run shows, so
    // that only a real loss is refused. Programs that tests start do not count.
    coverage: {
      provider: "v8",
      include: ["src/**/*.{ts,tsx}", "jobs/**/*.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "artifacts/coverage",
      reportOnFailure: true,
      thresholds: { statements: 60, branches: 50, functions: 60, lines: 60 },
    },
  },
});
