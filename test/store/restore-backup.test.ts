import { createHash, randomBytes } from "node:crypto";
import { chmod, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type BackupFile, manifestName, smallBytesMax } from "../../src/store/backup/backups.ts";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { prepareEngine, removeDataFolder } from "../../src/store/embedded/data-folder.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { openFolder } from "../support/open-folder.ts";

let folder: string;
beforeAll(async () => {
  folder = await openFolder("tieout-restore-");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Small files and large ones go different ways; what hardly packs is larger in the backup than in the cluster. */
const contents = new Map(
  [0, 1, smallBytesMax - 1, smallBytesMax, smallBytesMax + 1, 3 * smallBytesMax].flatMap((bytes) => [
    [`base/zeros-${bytes}`, Buffer.alloc(bytes)],
    [`base/random-${bytes}`, bytes === 1 ? Buffer.from("y") : randomBytes(bytes)],
  ]),
);

const key = randomBytes(32).toString("hex");

/** A backup of these and of a key; what is kept of one of them may be another content. */
async function aBackup(instead: { path: string; content: Buffer } | null = null) {
  const name = randomBytes(4).toString("hex");
  const files = createFolderFiles(join(folder, name));
  const listed: BackupFile[] = [];
  for (const [path, content] of contents) {
    const kept = instead?.path === path ? instead.content : content;
    await files.write(`postgres/${path}.gz`, [gzipSync(kept)]);
    listed.push({
      path,
      bytes: content.length,
      sha256: createHash("sha256").update(content).digest("hex"),
    });
  }
  await files.write("erasure-key", [instead?.path === "erasure-key" ? instead.content : key]);
  const manifest = {
    made_at: "2026-03-01T00:00:00.000Z",
    version: "test",
    postgres: "test",
    bytes: 0,
    lsn: "0/0",
    secrets: ["erasure-key"],
    secret_hashes: { "erasure-key": createHash("sha256").update(key).digest("hex") },
    folders: ["base/"],
    files: listed,
  };
  await files.write(manifestName, [JSON.stringify(manifest)]);
  return { files, to: join(folder, `${name}-restored`) };
}

test("files of every size come back as they were, and only their owner can read them", async () => {
  const { files, to } = await aBackup();
  await restoreBackup(files, to);
  for (const [path, content] of contents) {
    const restored = join(to, "postgres", path);
    expect([path, (await readFile(restored)).equals(content)]).toEqual([path, true]);
    expect([path, (await stat(restored)).mode & 0o777]).toEqual([path, 0o600]);
  }
});

const small = "base/random-1";
const large = `base/random-${3 * smallBytesMax}`;

test.each([
  ["small", small, "another", Buffer.from("x")],
  ["small", small, "longer", Buffer.alloc(2)],
  ["small", small, "empty", Buffer.alloc(0)],
  ["small", small, "endless", Buffer.alloc(200 * smallBytesMax)],
  ["large", large, "another", Buffer.alloc(3 * smallBytesMax)],
  ["large", large, "tiny", Buffer.alloc(1)],
  ["secret", "erasure-key", "cut off", Buffer.from(key.slice(0, 20))],
])("a %s file (%s) that is %s in the backup is refused", async (_size, path, _how, content) => {
  const { files, to } = await aBackup({ path, content });
  await expect(restoreBackup(files, to)).rejects.toThrow(`the backup is damaged: ${path}`);
  // Nothing is left that a start could take for a database, or that a sound backup would be refused for.
  expect((await readdir(to)).filter((name) => name.startsWith("postgres"))).toEqual([]);
  await restoreBackup((await aBackup()).files, to);
  expect(await readdir(join(to, "postgres"))).toEqual(["base"]);
});

test.each([small, large])("a disk that is full is not held against the backup: %s", async (path) => {
  const { files, to } = await aBackup();
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" });
  const read: typeof files.read = async (name) => {
    const found = await files.read(name);
    if (found === null || name !== `postgres/${path}.gz`) return found;
    // Where it is noticed makes no difference to how it is said.
    const body = Readable.from([], {}).destroy(full);
    return { ...found, body };
  };
  await expect(restoreBackup({ ...files, read }, to)).rejects.toThrow(
    `no room left to restore into ${to} (0 MB are needed): free some`,
  );
  expect(await readdir(to)).toEqual([]);
});

test("a database that is there already is named and left alone", async () => {
  const { files, to } = await aBackup();
  await restoreBackup(files, to);
  await writeFile(join(to, "postgres", "kept"), "");
  await expect(restoreBackup(files, to)).rejects.toThrow(
    `there is a database in ${join(to, "postgres")} already: move it away`,
  );
  expect(await readdir(join(to, "postgres"))).toContain("kept");
});

test("a manifest that lists nothing is not a backup", async () => {
  const { files, to } = await aBackup();
  await files.write(manifestName, ["{}"]);
  await expect(restoreBackup(files, to)).rejects.toThrow("is not a backup");
});

test("it is restored to where a start will look for it", async () => {
  // As root in a private folder, that is elsewhere.
  const shut = await openFolder("tieout-restore-shut-");
  await chmod(shut, 0o700);
  const to = join(shut, "data");
  onTestFinished(async () => {
    await removeDataFolder(to);
    await rm(shut, { recursive: true });
  });
  await restoreBackup((await aBackup()).files, to);
  const { cluster } = await prepareEngine(to);
  expect(await readdir(cluster)).toEqual(["base"]);
  expect(await readFile(join(to, "erasure-key"), "utf8")).toBe(key);
  await removeDataFolder(to);
  await expect(readdir(cluster)).rejects.toThrow("ENOENT");
});
