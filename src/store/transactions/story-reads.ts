import { type AccountReader, type Conditions, conditionsFor } from "../conditions.ts";
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
  const conditions = ofTransaction(reader, "f", key);
  return reader.database.query<FindingRow & Record<string, unknown>>(
    `select f.finding, f.found_at::text, f.window_id::text
     from tieout.sync_findings as f
     where ${conditions.toSql()}
     order by f.found_at, f.window_id
     limit 1000`,
    conditions.values,
  );
}

export interface StoryMatch {
  role: string;
  rule: string;
  matched_at: string;
  made_by: string;
  ended_at: string | null;
  ended_by: string | null;
  ended_reason: string | null;
  line_id: string;
  line_type: string;
  statement_id: string;
  file_name: string;
  line_no: number;
}

/** The statement lines that stand or stood for a transaction. Suggestions are not part of what happened. */
export async function listStoryMatches(reader: AccountReader, key: TransactionKey): Promise<StoryMatch[]> {
  const conditions = ofTransaction(reader, "m", key);
  return reader.database.query<StoryMatch & Record<string, unknown>>(
    `select m.role, m.rule, m.matched_at::text, tieout.actor_name(m.made_by) as made_by, m.ended_at::text,
            tieout.actor_name(m.ended_by) as ended_by, m.ended_reason,
            l.id::text as line_id, l.line_type, place.statement_id::text, s.file_name, place.line_no
     from tieout.matches as m
     join tieout.statement_lines as l on l.id = m.line_id
     join tieout.line_files as place on place.line_id = l.id
     join tieout.statements as s on s.id = place.statement_id
     where ${conditions.toSql()}
       and m.rule <> 'suggested'
     order by m.matched_at, m.id
     limit 1000`,
    conditions.values,
  );
}

export interface StoryDiscrepancyEvent {
  discrepancy_id: string;
  code: string;
  at: string;
  actor: string;
  event: string;
  state: string;
  owner: string | null;
  reason: string | null;
}

/** What was raised about a transaction, and what people and later facts made of it. */
export async function listStoryDiscrepancies(
  reader: AccountReader,
  key: TransactionKey,
): Promise<StoryDiscrepancyEvent[]> {
  const conditions = ofTransaction(reader, "d", key);
  return reader.database.query<StoryDiscrepancyEvent & Record<string, unknown>>(
    `select d.id::text as discrepancy_id, d.code, e.at::text, e.actor_name as actor, e.event, e.state, e.owner, e.reason
     from tieout.discrepancies as d
     join tieout.discrepancy_events as e on e.discrepancy_id = d.id
     where ${conditions.toSql()}
     order by e.at, e.id
     limit 1000`,
    conditions.values,
  );
}

function ofTransaction(reader: AccountReader, table: string, key: TransactionKey): Conditions {
  const conditions = conditionsFor(reader, `${table}.account_id`);
  conditions.add(`${table}.account_id = ${conditions.bind(key.accountId)}`);
  conditions.add(`${table}.transaction_id = ${conditions.bind(key.transactionId)}`);
  return conditions;
}
