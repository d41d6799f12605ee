import type { Database } from "../../src/store/database.ts";

/** What the routes of alerts are asked in the table of `access.test.ts`. */
let ruleId = "";
const aRule = { kind: "data_old", limit_seconds: 900 };
const oneRule = () => `/v1/alert-rules/${ruleId}`;

export const alertRequests = {
  "GET /v1/alerts": { path: "/v1/alerts" },
  "GET /v1/alert-rules": { path: "/v1/alert-rules" },
  "POST /v1/alert-rules": { path: "/v1/alert-rules", method: "POST", body: aRule },
  "GET /v1/alert-rules/:id": { path: oneRule },
  "PATCH /v1/alert-rules/:id": { path: oneRule, method: "PATCH", body: { by_email: true } },
  "DELETE /v1/alert-rules/:id": { path: "/v1/alert-rules/arl_999999", method: "DELETE" },
  "GET /v1/alert-recipients": { path: "/v1/alert-recipients" },
  "POST /v1/alert-recipients": {
    path: "/v1/alert-recipients",
    method: "POST",
    body: { address: "ada@example.com" },
  },
  "DELETE /v1/alert-recipients/:id": { path: "/v1/alert-recipients/arc_0", method: "DELETE" },
};

/** A mail tells of every account. */
export const alertsOfAll = Object.keys(alertRequests).filter((route) => route.includes("recipients"));

/** A rule of one account, and what it has found. */
export async function keepAlert(
  db: Database,
  accountId: number,
  makeRule: (body: object) => Promise<{ json: Record<string, unknown> }>,
): Promise<void> {
  ruleId = String((await makeRule(aRule)).json["id"]);
  await db.query(
    `insert into tieout.alerts (rule_id, account_id, kind, subject, title, path)
     values ($1, $2, 'data_old', 'account', 'Data is old', '/sync')`,
    [Number(ruleId.slice("arl_".length)), accountId],
  );
}
