import { z } from "@hono/zod-openapi";
import { detailColumns, type DetailField, detailFields, recordFields } from "../../core/record-fields.ts";
import { isFinalStatus } from "../../core/status.ts";
import type { RecordRow } from "../../store/transactions/record-columns.ts";
import type { StatusReadRow } from "../../store/transactions/status-reads.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { time } from "../object.ts";
import { isoTime, jsonWith, maskWallet, type Sight, windowId } from "../present.ts";

export function presentTransaction(
  row: TransactionRow,
  sight: Sight,
  expanded: { statuses?: readonly StatusReadRow[] } = {},
): string {
  const { statuses } = expanded;
  const members = { extra: presentExtra(row.extra, sight) };
  return jsonWith(
    {
      object: "transaction",
      id: row.transaction_id,
      ...recordMembers(row, sight),
      is_final: row.is_final,
      first_seen_at: isoTime(row.first_seen_at),
      last_changed_at: isoTime(row.last_changed_at),
      missing_since: isoTime(row.missing_since),
    },
    statuses === undefined
      ? members
      : { ...members, statuses: `[${statuses.map((status) => presentStatus(status, sight)).join(",")}]` },
  );
}

export function presentStatus(row: StatusReadRow, sight: Sight): string {
  return jsonWith(
    {
      object: "transaction_status",
      id: row.record_hash,
      transaction_id: row.transaction_id,
      ...recordMembers(row, sight),
      is_final: isFinalStatus(row.status),
      is_latest: row.is_latest,
      received_status: row.received_status ?? row.status,
      window: windowId(row.window_id),
      first_seen_at: isoTime(row.first_seen_at),
    },
    { extra: presentExtra(row.extra, sight) },
  );
}

function recordMembers(row: RecordRow, sight: Sight) {
  return {
    account: row.account,
    status: row.status,
    status_date: isoTime(row.status_date),
    ...detailsOf(row, sight),
    record_hash: row.record_hash,
    hash_version: row.hash_version,
  };
}

function detailsOf(row: RecordRow, sight: Sight): Record<string, string | null> {
  const details = Object.fromEntries(detailColumns.map((column) => [column, row[column]]));
  return sight.wallets ? details : { ...details, wallet_address: maskWallet(row.wallet_address) };
}

/** Unknown fields may hold an address under another name: who may not see one sees none of them then. */
function presentExtra(extra: string | null, sight: Sight): string {
  if (extra === null) return "{}";
  return sight.wallets || !/wallet|address/i.test(extra) ? extra : "null";
}

const detailNotes: Partial<Record<DetailField, string>> = {
  transactionType: "buy or sell.",
  inAmount: "Exact decimal of source_currency.",
  outAmount: "Exact decimal of target_currency.",
  transactionHash: "The chain's; empty until there is one.",
  walletAddress: "`first4…last4` without wallets:read.",
  apiKey: "The aggregator's key identifier in the record.",
};

function detailSchemas(): Record<string, z.ZodNullable<z.ZodString>> {
  return Object.fromEntries(
    detailFields.map((field) => {
      const description = detailNotes[field];
      const schema = z.string().nullable();
      return [recordFields[field].column, description ? schema.openapi({ description }) : schema];
    }),
  );
}

const record = {
  account: z.string().openapi({ description: "The account it belongs to." }),
  status: z
    .string()
    .openapi({ description: "new, pending, paid, completed, canceled, failed, or a word as received." }),
  status_date: time.openapi({ description: "The aggregator's time of the status." }),
  ...detailSchemas(),
  record_hash: z.string().openapi({ description: "SHA-256 of the record's content; see hash_version." }),
  hash_version: z.int(),
  is_final: z.boolean().openapi({ description: "Whether the status normally changes no more." }),
  first_seen_at: time.openapi({ description: "When we first read it." }),
  extra: z.record(z.string(), z.unknown()).nullable().openapi({
    description: "Fields the aggregator sends beyond its specification; null when they are hidden.",
  }),
};

const statusSchema = z
  .strictObject({
    object: z.literal("transaction_status"),
    id: z.string(),
    transaction_id: z.string(),
    ...record,
    is_latest: z.boolean(),
    received_status: z.string().openapi({ description: "The word received; status is what it stands for." }),
    window: z.string().openapi({ description: "The window that first read it." }),
  })
  .openapi("TransactionStatus");

const transactionSchema = z
  .strictObject({
    object: z.literal("transaction"),
    id: z.string(),
    ...record,
    last_changed_at: time.openapi({ description: "When its latest status row changed here." }),
    missing_since: time
      .nullable()
      .openapi({ description: "Since when the aggregator does not serve it any more." }),
    statuses: z.array(statusSchema).optional().openapi({ description: "With expand[]=statuses." }),
  })
  .openapi("Transaction");

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
  extra: null,
  first_seen_at: "2026-11-14 09:57:10.4+00",
};

const masked: Sight = { wallets: false };

export const transaction = {
  schema: transactionSchema,
  example: JSON.parse(
    presentTransaction(
      {
        ...recordExample,
        is_final: true,
        last_changed_at: "2026-11-14 09:57:10.4+00",
        missing_since: null,
      },
      masked,
    ),
  ) as z.output<typeof transactionSchema>,
};

export const transactionStatus = {
  schema: statusSchema,
  example: JSON.parse(
    presentStatus({ ...recordExample, is_latest: true, received_status: null, window_id: "4711" }, masked),
  ) as z.output<typeof statusSchema>,
};
