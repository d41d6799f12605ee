import type { BankFile, FilePiece } from "./bank-file.ts";
import { writeCamt053 } from "./camt053.ts";
import { writeChainCsv } from "./chain-csv.ts";
import { writeBankCsv } from "./csv.ts";
import { writeMt940 } from "./mt940.ts";

/** Where the account holder keeps money, one account for each currency, and how that bank writes its statements. */
export interface Bank {
  readonly id: string;
  readonly name: string;
  /** As accounts of it begin. */
  readonly country: string;
  readonly format: "camt053" | "mt940" | "csv" | "chain_csv";
  readonly extension: string;
  readonly contentType: string;
  readonly write: (file: BankFile) => Generator<FilePiece>;
  /** Who pays to it; `null`: everyone else. */
  readonly providers: readonly string[] | null;
  /** Tells what was sent in another currency. */
  readonly tellsOriginal: boolean;
  /** Tells what banks on the way have kept. */
  readonly tellsCharges: boolean;
}

export const banks: readonly Bank[] = [
  {
    id: "hansebank",
    name: "Hansebank",
    country: "DE",
    format: "camt053",
    extension: "xml",
    contentType: "application/xml; charset=utf-8",
    write: writeCamt053,
    providers: null,
    tellsOriginal: true,
    tellsCharges: true,
  },
  {
    id: "polderbank",
    name: "Polderbank",
    country: "NL",
    format: "mt940",
    extension: "sta",
    contentType: "text/plain; charset=utf-8",
    write: writeMt940,
    providers: ["ramp", "mercuryo"],
    tellsOriginal: false,
    tellsCharges: false,
  },
  {
    id: "thamesbank",
    name: "Thames Bank",
    country: "GB",
    format: "csv",
    extension: "csv",
    contentType: "text/csv; charset=utf-8",
    write: writeBankCsv,
    providers: ["topper", "koywe"],
    tellsOriginal: false,
    tellsCharges: false,
  },
  /** For layouts that pay in a coin: nothing but the hash says what a transfer is for. */
  {
    id: "wallet",
    name: "Wallet",
    country: "W",
    format: "chain_csv",
    extension: "csv",
    contentType: "text/csv; charset=utf-8",
    write: writeChainCsv,
    providers: [],
    tellsOriginal: false,
    tellsCharges: false,
  },
];

export function bankOf(provider: string): Bank {
  const own = banks.find(({ providers }) => providers?.includes(provider));
  const usual = banks.find(({ providers }) => providers === null);
  if (usual === undefined) throw new TypeError("one bank has to take what no other takes");
  return own ?? usual;
}
