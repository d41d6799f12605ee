import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { withPack } from "../../src/close/sign-off.ts";
import { verifyPack } from "../../src/close/verify-pack.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth, signingKey } from "./a-month.ts";
import { useTestDatabase } from "../support/test-database.ts";
import type { Books } from "../reconcile/books.ts";

const database = useTestDatabase();
let folder = "";
let path = "";
let books: Books;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  path = join(folder, "pack.zip");
  books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await makePack(path);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function makePack(to: string): Promise<void> {
  await withPack(database.db, signingKey, await monthOfBooks(books), (pack) => copyFile(pack.path, to));
}

test("a pack says what it holds, who signed it, and with which key", async () => {
  const { manifest, signOff } = await verifyPack(path, createPublicKey(signingKey));
  const names = manifest.files.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["reports/receivable.csv", "reports/itemised.csv"]));
  expect(names).toEqual(
    expect.arrayContaining([
      "summary.xlsx",
      "source-files.csv",
      "settings.csv",
      "decisions.csv",
      "checklist.json",
    ]),
  );
  expect(signOff.events.map(({ event, name }) => `${event} ${name}`)).toEqual([
    "prepared Alice Example",
    "approved Bob Example",
  ]);
});

test("made again after more has become known, a pack has the same bytes", async () => {
  await addMissingOrder(books, "learnt later");
  const again = join(folder, "again.zip");
  await makePack(again);
  expect((await readFile(again)).equals(await readFile(path))).toBe(true);
});

test("other programs read a pack", async () => {
  const bytes = await readFile(path);
  // The end of the list of parts, as any reader of zip files looks for it.
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x0605_4b50);
  const first = bytes.readUInt32LE(end + 16);
  expect(bytes.readUInt32LE(first)).toBe(0x0201_4b50);
  const nameLength = bytes.readUInt16LE(first + 28);
  expect(bytes.toString("utf8", first + 46, first + 46 + nameLength)).toBe("README.txt");
});

describe("a changed pack is found out", () => {
  test("wherever one byte is flipped", async () => {
    const bytes = await readFile(path);
    const changed = join(folder, "changed.zip");
    // Every byte of the headers, the small files and the list at the end, and some of each kind in between.
    const places = new Set<number>();
    for (let at = 0; at < 400; at++) places.add(at);
    for (let at = bytes.length - 3_000; at < bytes.length; at++) places.add(at);
    for (let at = 0; at < bytes.length; at += 97) places.add(at);
    const unnoticed: number[] = [];
    for (const at of places) {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
      await writeFile(changed, copy);
      const found = await verifyPack(changed, null).catch((error: unknown) => error);
      if (!(found instanceof Error)) unnoticed.push(at);
    }
    expect(unnoticed).toEqual([]);
    expect(places.size).toBeGreaterThan(3_000);
  });

  test("when bytes are added or cut off", async () => {
    const bytes = await readFile(path);
    const changed = join(folder, "cut.zip");
    for (const other of [
      Buffer.concat([bytes, Buffer.from("x")]),
      Buffer.concat([Buffer.from("x"), bytes]),
      bytes.subarray(0, -1),
      bytes.subarray(0, 10),
      Buffer.alloc(0),
    ]) {
      await writeFile(changed, other);
      await expect(verifyPack(changed, null)).rejects.toThrow("not a sound pack");
    }
  });

  test("when it was signed with another key than the service's", async () => {
    const other = generateKeyPairSync("ed25519").publicKey;
    await expect(verifyPack(path, other)).rejects.toThrow("signed with another key");
  });

  test("when it is not there", async () => {
    await expect(verifyPack(join(folder, "none.zip"), null)).rejects.toThrow("cannot be read (ENOENT)");
  });
});

test("a month that nobody has signed has no pack", async () => {
  await expect(
    withPack(database.db, signingKey, await monthOfBooks(books, "2026-04"), async () => undefined),
  ).rejects.toThrow("2026-04 is open");
});
