import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { excelLines } from "../../src/report/encode.ts";
import { readAll } from "./books.ts";

test("line ends become Excel's wherever the chunks are cut, and those inside quotes stay", async () => {
  const cell = fc.constantFrom("a", "", '"x\ny"', '"""\n"""', '"\r\n"', "é");
  const file = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(file, fc.infiniteStream(fc.integer({ min: 1, max: 5 })), async (rows, cuts) => {
      const lines = rows.map((cells) => cells.join(","));
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length;) {
        const size = cuts.next().value;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const written = await readAll(Readable.from(chunks).pipe(excelLines()));
      expect(written.toString()).toBe(`\uFEFF${lines.map((line) => `${line}\r\n`).join("")}`);
    }),
    { numRuns: 300 },
  );
});
