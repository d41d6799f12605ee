import { expect, test } from "vitest";
import { plainName } from "../../src/core/plain-name.ts";

test.each([
  ["inv\u202exslx.exe", "invxslx.exe"],
  ["C:\\fakepath\\marzo\u200b 2026\r\n.csv", "marzo 2026.csv"],
  ["\u2066\u2069", "attachment"],
  ["مارس ٢٠٢٦.pdf", "مارس ٢٠٢٦.pdf"],
])("a file named %j is kept as %j", (given, kept) => {
  expect(plainName(given, "attachment")).toBe(kept);
});
