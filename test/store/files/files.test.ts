import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Files, addressOf, probeFiles, readText } from "../../../src/store/files/files.ts";
import { createFolderFiles } from "../../../src/store/files/folder-files.ts";
import { openFolder } from "../../support/open-folder.ts";
import { startS3 } from "../../support/s3-server.ts";

const s3 = await startS3();
const folder = await openFolder("tieout-files-");
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What both kinds of places promise. */
describe.each<[string, Files, Files]>([
  ["a folder", createFolderFiles(join(folder, "mine")), createFolderFiles(folder)],
  ["a bucket", s3.files({ prefix: "some/mine" }), s3.files({ prefix: "some" })],
])("%s", (_, files, around) => {
  test("gives back what was written, whole and by its name", async () => {
    const written = await files.write("exports/a.csv", ["account,", Buffer.from("amount\n")]);
    const sha256 = createHash("sha256").update("account,amount\n").digest("hex");
    expect(written).toEqual({ bytes: 15, sha256 });
    expect(await readText(files, "exports/a.csv")).toBe("account,amount\n");
    expect(await files.sizeOf("exports/a.csv")).toBe(15);
    await files.write("exports/a.csv", ["again"]);
    expect(await readText(files, "exports/a.csv")).toBe("again");
    expect(await readText(files.within("exports"), "a.csv")).toBe("again");
    await files.write("empty", []);
    expect([await readText(files, "empty"), await files.sizeOf("empty")]).toEqual(["", 0]);
  });

  test("of two that write one file at once, the later one is there, and nothing of the other", async () => {
    let goOn = () => undefined as void;
    const other = new Promise<void>((resolve) => (goOn = resolve));
    async function* slowly() {
      yield "the first half, ";
      await other;
      yield "the second half";
    }
    const slow = files.write("twice", slowly());
    await files.write("twice", ["all of the other, which is longer than the first"]);
    expect(await readText(files, "twice")).toBe("all of the other, which is longer than the first");
    goOn();
    const text = "the first half, the second half";
    expect((await slow).sha256).toBe(createHash("sha256").update(text).digest("hex"));
    expect([await readText(files, "twice"), await files.list("twice")]).toEqual([text, ["twice"]]);
  });

  test("knows what is not there", async () => {
    expect(await files.read("nothing")).toBeNull();
    expect(await files.sizeOf("nothing/at/all")).toBeNull();
    expect(await files.list("nothing")).toEqual([]);
    await files.remove("nothing");
  });

  test("lists by the beginning of names, removes, and keeps to itself", async () => {
    for (const name of ["l/b/2", "l/a", "l/b/1", "lb"]) await files.write(name, [name]);
    await around.write("l/other", ["not ours"]);
    expect(await files.list("l")).toEqual(["l/a", "l/b/1", "l/b/2", "lb"]);
    expect(await files.list("l/b/")).toEqual(["l/b/1", "l/b/2"]);
    expect(await files.within("l").list("")).toEqual(["a", "b/1", "b/2"]);
    await files.remove("l/b/1");
    expect(await files.list("l/b")).toEqual(["l/b/2"]);
    expect(await around.list("l")).toEqual(["l/other"]);
    await files.write("l/a b/c", ["x"]);
    expect(await files.within("l").folders()).toEqual(["a b", "b"]);
    await files.removeFolder("l");
    await files.removeFolder("l");
    expect([await files.list("l"), await around.list("l")]).toEqual([["lb"], ["l/other"]]);
  });

  test.each(["a b+c", "zürich; söhne", "日本/東京.csv", "50%2F", "a(b)!*~", "x..y", "#?=;:@$,"])(
    "keeps a file named %s in its place",
    async (odd) => {
      const name = `odd/${odd}`;
      await files.write(name, [odd]);
      expect(await readText(files, name)).toBe(odd);
      expect(await files.list("odd/")).toContain(name);
      await files.remove(name);
      expect(await files.list("odd/")).not.toContain(name);
      expect(addressOf(files, name)).toBe(`${files.place}/${name}`);
    },
  );

  // Listed in test/store/files/s3-answers.test.ts: the server that is started here escapes them twice.
  test.each(["a'b", 'a"b', "<k>&amp;"])("and one named %s", async (name) => {
    await files.write(name, [name]);
    expect([await readText(files, name), await files.sizeOf(name)]).toEqual([name, name.length]);
    await files.remove(name);
    expect(await files.sizeOf(name)).toBeNull();
  });

  test.each(["..", "../a", "a/../../b", "a//b", "/a", "a/", ".", "", "a\\b", "a\nb"])(
    "refuses the name %j, which would lead elsewhere",
    async (name) => {
      for (const tried of [
        () => files.write(name, ["x"]),
        () => files.read(name),
        () => files.sizeOf(name),
        () => files.remove(name),
        async () => files.within(name),
      ])
        await expect((async () => tried())()).rejects.toThrow("cannot be the name of a file");
    },
  );

  test("has nothing of a file whose writing failed, or was stopped", async () => {
    async function* breaking() {
      yield Buffer.alloc(9 * 1024 * 1024);
      throw new Error("the rows broke off");
    }
    await expect(files.write("broken/a", breaking())).rejects.toThrow("the rows broke off");
    const stop = new AbortController();
    async function* stopped() {
      yield Buffer.alloc(9 * 1024 * 1024);
      stop.abort();
      yield Buffer.alloc(9 * 1024 * 1024);
    }
    await expect(files.write("broken/b", stopped(), stop.signal)).rejects.toThrow("abort");
    await expect(files.write("broken/c", [Buffer.from("c")], stop.signal)).rejects.toThrow("abort");
    expect(await files.list("broken")).toEqual([]);
  });

  test("is probed without leaving anything", async () => {
    await probeFiles(files, "mark");
    expect(await files.list(".")).toEqual([]);
  });
});
