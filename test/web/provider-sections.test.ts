import { expect, test } from "vitest";
import {
  changedSections,
  sectionNames,
  type ShownSettings,
  textsFrom,
  textsIn,
} from "../../src/web/settings/providers/read-sections.ts";

const ids = Array.from({ length: 1_000 }, (_, at) => `01KE${String(at).padStart(22, "0")}`);

const values = {
  calendar: {
    period: "week",
    zone: "Europe/Vilnius",
    statement_lag_days: 3,
    statement_grace_days: 1,
    payout_lag_days: 5,
    payout_grace_days: 0,
    closed_on_weekends: true,
    holidays: [
      { day: "2026-12-25", name: "Christmas Day" },
      { day: "2026-12-26", name: "" },
    ],
    minimum_payout: { EUR: "100", USD: "120.5" },
    statements_with_payout: true,
    our_share: "0.01",
    stale_card_hours: 24,
    stale_bank_hours: 120,
    rate_tolerance: "0.0005",
  },
  tolerances: [
    { currency: "EUR", leg: "in", absolute_under: "1" },
    { currency: "*", leg: "out", relative_over: "0.05" },
  ],
  exclusion: { everything: false, before: null, transaction_ids: ids },
  names: ["kappa pay"],
  aliases: { BITCOIN: "BTC" },
  categories: ["bonus"],
  receipts: {
    due_days: 7,
    tolerances: [{ currency: "EUR", under: "15", over: "0" }],
    // Said in full, which the form leaves out.
    levels: { payout_over: "warning", payout_short: "error" },
  },
};

const section = (value: unknown) => ({
  value,
  version: 1,
  shared: false,
  saved_by_name: "Ada",
  saved_at: null,
});
const settings = {
  account: "acme-eu",
  provider: "kappa",
  learnt: { statement_lag_days: null, statements: 0, payout_lag_days: null, payouts: 0 },
  ...Object.fromEntries(sectionNames.map((name) => [name, section(values[name])])),
} as ShownSettings;

/** As a browser sends it. */
function sent(change: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, text] of Object.entries({ ...textsFrom(settings), ...change })) {
    form.append(name, text.replaceAll("\n", "\r\n"));
  }
  return form;
}

test("what stands in the form is not a change, a long list not either", () => {
  expect(changedSections(textsIn(sent()), settings)).toEqual({ sections: {}, errors: [] });
});

test("one field changes its section alone, as a whole", () => {
  const { sections } = changedSections(textsIn(sent({ "tolerances.1.relative_over": "0.02" })), settings);
  expect(sections).toEqual({
    tolerances: [values.tolerances[0], { currency: "*", leg: "out", relative_over: "0.02" }],
  });
  const fewer = changedSections(
    textsIn(sent({ "exclusion.transaction_ids": ids.slice(1).join("\n") })),
    settings,
  );
  expect(fewer.sections).toEqual({ exclusion: { ...values.exclusion, transaction_ids: ids.slice(1) } });
  const none = changedSections(textsIn(sent({ "exclusion.transaction_ids": "" })), settings);
  expect(none.sections).toEqual({ exclusion: null });
});

test("a row that was emptied is gone, and the others are numbered as the API numbers them", () => {
  const emptied = { "tolerances.0.currency": "", "tolerances.0.absolute_under": "" };
  const texts = textsIn(sent(emptied));
  expect(changedSections(texts, settings).sections).toEqual({ tolerances: [values.tolerances[1]] });
  expect(texts["tolerances.0.relative_over"]).toBe("0.05");
});

test("going back to the defaults is not a value at all", () => {
  expect(changedSections(textsIn(sent({ "calendar.reset": "true" })), settings).sections).toEqual({
    calendar: null,
  });
});
