import { z } from "@hono/zod-openapi";
import { type DetailField, detailFields, type RecordColumn, recordFields } from "../../core/record-fields.ts";
import { isFinalStatus } from "../../core/status.ts";
import type { RecordRow } from "../../store/transactions/record-columns.ts";
import type { StatusReadRow } from "../../store/transactions/status-reads.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { jsonWith, maskWallet, type Sight, windowId } from "../present.ts";

const detailNotes: Partial<Record<DetailField, string>> = {
  transactionType: "buy or sell.",
  inAmount: "Exact decimal of source_currency.",
  outAmount: "Exact decimal of target_currency.",
  transactionHash: "The chain's; empty until there is one.",
  walletAddress: "`first4…last4` without wallets:read.",
  apiKey: "The aggregator's key identifier in the record.",
};

type Details = Record<RecordColumn<DetailField>, z.ZodNullable<z.ZodString>>;

const record = {
  account: z.string().describe("The account it belongs to."),
  status: z.string().describe("new, pending, paid, completed, canceled, failed, or a word as received."),
  status_date: time.describe("The aggregator's time of the status."),
  ...(Object.fromEntries(
    detailFields.map((field) => {
      const description = detailNotes[field];
      const schema = z.string().nullable();
      return [recordFields[field].column, description ? schema.openapi({ description }) : schema];
    }),
  ) as Details),
  record_hash: z.string().describe("SHA-256 of the record's content; see hash_version."),
  hash_version: z.int(),
  is_final: z.boolean().describe("Whether the status is normally the last."),
};

const firstSeenAt = time.describe("When we first read it.");

const extra = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe("Fields the aggregator sends beyond its specification; null when they are hidden.");

const recordExample = {
  account_id: 1,
  account: "default",
  transaction_id: "01HD670DNG2MNSDS4XGJ1EESV7",
  status: "completed",
  status_rank: 4,
  status_date: "2026-11-14 09:56:42.012+00",
  transaction_type: "buy",
  provider: "moonpay",
  provider_transaction_id: "5f6a1f2e-97a5-4b8e-9a53-0d7b2c1e4f10",
  payment_method: "creditcard",
  country: "de",
  source_currency: "eur",
  in_amount: "100.5",
  target_currency: "btc",
  out_amount: "0.00152087",
  transaction_hash: "9f2c4e7a1b3d5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8",
  wallet_address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf8x2k",
  api_key: "pk_prod_example",
  record_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  hash_version: 1,
  first_seen_at: "2026-11-14 09:57:10.4+00",
};

const masked: Sight = { wallets: false };

const walletFor = ({ wallet_address }: RecordRow, { wallets }: Sight) =>
  wallets ? wallet_address : maskWallet(wallet_address);

const knownOfTransaction = describeObject({
  name: "Transaction",
  object: "transaction",
  members: {
    id: z.string(),
    ...record,
    first_seen_at: firstSeenAt,
    last_changed_at: time.describe("When its latest status row changed here."),
    missing_since: time.nullable().describe("The time since which the aggregator no longer returns it."),
  },
  present: (row: TransactionRow, sight: Sight) => ({
    id: row.transaction_id,
    wallet_address: walletFor(row, sight),
  }),
  example: { ...recordExample, is_final: true, last_changed_at: "2026-11-14 09:57:10.4+00" },
  exampleWith: [masked],
});

const knownOfStatus = describeObject({
  name: "TransactionStatus",
  object: "transaction_status",
  members: {
    id: z.string(),
    transaction_id: z.string(),
    ...record,
    is_latest: z.boolean(),
    received_status: z.string().describe("The word received; status is what it means."),
    window: z.string().describe("The window that first read it."),
    first_seen_at: firstSeenAt,
  },
  present: (row: StatusReadRow, sight: Sight) => ({
    id: row.record_hash,
    wallet_address: walletFor(row, sight),
    is_final: isFinalStatus(row.status),
    received_status: row.received_status ?? row.status,
    window: windowId(row.window_id),
  }),
  example: { ...recordExample, is_latest: true, received_status: null, window_id: "4711" },
  exampleWith: [masked],
});

export const transactionStatus = withMembers(knownOfStatus, "TransactionStatus", { extra }, { extra: {} });

export const transaction = withMembers(
  knownOfTransaction,
  "Transaction",
  {
    extra,
    statuses: z.array(transactionStatus.schema).optional().describe("With expand[]=statuses."),
  },
  { extra: {}, statuses: undefined },
);

/** As JSON text, as are statuses: numbers in `extra` may have more digits than a double. */
export function presentTransaction(
  row: TransactionRow,
  sight: Sight,
  { statuses }: { statuses?: readonly StatusReadRow[] } = {},
): string {
  return jsonWith(knownOfTransaction.present(row, sight), {
    extra: presentExtra(row.extra, sight),
    ...(statuses && { statuses: `[${statuses.map((status) => presentStatus(status, sight)).join(",")}]` }),
  });
}

export function presentStatus(row: StatusReadRow, sight: Sight): string {
  return jsonWith(knownOfStatus.present(row, sight), { extra: presentExtra(row.extra, sight) });
}

/** Unknown fields may hold an address under another name: who may not see one sees none of them then. */
function presentExtra(text: string | null, sight: Sight): string {
  if (text === null) return "{}";
  return sight.wallets || !/wallet|address/i.test(text) ? text : "null";
}
