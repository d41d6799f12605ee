import { type AccountReader, conditionsFor } from "./conditions.ts";
import type { TransactionKey } from "./status-reads.ts";

export interface StoryWindow {
  id: string;
  kind: string;
  range_from: string;
  range_to: string;
  sealed_at: string | null;
}

export interface FindingRow {
  finding: string;
  found_at: string;
  window_id: string;
}

/** The windows that read something of a transaction, by their number. */
export async function storyWindows(
  reader: AccountReader,
  windowIds: readonly string[],
): Promise<Map<string, StoryWindow>> {
  const conditions = conditionsFor(reader, "w.account_id");
  conditions.add(`w.id = any(${conditions.bind(windowIds)}::bigint[])`);
  const rows = await reader.database.query<StoryWindow & Record<string, unknown>>(
    `select w.id::text, w.kind, w.range_from::text, w.range_to::text, w.sealed_at::text
     from tieout.sync_windows as w
     where ${conditions.toSql()}`,
    conditions.values,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What deep re-reads found of a transaction. */
export async function listFindings(reader: AccountReader, key: TransactionKey): Promise<FindingRow[]> {
  const conditions = conditionsFor(reader, "f.account_id");
  conditions.add(`f.account_id = ${conditions.bind(key.accountId)}`);
  conditions.add(`f.transaction_id = ${conditions.bind(key.transactionId)}`);
  return reader.database.query<FindingRow & Record<string, unknown>>(
    `select f.finding, f.found_at::text, f.window_id::text
     from tieout.sync_findings as f
     where ${conditions.toSql()}
     order by f.found_at, f.window_id
     limit 1000`,
    conditions.values,
  );
}
