import { decimalFromUnits } from "../../core/decimal.ts";
import { absolute, type BankFile, dayOf, type FilePiece } from "./bank-file.ts";

/** As someone downloads it from a bank in London: all accounts in one file, and the hyphens of references gone. */
export function* writeBankCsv({ accounts, bookings }: BankFile): Generator<FilePiece> {
  yield {
    text: "Date,Account Number,Payer,Description,Reference,Bank Reference,Paid In,Paid Out,Currency\n",
    booking: null,
  };
  for (const { number, fiat, bookings: places } of accounts) {
    for (const at of places) {
      const booking = bookings[at];
      if (booking === undefined) continue;
      const { dateMs, amount, counterparty, text, endToEndId, bankReference } = booking;
      const [year = "", month = "", day = ""] = dayOf(dateMs).split("-");
      const money = grouped(decimalFromUnits(absolute(amount), fiat.minorUnits));
      const cells = [
        `${day}/${month}/${year}`,
        number,
        counterparty.toUpperCase(),
        text.toUpperCase(),
        (endToEndId ?? "").replaceAll("-", ""),
        bankReference,
        amount < 0n ? "" : money,
        amount < 0n ? money : "",
        fiat.code,
      ];
      yield {
        text: `${cells.map((cell) => (cell.includes(",") ? `"${cell}"` : cell)).join(",")}\n`,
        booking: at,
      };
    }
  }
}

function grouped(amount: string): string {
  const [whole = "", places] = amount.split(".");
  const thousands = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ",");
  return places === undefined ? thousands : `${thousands}.${places}`;
}
