import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { openTestFolder } from "./test-folder.ts";

/** The migrations of today and some that a later version might bring. */
export async function nextMigrations(more: Readonly<Record<string, string>>): Promise<string> {
  const folder = await openTestFolder("tieout-next-");
  await cp(resolve("migrations"), folder, { recursive: true });
  const journal = await readJournal(folder);
  await writeJournal(folder, {
    ...journal,
    entries: [...journal.entries, ...Object.keys(more).map((tag) => ({ tag }))],
  });
  for (const [tag, text] of Object.entries(more)) await writeFile(join(folder, `${tag}.sql`), text);
  return folder;
}

interface Journal {
  entries: { tag: string }[];
}

export async function readJournal(folder: string): Promise<Journal> {
  return JSON.parse(await readFile(join(folder, "meta", "_journal.json"), "utf8")) as Journal;
}

export function writeJournal(folder: string, journal: Journal): Promise<void> {
  return writeFile(join(folder, "meta", "_journal.json"), JSON.stringify(journal));
}
