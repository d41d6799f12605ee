import { formatInstant } from "../../core/instant.ts";
import { recordsOf, statusesOf, type JournalEntry } from "../checkout/purchase.ts";
import { writeRecord, type SandboxRecord } from "../record.ts";

/** One status of one order, told to the account that owns it. */
export interface OrderEvent {
  /** The same for every attempt to deliver it, and after a restart. */
  readonly id: string;
  readonly transactionId: string;
  readonly apiKey: string;
  /** When the status came true. */
  readonly atMs: number;
  /** Later ones of the same order have higher numbers. */
  readonly step: number;
  readonly body: string;
}

/** The events of an order that have come true by then. */
export function eventsOf(
  entry: JournalEntry,
  nowMs: number,
  present: (record: SandboxRecord) => SandboxRecord,
): OrderEvent[] {
  const { transactionId, apiKey } = entry.purchase;
  const records = recordsOf(entry, nowMs, true);
  return statusesOf(entry)
    .filter(({ atMs }) => atMs <= nowMs)
    .map(({ status, atMs }, step) => {
      const record = records[step];
      if (!record) throw new RangeError("an order has one record for each status");
      return {
        id: `evt_${transactionId}_${step}`,
        transactionId,
        apiKey,
        atMs,
        step,
        // By hand, because amounts must keep their digits.
        body: `{"type":"transaction.${status}","timestamp":"${formatInstant(atMs)}","data":${writeRecord(present(record))}}`,
      };
    });
}
