import { afterEach, expect, test, vi } from "vitest";
import { showLine } from "../../src/commands/terminal-line.ts";

afterEach(() => vi.restoreAllMocks());

test.each([
  { terminal: true, columns: 80, shown: "\r\u001b[Kreading october.csv" },
  { terminal: true, columns: 8, shown: "\r\u001b[Kreading" },
  { terminal: true, columns: 0, shown: "\r\u001b[Kreading october.csv" },
  { terminal: false, columns: undefined, shown: "" },
])("a line of progress: %o", ({ terminal, columns, shown }) => {
  const were = { isTTY: process.stderr.isTTY, columns: process.stderr.columns };
  let written = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
  Object.assign(process.stderr, { isTTY: terminal, columns });
  try {
    showLine("reading october.csv");
  } finally {
    Object.assign(process.stderr, were);
  }
  expect(written).toBe(shown);
});
