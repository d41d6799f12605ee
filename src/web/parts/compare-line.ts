import { maskWallet } from "../../api/present.ts";
import { type Decimal, parseDecimal, subtractDecimals } from "../../core/decimal.ts";
import type { LineWithFile } from "../../store/statements/statement-rows.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { currencyParts } from "../format.ts";
import type { Amount, ComparedField } from "./side-by-side.tsx";

type Line = Omit<LineWithFile, "fileName">;

/** By how much the line differs, leg by leg; `null`: not compared. */
export interface LegDifferences {
  inDifference: string | null;
  outDifference: string | null;
}

/**
 * A line and a transaction, field by field. A match knows its differences, with what its provider rounds; others are
 * subtracted. What was found about the pair decides over what can be seen here: aliases and status words need the profile.
 */
export function compareLine(
  line: Line,
  row: TransactionRow,
  visitor: Visitor,
  known: { differences?: LegDifferences; found?: readonly Found[] } = {},
): ComparedField[] {
  const { zone } = visitor.preferences;
  const wallet = (address: string | null) => (may(visitor, "wallets:read") ? address : maskWallet(address));
  const { given, got } = legsOf(line, row);
  const ours = {
    given: { amount: row.in_amount, currency: row.source_currency },
    got: { amount: row.out_amount, currency: row.target_currency },
  };
  const differences = known.differences ?? {
    inDifference: differenceOf(ours.given, given),
    outDifference: differenceOf(ours.got, got),
  };
  const fields: ComparedField[] = [
    { name: "Direction", ours: row.transaction_type, theirs: line.side, kind: "text" },
    {
      name: "Status",
      ours: row.status,
      theirs: `${line.status} (${line.providerStatus ?? "no word"})`,
      kind: "note",
    },
    {
      name: "Customer paid",
      kind: "money",
      ours: ours.given,
      theirs: given,
      difference: differences.inDifference,
    },
    {
      name: "Customer received",
      kind: "money",
      ours: ours.got,
      theirs: got,
      difference: differences.outDifference,
    },
    {
      name: "Fees",
      ours: null,
      theirs: line.feeTotal === null ? null : `${line.feeTotal} ${line.feeCurrency ?? ""}`,
      kind: "note",
    },
    {
      name: "Provider’s id",
      ours: row.provider_transaction_id,
      theirs: line.providerTransactionId,
      kind: "text",
    },
    { name: "Chain hash", ours: row.transaction_hash, theirs: line.transactionHash, kind: "text" },
    { name: "Wallet", ours: wallet(row.wallet_address), theirs: wallet(line.walletAddress), kind: "text" },
    { name: "Time", kind: "time", ours: row.status_date, theirs: line.effectiveAt, zone },
  ];
  const found = (known.found ?? []).filter(({ lineId }) => lineId === line.id);
  const different = new Set(found.flatMap(({ code }) => fieldsOf(code, row, fields)));
  return fields.map((field) => (different.has(field.name) ? { ...field, isFound: true } : field));
}

/** What was found about a transaction and a line. */
export interface Found {
  code: string;
  lineId: number | null;
}

/** The fields that a discrepancy is about. */
function fieldsOf(code: string, row: TransactionRow, fields: readonly ComparedField[]): string[] {
  if (code === "network_mismatch")
    return [row.transaction_type === "sell" ? "Customer paid" : "Customer received"];
  if (code === "currency_mismatch") {
    return fields.flatMap((field) =>
      field.kind === "money" && codeOf(field.ours) !== codeOf(field.theirs) ? [field.name] : [],
    );
  }
  const name = fieldOfCode[code];
  return name === undefined ? [] : [name];
}

const fieldOfCode: Readonly<Record<string, string | undefined>> = {
  in_amount_mismatch: "Customer paid",
  out_amount_mismatch: "Customer received",
  direction_mismatch: "Direction",
  status_mismatch: "Status",
  unknown_status: "Status",
  hash_mismatch: "Chain hash",
  address_mismatch: "Wallet",
  dates_apart: "Time",
};

function codeOf({ currency }: Amount): string | null {
  return currency === null ? null : currencyParts(currency).code.toUpperCase();
}

/** What a customer gave and got, as the line says it: a buy gives money and gets crypto, a sell the other way round. */
function legsOf(line: Line, row: TransactionRow): { given: Amount; got: Amount } {
  const isBuy = row.transaction_type !== "sell";
  const fiat = {
    amount: isBuy ? (line.fiatGross ?? line.fiatNet) : line.fiatNet,
    currency: line.fiatCurrency,
  };
  const crypto = {
    amount: line.cryptoAmount,
    currency:
      line.asset === null ? null : line.network === null ? line.asset : `${line.asset}_${line.network}`,
  };
  return isBuy ? { given: fiat, got: crypto } : { given: crypto, got: fiat };
}

/** Amounts of one currency only; where one side names no network, the other's is not held against it. */
function differenceOf(ours: Amount, theirs: Amount): Decimal | null {
  const [mine, other] = [parseDecimal(ours.amount ?? ""), parseDecimal(theirs.amount ?? "")];
  if (mine === null || other === null || ours.currency === null || theirs.currency === null) return null;
  if (codeOf(ours) !== codeOf(theirs)) return null;
  return subtractDecimals(other, mine);
}
