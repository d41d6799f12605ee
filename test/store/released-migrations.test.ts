import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readCommitted } from "../support/committed-file.ts";
import {
  brokenPromises,
  type MigrationFile,
  readMigrationFiles,
  versionsWithDate,
} from "../support/released-migrations.ts";

const releasedFile = "migrations/released.json";
const released = JSON.parse(await readFile(releasedFile, "utf8")) as Record<string, MigrationFile[]>;
const present = await readMigrationFiles("migrations");

test("no migration of a release was changed, moved or taken away", () => {
  expect(brokenPromises(released, present)).toEqual([]);
});

/** With UPDATE_DOCS=1 this test writes down what the version of today has. */
test("every release is written down with its migrations", async () => {
  const versions = versionsWithDate(await readFile("CHANGELOG.md", "utf8"));
  const missing = versions.filter((version) => released[version] === undefined);
  const entries = { ...Object.fromEntries(missing.map((version) => [version, present])), ...released };
  const wanted =
    missing.length === 0 ? await readFile(releasedFile, "utf8") : `${JSON.stringify(entries, null, 2)}\n`;
  expect(await readCommitted(releasedFile, wanted)).toBe(wanted);
  expect(Object.keys(entries).toSorted()).toEqual(versions.toSorted());
});

test("a version counts as released when the changelog gives its date", () => {
  const changelog = "## 0.2.0 (unreleased)\n\n## 0.1.1 (2027-01-31)\ntext\n## 0.1.0 (2026-12-01)\n";
  expect(versionsWithDate(changelog)).toEqual(["0.1.1", "0.1.0"]);
});

const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, sha256: `hash of ${name}` })) as [
  MigrationFile,
  MigrationFile,
  MigrationFile,
];

test.each([
  { change: "nothing", files: [a, b], says: [] },
  { change: "a new one at the end", files: [a, b, c], says: [] },
  {
    change: "an edited one",
    files: [a, { ...b, sha256: "another" }],
    says: ["b was released in 0.1.0: change it by a new migration"],
  },
  {
    change: "one that is gone",
    files: [a],
    says: ["b was number 2 in 0.1.0: bring it back to its place"],
  },
  {
    change: "one that came in between",
    files: [a, c, b],
    says: ["b was number 2 in 0.1.0: bring it back to its place"],
  },
])("of a release, $change: $says", ({ files, says }) => {
  expect(brokenPromises({ "0.1.0": [a, b] }, files)).toEqual(says);
});
