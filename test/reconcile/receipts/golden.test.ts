import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readCommitted } from "../../support/committed-file.ts";
import { readAll } from "./read-all.ts";

const folder = "test/fixtures/receipts";
const files = readdirSync(folder).filter((name) => !/\.(?:json|md)$/.test(name));

describe("banks' files are read as they are meant:", () => {
  test("there are files of every format", () => {
    expect(files.length).toBeGreaterThanOrEqual(10);
  });

  test.each(files)("%s", async (name) => {
    const { recognised, rows, outcome } = await readAll(readFileSync(`${folder}/${name}`));
    const read = {
      format: recognised.format,
      profile: recognised.profile?.name ?? null,
      encoding: recognised.encoding,
      statements: outcome.facts.statements,
      madeAt: outcome.facts.madeAt,
      problems: outcome.facts.problems,
      cutOff: outcome.facts.cutOff,
      rows: rows.map(({ lineNo, kind, ...row }) => ({
        lineNo,
        kind,
        ...("line" in row ? row.line : {}),
        ...("reason" in row ? { reason: row.reason } : {}),
      })),
    };
    const made = `${JSON.stringify(read, null, 2)}\n`;
    expect(made).toBe(await readCommitted(`${folder}/${name}.expected.json`, made));
  });
});
