import { describe, expect, test } from "vitest";
import { contrastOf, inkOn, parseColour } from "../../../src/sandbox/checkout/colour.ts";
import { writeThemeCss } from "../../../src/sandbox/checkout/theme.ts";

describe("colours", () => {
  test.each([
    ["#f00", [255, 0, 0]],
    ["#1D4ED8", [29, 78, 216]],
    ["red", [255, 0, 0]],
    ["rgb(0, 128, 255)", [0, 128, 255]],
    ["rgb(100% 0% 50%)", [255, 0, 128]],
    ["rgba(1, 2, 3, 1)", [1, 2, 3]],
    ["hsl(120, 100%, 50%)", [0, 255, 0]],
    ["hsl(210deg 50% 40%)", [51, 102, 153]],
    ["#ff000080", null],
    ["rgba(1, 2, 3, 0.5)", null],
    ["transparent", null],
    ["url(x)", null],
    ["red; } body { display: none", null],
    ["rgb(a, b, c)", null],
    ["constructor", null],
  ])("%s is %o", (text, expected) => {
    expect(parseColour(text)).toEqual(expected);
  });

  test("contrast as WCAG counts it", () => {
    expect(contrastOf([0, 0, 0], [255, 255, 255])).toBeCloseTo(21, 5);
    expect(contrastOf([255, 0, 0], [255, 255, 255])).toBeCloseTo(3.998, 2);
    expect(contrastOf([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2);
  });

  test("black or white reads on every colour", () => {
    for (let colour = 0; colour < 0x1000000; colour += 4999) {
      const rgb = [colour >> 16, (colour >> 8) & 255, colour & 255] as const;
      expect(contrastOf(rgb, inkOn(rgb))).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe("a theme", () => {
  test("without anything leaves the page's own look", () => {
    expect(writeThemeCss({})).toBe(":root {  }\n");
    expect(writeThemeCss({ isDark: true })).toBe(":root { color-scheme: dark; }\n");
  });

  test("keeps a text that can be read, and replaces one that cannot", () => {
    expect(writeThemeCss({ cardColor: "#fff", primaryTextColor: "#222", secondaryTextColor: "#eee" })).toBe(
      ":root { color-scheme: light; --primary-text: #222222; --secondary-text: #000000; --card: #ffffff; }\n",
    );
    expect(writeThemeCss({ isDark: true, primaryTextColor: "#000" })).toContain("--primary-text: #ffffff;");
  });

  test("brings an ink for its buttons", () => {
    expect(writeThemeCss({ primaryColor: "#ffe600" })).toBe(
      ":root { --primary: #ffe600; --on-primary: #000000; }\n",
    );
    expect(writeThemeCss({ primaryColor: "navy" })).toContain("--on-primary: #ffffff;");
  });

  test("a light text alone makes the page dark", () => {
    expect(writeThemeCss({ primaryTextColor: "white" })).toContain("color-scheme: dark;");
  });
});
