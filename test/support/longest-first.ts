import { existsSync } from "node:fs";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Small files that take long. Without the times of an earlier run, Vitest starts the largest files first: these would come
 * among the last, and one processor would wait for the other at the end (two files of the simulation: 80 s of 14 min).
 */
const longFiles = [
  "test/simulate/mistakes.test.ts",
  "test/simulate/simulate.test.ts",
  "test/commands/fleet.test.ts",
  "test/security/matrix.test.ts",
  "test/package.test.ts",
  "test/conformance/dialects.test.ts",
  "test/sync/chaos.test.ts",
  "test/jobs/queue-connection.test.ts",
  "test/reconcile/suggestions.test.ts",
  "test/reconcile/corpus/corpus.test.ts",
  "test/reconcile/corpus/wild.test.ts",
  "test/security/hostile-receipts.test.ts",
  "test/security/fuzz.test.ts",
  "test/commands/redis-lost.test.ts",
  "test/sync/seeded-bugs.test.ts",
  "test/commands/demo-receipts.test.ts",
  "test/commands/lake.test.ts",
  "test/conformance/wrong-server.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = longFiles.filter((path) => !existsSync(path));
    if (gone.length > 0)
      throw new Error(`test/support/longest-first.ts names ${gone.join(", ")}: correct it`);
    const isLong = ({ moduleId }: TestSpecification) =>
      longFiles.some((path) => moduleId.endsWith(`/${path}`));
    const [long, others] = [files.filter(isLong), files.filter((file) => !isLong(file))];
    const inUsualOrder = super.sort.bind(this);
    return [...(await inUsualOrder(long)), ...(await inUsualOrder(others))];
  }
}
