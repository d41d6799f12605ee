import { expect, onTestFinished, test } from "vitest";
import { secret } from "../../../src/core/secret.ts";
import { createS3Files } from "../../../src/store/files/s3-files.ts";
import { type ReceivedRequest, type ScriptedAnswer, startHttpServer } from "../../support/http-server.ts";

/** Answers that the server of the other tests does not give, in Amazon's own words. */
async function answering(script: (request: ReceivedRequest) => ScriptedAnswer) {
  const server = await startHttpServer(script);
  onTestFinished(() => server.close());
  const pair = { accessKeyId: secret("id"), secretAccessKey: secret("secret"), sessionToken: null };
  const place = { bucket: "kept", prefix: "", region: "us-east-1", endpoint: server.url, credentials: pair };
  return { server, files: createS3Files(place, { now: Date.now, retryAfterMs: [1, 1] }) };
}

test("names in a listing lose their escapes, and a listing is read page by page", async () => {
  const { files, server } = await answering(({ query }) => ({
    body:
      query.get("continuation-token") === "a&b="
        ? "<ListBucketResult><Contents><Key>&#x65E5;&#26412;</Key></Contents></ListBucketResult>"
        : "<ListBucketResult><NextContinuationToken>a&amp;b=</NextContinuationToken><Contents><Key>R&amp;D/&lt;a&gt; &quot;b&quot; &apos;c&#39;</Key></Contents></ListBucketResult>",
  }));
  expect(await files.list("")).toEqual([`R&D/<a> "b" 'c'`, "日本"]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/kept?list-type=2&prefix=",
    "/kept?continuation-token=a%26b%3D&list-type=2&prefix=",
  ]);
});

test("a store that is busy is asked again, as often as is reasonable", async () => {
  let asked = 0;
  const { files } = await answering(() =>
    ++asked % 3 === 0 ? { body: "" } : { status: 503, body: "<Error><Code>SlowDown</Code></Error>" },
  );
  await files.write("a", ["x"]);
  expect(asked).toBe(3);
  const never = await answering(() => ({ status: 500, body: "<Error><Code>InternalError</Code></Error>" }));
  await expect(never.files.write("a", ["x"])).rejects.toMatchObject({
    message: "the bucket kept refused writing a (500 InternalError): try again later",
    retry: true,
  });
  expect(never.server.requests).toHaveLength(3);
});

test("a bucket of another region says which", async () => {
  const { files } = await answering(() => ({
    status: 301,
    headers: { "x-amz-bucket-region": "eu-west-1" },
    body: "<Error><Code>PermanentRedirect</Code></Error>",
  }));
  await expect(files.write("a", ["x"])).rejects.toThrow("the bucket is in eu-west-1: set AWS_REGION to that");
});

test("an upload that fails with the status of a success is not taken for one, and is abandoned", async () => {
  const { files, server } = await answering((request) =>
    uploading(request, { body: "<Error><Code>InternalError</Code></Error>" }),
  );
  await expect(files.write("a", [long])).rejects.toThrow("it failed to put the parts together");
  expect(server.requests.at(-1)).toMatchObject({ method: "DELETE", path: "/kept/a?uploadId=u%2F1" });
});

test("an upload whose last answer was lost is found to have succeeded", async () => {
  const gone = { status: 404, body: "<Error><Code>NoSuchUpload</Code></Error>" };
  const { files } = await answering((request) => uploading(request, gone, String(long.length)));
  expect(await files.write("a", [long])).toMatchObject({ bytes: long.length });
  const other = await answering((request) => uploading(request, gone, "5"));
  await expect(other.files.write("a", [long])).rejects.toThrow("refused completing a (404 NoSuchUpload)");
});

const long = Buffer.alloc(9 * 1024 * 1024);

function uploading(request: ReceivedRequest, completed: ScriptedAnswer, length = "0"): ScriptedAnswer {
  if (request.method === "HEAD")
    return { misbehave: (response) => response.writeHead(200, { "content-length": length }).end() };
  if (request.query.has("uploads")) return { body: "<UploadId>u/1</UploadId>" };
  if (request.method === "PUT") return { headers: { etag: '"e"' }, body: "" };
  return request.method === "POST" ? completed : { status: 204, body: "" };
}
