import { decimalFromUnits } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import { absolute, type BankFile, type FilePiece } from "./bank-file.ts";

/** What came to a wallet and left it, as explorers of chains export it. */
export function* writeChainCsv({ accounts, bookings }: BankFile): Generator<FilePiece> {
  yield { text: "hash,time,wallet,direction,amount,asset,from\n", booking: null };
  for (const { number, fiat, bookings: places } of accounts) {
    for (const at of places) {
      const booking = bookings[at];
      if (booking === undefined) continue;
      const { hash, dateMs, amount, counterparty } = booking;
      const cells = [
        hash ?? "",
        formatInstant(dateMs),
        number,
        amount < 0n ? "out" : "in",
        decimalFromUnits(absolute(amount), fiat.minorUnits),
        fiat.code,
        counterparty,
      ];
      yield { text: `${cells.join(",")}\n`, booking: at };
    }
  }
}
