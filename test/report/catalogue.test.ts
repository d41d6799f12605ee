import { expect, test } from "vitest";
import { findReport, reports } from "../../src/report/catalogue.ts";
import { nearestWord } from "../../src/core/nearest-word.ts";
import { closedWords, parametersOf } from "../../src/report/parameters.ts";
import { type FilterName, reportFormats, reportId } from "../../src/report/report.ts";
import { readCommitted } from "../support/committed-file.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { keepAccount, inOctober, keepTransactions, readReport, requestFor } from "./books.ts";
import { reportsPage } from "./reports-page.ts";

const database = useTestDatabase();

test("the page about the reports is what the catalogue says (UPDATE_DOCS=1 writes it)", async () => {
  const made = reportsPage(reports);
  expect(await readCommitted("docs/reports.md", made)).toBe(made);
});

/** What a released version has promised. Columns may be added at the end of a line, never moved or taken away. */
const promised: Record<string, string> = {
  "transactions.v1":
    "account transaction_id status is_final status_at status_date transaction_type provider provider_transaction_id payment_method country source_currency in_amount target_currency out_amount transaction_hash wallet_address api_key partner_context record_hash first_seen_at last_changed_at missing_since_at timezone",
  "transaction-statuses.v1":
    "account transaction_id status received_status status_at status_date transaction_type provider provider_transaction_id payment_method country source_currency in_amount target_currency out_amount transaction_hash wallet_address api_key partner_context record_hash hash_version extra first_seen_at is_latest timezone",
  "daily-summary.v1":
    "account date provider transaction_type status source_currency target_currency transactions in_amount out_amount timezone",
  "provider-summary.v1":
    "account provider transaction_type source_currency target_currency transactions completed failed canceled open completed_percent in_amount out_amount first_status_at last_status_at",
  "rates.v1":
    "account transaction_id provider transaction_type payment_method country status_at status_date source_currency in_amount target_currency out_amount rate inverse_rate provider_rate all_providers_rate difference_percent timezone",
  "execution-quality.v1":
    "account provider transaction_type source_currency target_currency payment_method orders completed failed canceled open failure_reasons completed_percent median_seconds slow_seconds compared quoted slippage_bps cost_bps mean_place mean_quotes times_best forgone",
  "open-transactions.v1":
    "account transaction_id status status_at status_date age_hours transaction_type provider provider_transaction_id payment_method country source_currency in_amount target_currency out_amount transaction_hash wallet_address api_key partner_context first_seen_at missing_since_at timezone",
  "quarantine.v1":
    "account reason field raw raw_hash window_id window_from_at window_to_at first_seen_at last_seen_at",
  "payout-reconciliation.v1":
    "account provider payout_ref payout_date currency line_count gross fees refunds chargebacks chargeback_reversals commissions adjustments reserves net_computed net_declared difference status",
  "itemised.v1":
    "account provider payout_ref file_name line_no line_type transaction_id provider_transaction_id transaction_hash status status_date in_amount source_currency out_amount target_currency line_status line_gross line_fee line_net line_currency line_crypto_amount line_asset line_date in_difference out_difference difference_name match_rule match_state class codes line_balance pending_code line_fiat_gross line_fiat_currency line_fee_total line_fee_currency",
  "discrepancies.v1":
    "discrepancy_id code level account provider transaction_id provider_transaction_id transaction_hash payout_ref file_name line_no expected actual delta currency expected_text actual_text value value_currency since first_seen_at age_days bucket near_period_edge state owner reason resolved_by resolved_at",
  "open-errors.v1":
    "account provider code discrepancy_id transaction_id provider_transaction_id payout_ref file_name line_no happened_at since value value_currency owed owed_currency owner carried_from",
  "ageing.v1": "account provider currency code bucket count value",
  "position.v1":
    "account provider currency opening_unsettled completed changed settled reversed excluded written_off closing_unsettled unexplained named_differences",
  "unsettled.v1":
    "account provider transaction_id provider_transaction_id status_date due_at class pending_code codes in_amount source_currency out_amount target_currency",
  "receivable.v1":
    "account provider currency opening prior_period earned fees reversed adjusted converted paid_out written_off closing unexplained",
  "journal.v1":
    "account date entry event provider account_code account_name currency debit credit description transaction_id provider_transaction_id payout_ref file_name line_no line discrepancy prior_period",
  "fee-variance.v1":
    "account provider transaction_id provider_transaction_id payout_ref file_name line_no line_date side payment_method currency order_amount kind expected actual difference schedule_version codes",
  "receipts.v1":
    "account receipt_line file_name line_no bank_account value_date booking_date direction amount currency is_reversal reference end_to_end_id bank_reference hash counterparty remittance providers payout_refs settled bank_fee match_rules unmatched",
  "audit-trail.v1": "at actor action subject before after reason",
};

test("columns that were promised are all there, in their order", () => {
  expect(Object.keys(promised)).toEqual(reports.map(reportId));
  for (const report of reports) {
    const names = report.columns.map(({ name }) => name).join(" ");
    expect(names.startsWith(promised[reportId(report)] ?? "?")).toBe(true);
  }
});

test("columns are named for their type, once each, and amounts have their currency beside them", () => {
  for (const report of reports) {
    const names = report.columns.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type, description } of report.columns) {
      expect(description).toMatch(/\S.*\.$/);
      expect(["text", "amount", "time", "date", "integer", "boolean"]).toContain(type);
      expect(name).toMatch(/^[a-z_]+$/);
      expect([name, /(^|_)at$|^since$/.test(name)]).toEqual([name, type === "time"]);
      expect([name, /(^|_)date$/.test(name)]).toEqual([name, type === "date"]);
    }
  }
});

test("every report runs, in every format, with every filter and every column alone", async () => {
  const account = await keepAccount(database.db, "all");
  await keepTransactions(database.db, account, [
    { transaction_id: "a" },
    { transaction_id: "b", status: "new" },
  ]);
  for (const report of reports) {
    const filters = Object.fromEntries(
      (Object.keys(report.filters) as FilterName[]).map((name) => [name, closedWords[name] ?? ["x", "y"]]),
    );
    for (const format of reportFormats) {
      await readReport(
        database.db,
        requestFor(reportId(report), { ...inOctober(report), ...filters, tz: ["Asia/Kathmandu"] }, format),
      );
    }
    // The statements behind the books take the longer to plan the more there is in them: all at once, backwards.
    const names = report.columns.map((column) => column.name);
    const choices = report.moment === undefined ? names : [names.toReversed().join(",")];
    for (const name of choices) {
      const text = await readReport(
        database.db,
        requestFor(report.name, { ...inOctober(report), columns: [name] }),
      );
      expect(text.split("\n")[0]).toBe(name);
    }
  }
});

test("a report is found by its name, with or without its version", () => {
  expect(findReport("rates")).toBe(findReport("rates.v1"));
  for (const name of ["rates.v2", "rates.v", "", "__proto__", "constructor"])
    expect(findReport(name)).toBeNull();
});

test("a mistyped word finds its neighbour, and a strange one none", () => {
  const known = reports.map(({ name }) => name);
  expect(nearestWord("transaction", known)).toBe("transactions");
  expect(nearestWord("dailysummary", known)).toBe("daily-summary");
  expect(nearestWord("zzz", known)).toBeNull();
  expect(nearestWord("x".repeat(100_000), known)).toBeNull();
});

test("a report without presets takes none of their parameters", () => {
  const rates = findReport("rates");
  expect(rates && parametersOf(rates)).not.toContain("currency");
  expect(() => requestFor("rates", { clearing_account: ["1"] })).toThrow("there is no such parameter");
});

test("a word that a filter cannot have is refused, because an empty file would read as if nothing were open", () => {
  for (const [report, filter, words, wrong] of [
    ["discrepancies", "level", "error,warning", "errors"],
    ["discrepancies", "state", "open,investigating,resolved,written_off", "closed"],
    ["ageing", "level", "error", "ERROR"],
    ["unsettled", "class", "pending,discrepant", "pendng"],
    ["itemised", "class", "matched,pending,discrepant,excluded", "unmatched"],
  ] as const) {
    expect(requestFor(report, { [filter]: [words] }).filters).toEqual({ [filter]: words.split(",") });
    expect(() => requestFor(report, { [filter]: [`${words},${wrong}`] })).toThrow(`found "${wrong}"`);
  }
});
