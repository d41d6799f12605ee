import { createHash, randomBytes } from "node:crypto";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { secret } from "../../../src/core/secret.ts";
import { type Files, readText } from "../../../src/store/files/files.ts";
import { startS3 } from "../../support/s3-server.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

const megabyte = 1024 * 1024;
const s3 = await startS3();
afterAll(() => s3.stop());

test("a long file goes up in parts and comes back the same, and only some of it is ever held", async () => {
  const files = s3.files();
  const piece = randomBytes(megabyte);
  const hash = createHash("sha256");
  let heldMax = 0;
  async function* long() {
    for (let at = 0; at < 100; at++) {
      hash.update(piece);
      heldMax = Math.max(heldMax, process.memoryUsage().arrayBuffers);
      yield piece;
    }
  }
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const written = await files.write("long", long());
  expect(written).toEqual({ bytes: 100 * megabyte, sha256: hash.digest("hex") });
  // Parts of 8 MB; what is no longer used is given back a little later.
  expect(heldMax - before).toBeLessThan(70 * megabyte);
  expect(await files.sizeOf("long")).toBe(100 * megabyte);
  expect(await digestOf(files, "long")).toEqual(written);
  await files.remove("long");
});

test.each([8 * megabyte - 1, 8 * megabyte, 8 * megabyte + 1, 16 * megabyte])(
  "a file of %i bytes, at the edge of a part, is whole",
  async (bytes) => {
    const files = s3.files();
    const body = randomBytes(bytes);
    const written = await files.write("edge", [body.subarray(0, 3), body.subarray(3)]);
    expect(await digestOf(files, "edge")).toEqual(written);
  },
);

test("more names than a page of a listing holds are all listed", async () => {
  const files = s3.files({ prefix: "many" });
  const names = Array.from({ length: 1_003 }, (_, at) => `f/${String(at).padStart(4, "0")}`);
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(names.slice(at, at + 50).map((name) => files.write(name, ["x"])));
  expect(await files.list("f/")).toEqual(names);
});

describe("a refusal names the bucket, what was being done, and what to do", () => {
  const credentials = {
    accessKeyId: secret("S3RVER"),
    secretAccessKey: secret("canary-secret"),
    sessionToken: secret("canary-token"),
  };
  test.each<[string, Files, string]>([
    [
      "a wrong secret",
      s3.files({ credentials }),
      "the bucket kept refused writing tieout/a (403 SignatureDoesNotMatch): correct AWS_SECRET_ACCESS_KEY",
    ],
    [
      "an unknown key",
      s3.files({ credentials: { ...credentials, accessKeyId: secret("canary-id") } }),
      "the bucket kept refused writing tieout/a (403 InvalidAccessKeyId): correct AWS_ACCESS_KEY_ID",
    ],
    [
      "a bucket that is not there",
      s3.files({ bucket: "absent" }),
      "the bucket absent refused writing tieout/a (404 NoSuchBucket): create the bucket, or correct FILES_URL",
    ],
    [
      "a wrong clock",
      s3.files({}, { now: () => Date.now() + 3_600_000 }),
      "the bucket kept refused writing tieout/a (403 RequestTimeTooSkewed): set this machine's clock by NTP",
    ],
  ])("%s", async (_, files, message) => {
    const error = await files.write("a", ["x"]).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: "files_unusable", retry: false, message });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("canary");
    await expect(files.list("")).rejects.toThrow("refused listing");
  });
});

test("a store that goes away in the middle of a file, and comes back, is given the rest", async () => {
  const files = s3.files({}, { retryAfterMs: [100, 500, 2_000, 8_000, 20_000] });
  let restarted: Promise<void> | undefined;
  const piece = randomBytes(5 * megabyte);
  async function* through() {
    yield piece;
    yield piece;
    await s3.kill();
    // Not waited for: the next parts find nobody there.
    restarted = s3.start();
    yield piece;
    yield piece;
  }
  const written = await files.write("restarted", through());
  await restarted;
  expect(written.bytes).toBe(20 * megabyte);
  expect(await digestOf(files, "restarted")).toEqual(written);
});

test("a store that stays away is named", async () => {
  const files = s3.files();
  await s3.kill();
  try {
    await expect(files.write("a", ["x"])).rejects.toMatchObject({
      code: "files_unusable",
      retry: true,
      message:
        "the bucket kept did not answer while writing tieout/a (ECONNREFUSED): look at the network and at AWS_ENDPOINT_URL_S3",
    });
    await expect(files.read("a")).rejects.toThrow("the bucket kept did not answer while reading tieout/a");
  } finally {
    await s3.start();
  }
});

test("a download that breaks off again and again goes on where it broke", async () => {
  const proxy = await startTcpProxy(s3.port, { resetAfterBytes: 3 * megabyte });
  onTestFinished(() => proxy.close());
  const written = await s3.files().write("broken", [randomBytes(10 * megabyte)]);
  expect(await digestOf(s3.files({ endpoint: proxy.url }), "broken")).toEqual(written);
  expect(proxy.connections).toBeGreaterThan(3);
  proxy.set({ resetAfterBytes: 0 });
  await expect(readText(s3.files({ endpoint: proxy.url }), "broken")).rejects.toThrow(
    "the bucket kept did not answer while reading tieout/broken",
  );
});

async function digestOf(files: Files, name: string): Promise<{ bytes: number; sha256: string }> {
  const found = await files.read(name);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of (found?.body ?? []) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  expect(bytes).toBe(found?.bytes);
  return { bytes, sha256: hash.digest("hex") };
}
