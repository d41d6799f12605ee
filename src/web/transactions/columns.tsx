import type { Child } from "hono/jsx";
import { maskWallet } from "../../api/present.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { machineTime } from "../format.ts";
import { Given, GivenLink, type MoneyProps, Nothing, Status, Time } from "../parts/show.tsx";

/** One column of the list: how it looks on the screen, and what it is in the file. */
interface Column {
  label: string;
  /** Decimal points stand below each other. */
  money?: (row: TransactionRow) => MoneyProps;
  show: (row: TransactionRow, visitor: Visitor) => Child;
  file: Record<string, (row: TransactionRow, visitor: Visitor) => string | null>;
}

export const columns = {
  status_date: {
    label: "Status date",
    show: (row, { preferences }) => <Time at={row.status_date} zone={preferences.zone} />,
    file: { status_at: (row) => machineTime(row.status_date) },
  },
  transaction_id: {
    label: "Transaction",
    show: (row) => <GivenLink href={transactionPath(row)} text={row.transaction_id} mono />,
    file: { transaction_id: (row) => row.transaction_id },
  },
  account: textColumn("Account", "account"),
  status: {
    label: "Status",
    show: (row) => <Status status={row.status} />,
    file: { status: (row) => row.status },
  },
  transaction_type: textColumn("Type", "transaction_type"),
  provider: textColumn("Provider", "provider"),
  in_amount: {
    label: "Customer paid",
    show: () => null,
    money: (row) => ({ amount: row.in_amount, currency: row.source_currency }),
    file: { in_amount: (row) => row.in_amount, source_currency: (row) => row.source_currency },
  },
  out_amount: {
    label: "Customer received",
    show: () => null,
    money: (row) => ({ amount: row.out_amount, currency: row.target_currency }),
    file: { out_amount: (row) => row.out_amount, target_currency: (row) => row.target_currency },
  },
  payment_method: textColumn("Method", "payment_method"),
  country: textColumn("Country", "country"),
  provider_transaction_id: textColumn("Provider’s id", "provider_transaction_id", true),
  transaction_hash: textColumn("Chain hash", "transaction_hash", true),
  wallet_address: {
    label: "Wallet",
    show: (row, visitor) => <Given text={walletOf(row, visitor)} mono />,
    file: { wallet_address: walletOf },
  },
  first_seen_at: {
    label: "First read",
    show: (row, { preferences }) => <Time at={row.first_seen_at} zone={preferences.zone} />,
    file: { first_seen_at: (row) => machineTime(row.first_seen_at) },
  },
  last_changed_at: {
    label: "Changed here",
    show: (row, { preferences }) => <Time at={row.last_changed_at} zone={preferences.zone} />,
    file: { last_changed_at: (row) => machineTime(row.last_changed_at) },
  },
  missing_since: {
    label: "Missing since",
    show: (row, { preferences }) =>
      row.missing_since === null ? <Nothing /> : <Time at={row.missing_since} zone={preferences.zone} />,
    file: { missing_since: (row) => (row.missing_since === null ? null : machineTime(row.missing_since)) },
  },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof columns;

export const columnNames = Object.keys(columns) as ColumnName[];

const standardColumns: ReadonlySet<ColumnName> = new Set([
  "status_date",
  "transaction_id",
  "status",
  "transaction_type",
  "provider",
  "in_amount",
  "out_amount",
  "payment_method",
  "country",
]);

/** Those asked for, in our order; the usual ones when none of them is known. The id is always there: it is the row's name. */
export function chooseColumns(wanted: readonly string[]): ColumnName[] {
  const chosen = columnNames.filter((name) => wanted.includes(name));
  if (chosen.length === 0) return columnNames.filter((name) => standardColumns.has(name));
  return columnNames.filter((name) => chosen.includes(name) || name === "transaction_id");
}

export function isStandard(chosen: readonly ColumnName[]): boolean {
  return chosen.join() === columnNames.filter((name) => standardColumns.has(name)).join();
}

export function columnOf(name: ColumnName): Column {
  return columns[name];
}

/** As parameters: an id may hold anything, also what means something else in a path. */
export function transactionPath(row: { account: string; transaction_id: string }): string {
  return `/transactions/one?${new URLSearchParams({ account: row.account, id: row.transaction_id }).toString()}`;
}

function walletOf(row: TransactionRow, visitor: Visitor): string | null {
  return may(visitor, "wallets:read") ? row.wallet_address : maskWallet(row.wallet_address);
}

type TextField =
  | "account"
  | "transaction_type"
  | "provider"
  | "payment_method"
  | "country"
  | "provider_transaction_id"
  | "transaction_hash";

function textColumn(label: string, field: TextField, mono = false): Column {
  return {
    label,
    show: (row) => <Given text={row[field]} mono={mono} />,
    file: { [field]: (row) => row[field] },
  };
}
