import { createHash, randomBytes } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BackupFile, manifestName, smallBytesMax } from "../../src/store/backup/backups.ts";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
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

/** A backup of these; what is kept of one of them may be another content. */
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
  const manifest = {
    made_at: "2026-03-01T00:00:00.000Z",
    version: "test",
    postgres: "test",
    bytes: 0,
    lsn: "0/0",
    secrets: [],
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
])("a %s file (%s) that is %s in the backup is refused", async (_size, path, _how, content) => {
  const { files, to } = await aBackup({ path, content });
  await expect(restoreBackup(files, to)).rejects.toThrow(`the backup is damaged: ${path}`);
});
