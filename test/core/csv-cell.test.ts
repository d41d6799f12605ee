import { expect, test } from "vitest";
import { plainCell, textCell } from "../../src/core/csv-cell.ts";

test("a text is not a formula; what we typed ourselves stays as it is", () => {
  expect(textCell("=1+1")).toBe("'=1+1");
  expect(textCell("  @x")).toBe("'  @x");
  for (const unseen of ["\u200b", "\u0085", "\ufeff", "\u2060 "])
    expect(textCell(`${unseen}=1`)).toContain(`'${unseen}=1`);
  expect(plainCell("-12.50")).toBe("-12.50");
});

test("a cell is quoted where it must be, and tells nothing from empty", () => {
  expect([textCell(null), textCell(""), textCell('a "b", c')]).toEqual(["", '""', '"a ""b"", c"']);
});
