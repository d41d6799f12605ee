import { describe, expect, test } from "vitest";
import { counted } from "../../src/core/counted.ts";
import { cellOf } from "../../src/web/close/cell.ts";

type Lines = Parameters<typeof cellOf>[0];

const part = (provider: string | null, state: "green" | "amber" | "red", left = 0) => ({
  provider,
  state,
  left,
  total: 5,
  amounts: left > 0 ? [{ currency: "EUR", amount: "12.50" }] : [],
  figures: { days_missing: left, carried: 1 },
});

const line = (name: string, parts: ReturnType<typeof part>[]) =>
  ({
    line: name,
    title: name,
    state: "green",
    says: "",
    total: 1,
    left: 0,
    link: "/",
    parts,
  }) as Lines[number];

describe("a cell of the board", () => {
  const lines = [
    line("read", [part(null, "green")]),
    line("statements", [part("moonpay", "amber", 2), part("koywe", "green")]),
    line("discrepancies", [part("moonpay", "red", 3)]),
  ];

  test("shows the worst of its lines, with its reason and amount", () => {
    expect(cellOf(lines, "moonpay")).toEqual({
      state: "red",
      reason: "3 discrepancies",
      amounts: [{ currency: "EUR", amount: "12.50" }],
    });
  });

  test("speaks of one thing as of one", () => {
    const one = [line("discrepancies", [part("moonpay", "red", 1)])];
    expect(cellOf(one, "moonpay")).toMatchObject({ reason: "1 discrepancy" });
    const noun = (count: number) => counted(count, "more currency", "more currencies");
    expect([noun(1), noun(2), counted(1, "payout"), counted(0, "payout")]).toEqual([
      "1 more currency",
      "2 more currencies",
      "1 payout",
      "0 payouts",
    ]);
  });

  test("does not speak of no hours", () => {
    const read = (hours: number) => [
      line("read", [{ ...part(null, "amber", 1), figures: { hours_missing: hours } } as never]),
    ];
    expect(cellOf(read(0), null)).toMatchObject({ reason: "the last minutes not read yet" });
    expect(cellOf(read(2.5), null)).toMatchObject({ reason: "2.5 h not read" });
  });

  test("is green without a reason, and empty where no line says anything", () => {
    expect(cellOf(lines, "koywe")).toEqual({ state: "green", reason: null, amounts: [] });
    expect(cellOf(lines, "banxa")).toBeNull();
    expect(cellOf(lines, null)).toMatchObject({ state: "green" });
  });

  test("is amber where something is only to be known", () => {
    expect(cellOf(lines.slice(0, 2), "moonpay")).toMatchObject({
      state: "amber",
      reason: "2 days without a statement",
    });
  });
});
