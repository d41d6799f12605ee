import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { ApiEnv } from "../../src/api/deps.ts";
import { dispositionOf, sendFile } from "../../src/api/send-file.ts";

const chunk = Buffer.alloc(64 * 1024, "x");

/** Has no end, and counts what was taken from it. */
function endless(): { body: Readable; taken: () => number } {
  let bytes = 0;
  const body = new Readable({
    read() {
      bytes += chunk.length;
      this.push(chunk);
    },
  });
  return { body, taken: () => bytes };
}

async function answer(body: Readable, method = "GET"): Promise<Response> {
  const app = new Hono<ApiEnv>();
  app.get("/", (c) => sendFile(c, body, { fileName: "a.csv" }));
  return app.request("/", { method });
}

test("a reader who does not read holds the source back", async () => {
  const { body, taken } = endless();
  const response = await answer(body);
  for (let turn = 0; turn < 2_000; turn++) await nextTurn();
  expect(taken()).toBeGreaterThan(0);
  expect(taken()).toBeLessThan(1024 * 1024);
  await response.body?.cancel();
  expect(body.destroyed).toBe(true);
});

test("a question for the headers alone takes nothing and lets the source go", async () => {
  const { body, taken } = endless();
  const response = await answer(body, "HEAD");
  expect([response.status, response.headers.get("content-disposition")]).toEqual([
    200,
    'attachment; filename="a.csv"',
  ]);
  expect([taken(), body.destroyed]).toEqual([0, true]);
});

test("the name of a file has nothing in it that makes it read as another", () => {
  expect(dispositionOf("inv\u202exslx.exe")).toBe('attachment; filename="invxslx.exe"');
});
