import { expect, test } from "vitest";
import { profileFrom, proposeTexts } from "../../src/web/settings/profiles/make-profile.ts";

const csv = { fileName: "a.csv", encoding: "utf-8", delimiter: "," };

test("two columns for one fee are added up, and two columns of one name are told apart", () => {
  const header = ["id", "Fee", "Tax", "Amount", "amount"];
  const chosen = ["provider_transaction_id", "fee_processing", "fee_processing", "fiat_gross", "fiat_net"];
  const texts = Object.fromEntries(chosen.map((field, at) => [`column.${at}`, field]));
  expect(profileFrom(texts, { ...csv, header, rows: [] })).toMatchObject({
    columns: { fee_processing: ["Fee", "Tax"], fiat_gross: ["Amount#1"], fiat_net: ["amount#2"] },
    fees_deducted: ["fee_processing"],
    add_up: ["fee_processing"],
  });
});

test("what no column says is said once; what a column says is not said again", () => {
  const header = ["id", "Amount", "Side"];
  const texts = {
    "column.0": "provider_transaction_id",
    "column.1": "net_amount",
    "column.2": "net_direction",
    constants_fiat_currency: "USD",
    constants_status: "settled",
    amount_marks: "$  US$",
    debit_words: "D, debit,",
    fee_sign: "ledger",
    statuses: "",
  };
  const profile = profileFrom(texts, { ...csv, header, rows: [] });
  expect(profile).toMatchObject({
    constants: { fiat_currency: "USD", status: "settled" },
    statuses: { any: { settled: "settled" } },
    amount_marks: ["$", "US$"],
    debit_words: ["D", "debit"],
    fee_sign: "ledger",
  });
  const withStatus = profileFrom(
    { ...texts, "column.2": "status", constants_fiat_currency: "", amount_marks: "", debit_words: "" },
    { ...csv, header, rows: [] },
  );
  for (const name of ["constants", "amount_marks", "debit_words"])
    expect(withStatus).not.toHaveProperty(name);
  expect(withStatus).toMatchObject({ statuses: { any: {} } });
});

test("coins written otherwise than money, months of another language and a prefix of ids are in the profile", () => {
  const sample = { ...csv, header: ["id"], rows: [] };
  const texts = { "column.0": "provider_transaction_id", time_format: "DD MMM YYYY", time_zone: "UTC" };
  const said = { ...texts, coin_decimal: ".", month_language: "es", id_prefix: "ORD-" };
  expect(profileFrom(said, sample)).toMatchObject({
    coin_numbers: { decimal: "." },
    time: { format: "DD MMM YYYY", zone: "UTC", language: "es" },
    prefixes: { provider_transaction_id: ["ORD-"] },
  });
  const unsaid = profileFrom({ ...texts, coin_decimal: "", month_language: "", id_prefix: "" }, sample);
  expect(unsaid["time"]).toEqual({ format: "DD MMM YYYY", zone: "UTC" });
  for (const name of ["coin_numbers", "prefixes"]) expect(unsaid).not.toHaveProperty(name);
});

test.each([
  ["$1,234.50", "May 3, 2026 1:05 PM", ["$", ".", ",", "MMM DD, YYYY hh:mm A"]],
  ["-1.234,50 EUR", "46145.604167", ["EUR", ",", ".", "excel"]],
  ["1.2E-7", "03.05.2026 13:05", ["", ".", "", "DD.MM.YYYY HH:mm"]],
  ["5", "13.05.26", ["", ".", "", "DD.MM.YY"]],
  ["5", "5/13/26", ["", ".", "", "MM/DD/YY"]],
  ["n/a", "2026-05-03", ["", ".", "", "YYYY-MM-DD"]],
])("a sample with %s and %s is proposed to be read as %j", (amount, at, forms) => {
  const sample = { ...csv, header: ["Amount", "At"], rows: [[amount, at]] };
  const texts = proposeTexts(sample, ["fiat_gross", "effective_at"]);
  const proposed = [texts["amount_marks"], texts["decimal"], texts["grouping"], texts["time_format"]];
  expect(proposed).toEqual(forms);
});
