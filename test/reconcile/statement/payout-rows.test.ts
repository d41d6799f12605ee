import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseProfile } from "../../../src/reconcile/statement/own-profiles.ts";
import type { ProfileSource } from "../../../src/reconcile/statement/profile.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const header =
  "provider_transaction_id,line_type,status,fiat_currency,fiat_gross,net_amount,net_currency,payout_ref,payout_currency,payout_amount,rate,effective_at";
const charge = "A,charge,settled,EUR,100,1.00,EUR,P-1,,,,2026-01-01T10:00:00Z";

async function payoutOf(row: string, name: string, request: object = {}) {
  const bench = await openBench(database.db, name);
  const { rejects } = await bench.import("p.csv", `${header}\n${charge}\n${row}\n`, {
    provider: "kappa",
    ...request,
  });
  expect(rejects).toEqual([]);
  const lines = await database.db.query<Record<string, unknown>>(
    `select l.net_amount::text as net, l.net_currency as currency, l.asset, l.network, l.rate::text, l.rate_basis
     from tieout.statement_lines as l
     join tieout.accounts as a on a.id = l.account_id
     where a.name = $1 and l.line_type = 'payout'`,
    [name],
  );
  return lines[0];
}

describe("a payout row", () => {
  test("below zero stays below zero: the provider takes what chargebacks cost", async () => {
    expect(
      await payoutOf("P-1,payout,settled,,,,,P-1,EUR,-14.32,,2026-02-01T10:00:00Z", "negative"),
    ).toMatchObject({ net: "-14.32", currency: "EUR" });
  });

  test.each([
    ["USDC", "usdc", null],
    ["USDC_ERC20", "usdc", "ethereum"],
    ["btc", "btc", "bitcoin"],
  ])("may be in a coin: %s", async (word, asset, network) => {
    const row = `P-1,payout,settled,,,,,P-1,${word},18.5,,2026-02-01T10:00:00Z`;
    expect(await payoutOf(row, `coin ${word}`)).toMatchObject({
      net: "18.5",
      currency: asset,
      asset,
      network,
    });
  });

  test("in a word that is neither is rejected, and says what to do", async () => {
    const bench = await openBench(database.db, "no money");
    const row = "P-1,payout,settled,,,,,P-1,EURO,18.5,,2026-02-01T10:00:00Z";
    const { rejects } = await bench.import("p.csv", `${header}\n${charge}\n${row}\n`, { provider: "kappa" });
    expect(rejects).toMatchObject([
      {
        code: "unknown_currency",
        field: "payout_currency",
        reason: expect.stringContaining("alias") as string,
      },
    ]);
  });

  test("keeps the rate that its lines were converted at, and which way round it is where the profile says", async () => {
    const row = "P-1,payout,settled,,,,,P-1,USD,0.18,5.55,2026-02-01T10:00:00Z";
    expect(await payoutOf(row, "rate")).toMatchObject({ rate: "5.55", rate_basis: null });
    const profile = aProfile({
      columns: {
        provider_transaction_id: "provider_transaction_id",
        line_type: "line_type",
        fiat_currency: "fiat_currency",
        fiat_amount: "fiat_gross",
        payout_currency: "payout_currency",
        payout_amount: "payout_amount",
        rate: "rate",
        effective_at: "effective_at",
      },
      line_types: { charge: "charge", payout: "payout" },
      payout_rate_basis: "line_per_payout",
    });
    expect(await payoutOf(row, "rate with basis", { provider: null, profiles: [profile] })).toMatchObject({
      rate: "5.55",
      rate_basis: "line_per_payout",
    });
  });

  test.each([
    ["as_printed", "-20", "-20"],
    ["ledger", "-20", "20"],
    ["ledger", "3", "-3"],
  ] as const)("in a signed column, %s: %s declares %s", async (payout_sign, printed, declared) => {
    const profile = aProfile({
      columns: {
        provider_transaction_id: "provider_transaction_id",
        line_type: "line_type",
        fiat_currency: "fiat_currency",
        fiat_amount: "fiat_gross",
        net_amount: "net_amount",
        net_currency: "net_currency",
        effective_at: "effective_at",
      },
      line_types: { charge: "charge", payout: "payout" },
      payout_sign,
    });
    const row = `P-1,payout,settled,,,${printed},EUR,P-1,,,,2026-02-01T10:00:00Z`;
    const name = `${payout_sign} ${printed}`;
    expect(await payoutOf(row, name, { provider: null, profiles: [profile] })).toMatchObject({
      net: declared,
    });
  });
});

describe("a fee that is left blank", () => {
  const columns = {
    provider_transaction_id: "id",
    line_type: "type",
    fiat_currency: "currency",
    fiat_gross: "gross",
    fee_processing: "fee",
    fee_network: "gas",
    effective_at: "time",
  };
  const gross = {
    columns,
    required: ["provider_transaction_id", "fiat_currency", "fiat_gross", "effective_at"],
    line_types: { charge: "charge", refund: "refund" },
    model: "gross",
    fees_deducted: ["fee_processing", "fee_network"],
  } satisfies Partial<ProfileSource>;
  const text =
    "id,type,currency,gross,fee,gas,time\n" +
    "A,charge,EUR,100.00,,,2026-01-01T10:00:00Z\nB,charge,EUR,50.00,1.50,,2026-01-01T11:00:00Z\n" +
    "A,refund,EUR,40.00,,,2026-01-02T10:00:00Z\n";

  test("is zero: gross is then what is owed, and a refund takes its gross back", async () => {
    const bench = await openBench(database.db, "blank fee");
    await bench.import("fees.csv", text, { profiles: [aProfile(gross)] });
    const lines = await linesInForce(database.db, "blank fee");
    const shown = lines
      .map((line) => [line["line_type"], line["fiat_net"], line["net_amount"]].join(" "))
      .toSorted((x, y) => (x < y ? -1 : 1));
    expect(shown).toEqual(["charge 100 100", "charge 48.5 48.5", "refund 40 -40"]);
  });

  test("rejects a charge where the profile says that it is always stated", async () => {
    const bench = await openBench(database.db, "fee required");
    const profile = aProfile({
      ...gross,
      fees_required: ["fee_processing"],
    });
    const { rejects } = await bench.import("fees.csv", text, { profiles: [profile] });
    expect(rejects).toMatchObject([
      { lineNo: 2, field: "fee_processing", reason: expect.stringContaining("always stated") as string },
    ]);
  });

  test("says nothing where the file has no such column: the net is not known", async () => {
    const bench = await openBench(database.db, "no fee column");
    const without = "id,type,currency,gross,time\nA,charge,EUR,100.00,2026-01-01T10:00:00Z\n";
    const commission = aProfile({ ...gross, model: "commission" });
    await bench.import("fees.csv", without, { profiles: [commission] });
    expect(await linesInForce(database.db, "no fee column")).toMatchObject([
      { fiat_gross: "100", fiat_net: null, fee_total: null },
    ]);
  });

  test("in another currency is kept apart, and does not make the whole gross a fee", async () => {
    const bench = await openBench(database.db, "foreign fee");
    const profile = aProfile({
      ...gross,
      fee_currencies: { fee_network: "USD" },
    });
    const foreign =
      "id,type,currency,gross,fee,gas,time\nA,charge,EUR,100.00,1.50,2.00,2026-01-01T10:00:00Z\n";
    await bench.import("fees.csv", foreign, { profiles: [profile] });
    expect(await linesInForce(database.db, "foreign fee")).toMatchObject([
      { fiat_net: null, net_amount: "98.5", extra: { "fee_network USD": "2" } },
    ]);
  });
});

describe("refunds and other lines that relate to an order", () => {
  const columns = {
    line_id: "row",
    provider_transaction_id: "id",
    line_type: "type",
    fiat_currency: "currency",
    fiat_gross: "gross",
    effective_at: "time",
  };
  const profiles = [
    aProfile({
      columns,
      required: ["provider_transaction_id", "fiat_gross"],
      line_types: { charge: "charge", refund: "refund" },
      model: "gross",
      time: { format: "YYYY-MM-DD" },
    }),
  ];
  const head = "row,id,type,currency,gross,time\n,A,charge,EUR,100,2026-01-01\n";
  const keysOf = async (name: string) =>
    (await linesInForce(database.db, name)).map((line) => line["occurrence"]);

  test("are counted: two equal refunds of one day are two, and an overlapping file adds none", async () => {
    const bench = await openBench(database.db, "two refunds");
    const two = `${head},A,refund,EUR,20,2026-01-05\n,A,refund,EUR,20,2026-01-05\n,A,refund,EUR,10,2026-01-05\n`;
    const { statement } = await bench.import("1.csv", two, { profiles });
    expect(statement).toMatchObject({ rowsAccepted: 4, rowsRejected: 0, rowsDuplicate: 0 });
    await bench.import("2.csv", `${two},A,refund,EUR,5,2026-01-06\n`, { profiles });
    expect(await keysOf("two refunds")).toHaveLength(5);
  });

  test("are accepted by the profile that the documentation shows: two of one order", async () => {
    const page = await readFile("docs/reconciliation.md", "utf8");
    const json = /```json profile\n([^`]*)```/.exec(page)?.[1] ?? "";
    const bench = await openBench(database.db, "documented");
    const kappa =
      "Order;Type;State;Currency;Paid;Fee;Coin;Coins;Transfer;Transferred;Booked\n" +
      "K-1;sale;done;EUR;100,00;2,00;BTC;0,002;T-1;;01.03.2026 10:00\n" +
      "K-1;refund;done;EUR;20,00;;BTC;;T-1;;02.03.2026 10:00\nK-1;refund;done;EUR;30,00;;BTC;;T-1;;02.03.2026 10:00\n";
    const { statement } = await bench.import("k.csv", kappa, { profiles: [parseProfile(JSON.parse(json))] });
    expect(statement).toMatchObject({ rowsAccepted: 3, rowsRejected: 0 });
  });

  test("with an id of their own are told apart by it, and a later file may correct them", async () => {
    const bench = await openBench(database.db, "own id");
    await bench.import("1.csv", `${head}r-1,A,refund,EUR,20,2026-01-05\nr-2,A,refund,EUR,20,2026-01-05\n`, {
      profiles,
    });
    const { statement } = await bench.import("2.csv", `${head}r-1,A,refund,EUR,25,2026-01-05\n`, {
      profiles,
    });
    expect(statement).toMatchObject({ rowsRestated: 1 });
    const amounts = (await linesInForce(database.db, "own id")).map((line) => Number(line["net_amount"]));
    expect(amounts.toSorted((x, y) => x - y)).toEqual([-25, -20, 100]);
  });
});
