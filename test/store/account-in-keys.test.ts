import { expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

/**
 * A table can be spread over machines by account when each of its unique keys begins with the account (docs/scaling.md).
 * Those that hold history do; these do not, and for each there is a reason. A new table begins its keys with account_id,
 * or comes in here.
 */
const exceptions = {
  "belongs to the whole service, or to no account: small, and the same on every machine": [
    "accounts",
    "alert_rules",
    "alert_settings",
    "alerts",
    "api_keys",
    "approval_events",
    "approvals",
    "audit_log",
    "currency_words",
    "daily_totals_progress",
    "exports",
    "heartbeats",
    "idempotency_keys",
    "migrations",
    "passkeys",
    "people",
    "person_identities",
    "rates",
    "reader_roles",
    "rule_changes",
    "saved_views",
    "sessions",
    "sign_in_attempts",
    "sign_in_links",
    "sign_in_states",
    "webhook_deliveries",
    "webhook_endpoints",
    "write_off_limits",
  ],
  "grows with what people and workers do, not with transactions: stays on one machine": [
    "account_settings",
    "attachments",
    "carried_discrepancies",
    "deep_read_seen",
    "erasure_requests",
    "erasure_seals",
    "erasures",
    "events",
    "fee_schedules",
    "fee_terms",
    "forgotten_files",
    "period_events",
    "provider_settings",
    "quote_asks",
    "receipt_file_bytes",
    "receipt_files",
    "receipt_lines",
    "receipt_matches",
    "receipt_retirements",
    "receipt_rows",
    "reconcile_runs",
    "statement_files",
    "statements",
    "sync_findings",
    "sync_windows",
  ],
  "grows with statements, and is named by one number in links and files: the account would have to come before it":
    [
      "decisions",
      "discrepancies",
      "discrepancy_events",
      "findings",
      "line_carriers",
      "line_retirements",
      "matches",
      "payout_history",
      "payouts",
      "statement_lines",
      "statement_rows",
    ],
};

test("every unique key begins with the account, and the exceptions are the stated ones", async () => {
  const keys = await readUniqueKeys();
  const without = new Set(
    keys.filter(({ columns }) => columns[0] !== "account_id").map(({ table }) => table),
  );
  const stated = Object.values(exceptions).flat();
  expect(new Set(stated).size).toBe(stated.length);
  expect([...without].toSorted()).toEqual(stated.toSorted());
});

test.each(["transactions", "transaction_statuses"])(
  "%s is held by a key that begins with the account",
  async (table) => {
    const keys = (await readUniqueKeys()).filter((key) => key.table === table);
    expect(keys.length).toBeGreaterThan(0);
    for (const { columns } of keys) expect(columns[0]).toBe("account_id");
  },
);

/** Expressions count as columns without a name; the keys of partitions are those of their tables. */
async function readUniqueKeys(): Promise<{ table: string; columns: (string | null)[] }[]> {
  return database.db.query(
    `select c.relname as table,
            array(select a.attname::text
                  from unnest(i.indkey) with ordinality as part (attnum, place)
                  left join pg_attribute as a
                    on a.attrelid = i.indrelid and a.attnum = part.attnum and part.attnum > 0
                  where part.place <= i.indnkeyatts
                  order by part.place) as columns
     from pg_index as i
     join pg_class as c on c.oid = i.indrelid
     where i.indisunique
       and c.relnamespace = 'tieout'::regnamespace
       and not c.relispartition`,
  );
}
