import { exactIsoTime } from "../../api/present.ts";
import { listMirrored } from "../../store/transactions/mirror-reads.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { Panel } from "../parts/blocks.tsx";
import { indentJson } from "./indent-json.ts";

export interface ReceivedRecord {
  recordHash: string;
  json: string;
}

const recordsShown = 50;

/** Every distinct record, as it was received. `null`: it holds a wallet address, which this key may not see. */
export async function receivedRecords(
  visitor: Visitor,
  row: TransactionRow,
): Promise<ReceivedRecord[] | null> {
  if (!may(visitor, "wallets:read")) return null;
  const { rows } = await listMirrored(
    { ...visitor.reader, accountIds: [row.account_id] },
    { from: null, to: null, transactionIds: [row.transaction_id] },
    { limit: recordsShown, after: null },
  );
  return rows.map(({ record_hash, status_date, record }) => ({
    recordHash: record_hash,
    json: indentJson(`{"statusDate":${JSON.stringify(exactIsoTime(status_date))},${record}`),
  }));
}

export function ReceivedRecords({ records }: { records: ReceivedRecord[] | null }) {
  return (
    <Panel title="Record as received" id="received">
      {records === null ? (
        <p class="muted">
          Records hold wallet addresses in full, and none of your roles has <code>wallets:read</code>.
        </p>
      ) : (
        records.toReversed().map(({ recordHash, json }, index) => (
          <details open={index === 0}>
            <summary>
              {index === 0 ? "Latest" : "Earlier"} <code>{recordHash.slice(0, 16)}…</code>
            </summary>
            <pre tabindex={0} dir="ltr">
              <code>{json}</code>
            </pre>
          </details>
        ))
      )}
    </Panel>
  );
}
