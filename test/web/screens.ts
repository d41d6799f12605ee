import type { Database } from "../../src/store/database.ts";
import type { ApiUnderTest } from "../api/an-api.ts";
import { waitFor } from "../support/wait-for.ts";

/** Every screen there is, each with something on it, by the name of its picture. */
export async function screensOf(db: Database): Promise<(readonly [name: string, path: string])[]> {
  const [found] = await db.query<
    Record<"statement" | "payout" | "made" | "transaction" | "receipts" | "receipt" | "month", string>
  >(
    `select (select max(id)::text from tieout.statements) as statement,
            (select min(id)::text from tieout.payouts) as payout,
            (select max(id)::text from tieout.receipt_files) as receipts,
            (select max(id)::text from tieout.receipt_lines) as receipt,
            to_char(now() at time zone 'UTC' + interval '1 day', 'YYYY-MM') as month,
            (select id from tieout.exports order by created_at limit 1) as made,
            (select transaction_id from tieout.matches where state = 'active' order by id limit 1) as transaction`,
  );
  return [
    ["overview", "/overview"],
    ["transactions", "/transactions"],
    ["transaction", `/transactions/one?account=acme-eu&id=${found?.transaction}`],
    ["discrepancies", "/discrepancies"],
    ["payouts", "/payouts"],
    ["payout", `/payouts/${found?.payout}`],
    ["statements", "/statements"],
    ["statement", `/statements/${found?.statement}`],
    ["close", "/close"],
    ["close-month", `/close/${found?.month}?account=acme-eu`],
    ["line", `/statements/${found?.statement}/lines/4`],
    ["receipts", "/receipts"],
    ["receipt-file", `/receipts/${found?.receipts}`],
    ["receipt-line", `/receipts/lines/${found?.receipt}`],
    ["found", "/find?q=moonpay-2026-11.csv"],
    ["find", "/find"],
    ["fees", "/fees"],
    ["reports", "/reports"],
    ["report", "/reports/receivable.v1?from=&to_day=&partial=true"],
    ["report-wide", "/reports/transactions.v1?from=&to_day=&partial=true"],
    ["exports", "/exports"],
    ["export", `/exports/${found?.made}`],
    ["sync", "/sync"],
    ["execution", "/execution"],
    ["quarantine", "/sync/quarantine"],
    ["people", "/people"],
    ["approvals", "/approvals"],
    ["settings", "/settings"],
    ["keys", "/settings/keys"],
    ["audit", "/settings/audit"],
    ["erasures", "/settings/erasures"],
    ["passkeys", "/passkeys"],
    ["webhooks", "/settings/webhooks"],
    ["saved-views", "/settings/views"],
    ["alerts", "/settings/alerts"],
    ["start", "/settings/start"],
    ["providers", "/settings/providers"],
    ["provider", "/settings/providers/moonpay?account=acme-eu"],
    ["profiles", "/settings/profiles?account=acme-eu"],
    ["profile", "/settings/profiles/moonpay?account=acme-eu"],
    ["profile-maker", "/settings/profile-maker"],
  ];
}

/** One export, written. */
export async function makeExport(service: ApiUnderTest, key: string): Promise<void> {
  const body = { report: "transactions", parameters: { partial: true } };
  const { json } = await service.send("POST", "/v1/exports", key, body);
  await waitFor("the export is written", async () => {
    const { json: now } = await service.get(`/v1/exports/${String(json["id"])}`, key);
    return now["state"] === "succeeded";
  });
}
