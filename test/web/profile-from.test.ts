import { expect, test } from "vitest";
import { profileFrom } from "../../src/web/settings/profiles/make-profile.ts";

test("two columns for one fee are added up, and two columns of one name are told apart", () => {
  const header = ["id", "Fee", "Tax", "Amount", "amount"];
  const chosen = ["provider_transaction_id", "fee_processing", "fee_processing", "fiat_gross", "fiat_net"];
  const texts = Object.fromEntries(chosen.map((field, at) => [`column.${at}`, field]));
  expect(
    profileFrom(texts, { fileName: "a.csv", encoding: "utf-8", delimiter: ",", header, rows: [] }),
  ).toMatchObject({
    columns: { fee_processing: ["Fee", "Tax"], fiat_gross: ["Amount#1"], fiat_net: ["amount#2"] },
    fees_deducted: ["fee_processing"],
    add_up: ["fee_processing"],
  });
});
