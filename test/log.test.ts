import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { createLog, inRun } from "../src/log.ts";

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

test("every line of a run carries its ids, whoever writes it; lines of other runs do not", async () => {
  const { lines, log } = capture();
  const steps = async (name: string) => {
    log.info({ event: "begun", name });
    await new Promise((resolve) => setImmediate(resolve));
    await inRun({ window_id: `of ${name}` }, async () => log.info({ event: "read", name }));
    log.info({ event: "done", name, attempt: 7 });
  };
  await Promise.all(
    ["a", "b"].map((name) => inRun({ job: "walk", job_id: name, attempt: 1 }, () => steps(name))),
  );
  log.info({ event: "after" });
  const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const all = { job: "walk", attempt: 1 };
  for (const name of ["a", "b"]) {
    const ids = { ...all, name, job_id: name };
    expect(written.filter((line) => line["name"] === name)).toEqual([
      expect.objectContaining({ ...ids, event: "begun" }),
      expect.objectContaining({ ...ids, event: "read", window_id: `of ${name}` }),
      // What a line says itself is not overwritten.
      expect.objectContaining({ ...ids, event: "done", attempt: 7 }),
    ]);
  }
  expect(written.at(-1)).not.toHaveProperty("job_id");
});

test("a stack is logged when it is asked for, and when the program itself is at fault", () => {
  const isLogged = (level: string, err: Error) => {
    const { lines, log } = capture(level);
    log.error({ event: "e", err });
    return lines.join("").includes("log.test.ts");
  };
  const world = Object.assign(new Error("no room"), { code: "53100" });
  expect(isLogged("info", world)).toBe(false);
  expect(isLogged("debug", world)).toBe(true);
  expect(isLogged("info", new TypeError("x is not a function"))).toBe(true);
});

function capture(level = "info") {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString("utf8"));
      done();
    },
  });
  return { lines, log: createLog({ level, destination }) };
}
