import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog } from "../src/log.ts";

test("a secret is redacted wherever it stands in a logged object", () => {
  const { lines, log } = capture();
  const secrets = { apiKey: "canary", apiSecret: "canary", password: "canary", "x-service-secret": "canary" };
  log.info(
    { event: "e", ...secrets, account: { ...secrets, deep: { ...secrets, authorization: "canary" } } },
    "text",
  );
  expect(lines.join("")).toContain('"event":"e"');
  expect(lines.join("")).not.toContain("canary");
});

test("an error is logged with its causes but without what drivers hang on it", () => {
  const { lines, log } = capture();
  const cause = Object.assign(new Error("inner"), { parameters: ["canary"], code: "08006" });
  const error = Object.assign(new Error("outer", { cause }), { headers: { authorization: "canary" } });
  log.error({ event: "e", err: error });
  const line = JSON.parse(lines[0] ?? "{}") as {
    err: { message: string; cause: { message: string; code: string } };
  };
  expect(line.err.message).toBe("outer");
  expect(line.err.cause).toMatchObject({ message: "inner", code: "08006" });
  expect(lines.join("")).not.toContain("canary");
});

function capture() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString("utf8"));
      done();
    },
  });
  return { lines, log: createLog({ level: "info", destination }) };
}
