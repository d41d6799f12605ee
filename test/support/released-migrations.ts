import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface MigrationFile {
  readonly name: string;
  readonly sha256: string;
}

/** The migrations of a folder, in the order of its journal. */
export async function readMigrationFiles(folder: string): Promise<MigrationFile[]> {
  const journal = JSON.parse(await readFile(join(folder, "meta", "_journal.json"), "utf8")) as {
    entries: { tag: string }[];
  };
  return Promise.all(
    journal.entries.map(async ({ tag }) => {
      const text = await readFile(join(folder, `${tag}.sql`));
      return { name: tag, sha256: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** Versions that `CHANGELOG.md` gives a date: from then on someone may have a database of theirs. */
export function versionsWithDate(changelog: string): string[] {
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$/gm)].map(
    ([, version = ""]) => version,
  );
}

/** What a release had must still be there, unchanged and in its order; what came later comes after it. */
export function brokenPromises(
  releases: Readonly<Record<string, readonly MigrationFile[]>>,
  present: readonly MigrationFile[],
): string[] {
  return Object.entries(releases).flatMap(([version, files]) =>
    files.flatMap(({ name, sha256 }, index) => {
      const found = present[index];
      if (found?.name !== name)
        return [`${name} was number ${index + 1} in ${version}: bring it back to its place`];
      if (found.sha256 !== sha256)
        return [`${name} was released in ${version}: change it by a new migration`];
      return [];
    }),
  );
}
