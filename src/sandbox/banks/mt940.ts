import { decimalFromUnits } from "../../core/decimal.ts";
import type { Fiat } from "../world/types.ts";
import { absolute, type BankFile, type Booking, closingOf, dayOf, type FilePiece } from "./bank-file.ts";

/** SWIFT's MT940, a message for each account, with labels in the text as Dutch banks write them. */
export function* writeMt940(file: BankFile): Generator<FilePiece> {
  const { period, accounts, bookings } = file;
  for (const account of accounts) {
    const { number, fiat, opening } = account;
    const closing = closingOf(file, account);
    const head = [
      `:20:${period.name}`,
      `:25:${number}`,
      ":28C:1/1",
      `:60F:${balanceOf(opening, fiat, period.fromMs)}`,
    ];
    yield { text: `${head.join("\n")}\n`, booking: null };
    for (const at of account.bookings) {
      const booking = bookings[at];
      if (booking !== undefined) yield { text: `${fieldsOf(booking, fiat)}\n`, booking: at };
    }
    yield { text: `:62F:${balanceOf(closing, fiat, period.toMs - 1)}\n-\n`, booking: null };
  }
}

function fieldsOf(booking: Booking, fiat: Fiat): string {
  const { dateMs, amount, bankReference, endToEndId, counterparty, text } = booking;
  const day = shortDay(dateMs);
  const mark = amount < 0n ? "D" : "C";
  const told = `/TRTP/SEPA OVERBOEKING/NAME/${counterparty}/REMI/${text}/EREF/${endToEndId ?? "NOTPROVIDED"}`;
  const lines = told.match(/.{1,65}/g) ?? [];
  return `:61:${day}${day.slice(2)}${mark}${moneyOf(amount, fiat)}NTRFNONREF//${bankReference}\n:86:${lines.join("\n")}`;
}

function balanceOf(amount: bigint, fiat: Fiat, ms: number): string {
  return `${amount < 0n ? "D" : "C"}${shortDay(ms)}${fiat.code}${moneyOf(amount, fiat)}`;
}

/** The comma is there even where nothing comes after it. */
function moneyOf(amount: bigint, fiat: Fiat): string {
  const [whole = "0", places = ""] = decimalFromUnits(absolute(amount), fiat.minorUnits).split(".");
  return `${whole},${places}`;
}

function shortDay(ms: number): string {
  return dayOf(ms).slice(2).replaceAll("-", "");
}
