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
    expect([noun(1), noun(2), counted(1, "payout"), counted(0, "payout"), counted(3_283, "order")]).toEqual([
      "1 more currency",
      "2 more currencies",
      "1 payout",
      "0 payouts",
      "3,283 orders",
    ]);
  });

  test("does not speak of no hours", () => {
    const read = (figures: Record<string, number>) => [
      line("read", [{ ...part(null, "amber", 1), figures } as never]),
    ];
    const reason = (hours: number, minutes: number) =>
      cellOf(read({ hours_missing: hours, minutes_missing: minutes }), null)?.reason;
    expect([reason(0, 2), reason(0.7, 42), reason(2.5, 150), reason(1_440, 86_400)]).toEqual([
      "2 min not read",
      "42 min not read",
      "2.5 h not read",
      "60 days not read",
    ]);
    // A checklist that was signed before minutes were counted.
    expect(cellOf(read({ hours_missing: 0.5 }), null)).toMatchObject({ reason: "30 min not read" });
    expect(cellOf(read({ hours_missing: 0 }), null)).toMatchObject({ reason: "the last minutes not read" });
  });

  test("is green without a reason, and empty where no line says anything", () => {
    expect(cellOf(lines, "koywe")).toEqual({ state: "green", reason: null, amounts: [] });
    expect(cellOf(lines, "banxa")).toBeNull();
    expect(cellOf(lines, null)).toMatchObject({ state: "green" });
  });

  test("is accepted where a reason was given for all that is red", () => {
    expect(cellOf(lines, "moonpay", new Set(["discrepancies"]))).toMatchObject({
      state: "accepted",
      reason: "3 discrepancies",
    });
    expect(cellOf(lines, "moonpay", new Set(["statements"]))).toMatchObject({ state: "red" });
  });

  test("shows how much money is carried forward", () => {
    const carried = { ...part("moonpay", "amber"), carried_amounts: [{ currency: "EUR", amount: "7" }] };
    expect(cellOf([line("discrepancies", [carried])], "moonpay")).toMatchObject({
      reason: "1 carried forward",
      amounts: [{ currency: "EUR", amount: "7" }],
    });
  });

  test("is amber where something is only to be known", () => {
    expect(cellOf(lines.slice(0, 2), "moonpay")).toMatchObject({
      state: "amber",
      reason: "2 days without a statement",
    });
  });
});
