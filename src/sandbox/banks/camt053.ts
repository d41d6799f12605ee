import { decimalFromUnits } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import type { Fiat } from "../world/types.ts";
import { absolute, type BankFile, type Booking, closingOf, dayOf, type FilePiece } from "./bank-file.ts";

/** As ISO 20022 has it: one message, a statement for each account, a booking a line. */
export function* writeCamt053(file: BankFile): Generator<FilePiece> {
  const { period, accounts, bookings } = file;
  const plain = (text: string): FilePiece => ({ text: `${text}\n`, booking: null });
  yield plain('<?xml version="1.0" encoding="UTF-8"?>');
  yield plain('<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>');
  yield plain(
    `<GrpHdr><MsgId>M${period.name}</MsgId><CreDtTm>${formatInstant(period.toMs)}</CreDtTm></GrpHdr>`,
  );
  for (const account of accounts) {
    const { number, fiat, opening } = account;
    yield plain(
      `<Stmt><Id>${number}-${period.name}</Id><FrToDt><FrDtTm>${formatInstant(period.fromMs)}</FrDtTm>` +
        `<ToDtTm>${formatInstant(period.toMs - 1)}</ToDtTm></FrToDt>` +
        `<Acct><Id><IBAN>${number}</IBAN></Id><Ccy>${fiat.code}</Ccy></Acct>`,
    );
    yield plain(balance("OPBD", opening, fiat, dayOf(period.fromMs)));
    yield plain(balance("CLBD", closingOf(file, account), fiat, dayOf(period.toMs - 1)));
    yield plain(
      `<TxsSummry><TtlNtries><NbOfNtries>${account.bookings.length}</NbOfNtries></TtlNtries></TxsSummry>`,
    );
    for (const at of account.bookings) {
      const booking = bookings[at];
      if (booking !== undefined) yield { text: `${entryOf(booking, fiat)}\n`, booking: at };
    }
    yield plain("</Stmt>");
  }
  yield plain("</BkToCstmrStmt></Document>");
}

function balance(code: string, amount: bigint, fiat: Fiat, day: string): string {
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${money("Amt", amount, fiat)}` +
    `<CdtDbtInd>${amount < 0n ? "DBIT" : "CRDT"}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  );
}

function entryOf(booking: Booking, fiat: Fiat): string {
  const { amount, bankReference, dateMs, parts } = booking;
  const day = dayOf(dateMs);
  const details =
    parts.length > 0
      ? parts.map((part) => detailsOf({ ...booking, endToEndId: part.name }, money("Amt", part.amount, fiat)))
      : [detailsOf(booking, "")];
  return (
    `<Ntry>${money("Amt", amount, fiat)}<CdtDbtInd>${amount < 0n ? "DBIT" : "CRDT"}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${bankReference}</AcctSvcrRef>` +
    `${chargesOf(booking, fiat)}<NtryDtls>${details.join("")}</NtryDtls></Ntry>`
  );
}

function chargesOf({ charges }: Booking, fiat: Fiat): string {
  return charges === 0n ? "" : `<Chrgs>${money("TtlChrgsAndTaxAmt", charges, fiat)}</Chrgs>`;
}

function detailsOf({ endToEndId, sent, counterparty, text, amount }: Booking, own: string): string {
  const role = amount < 0n ? "Cdtr" : "Dbtr";
  const instructed =
    sent === null ? "" : `<AmtDtls><InstdAmt>${money("Amt", sent.amount, sent.fiat)}</InstdAmt></AmtDtls>`;
  return (
    `<TxDtls><Refs><EndToEndId>${endToEndId ?? "NOTPROVIDED"}</EndToEndId></Refs>${own}${instructed}` +
    `<RltdPties><${role}><Pty><Nm>${escaped(counterparty)}</Nm></Pty></${role}></RltdPties>` +
    `<RmtInf>${cut(text)
      .map((piece) => `<Ustrd>${escaped(piece)}</Ustrd>`)
      .join("")}</RmtInf></TxDtls>`
  );
}

/** Into the lines of the form on which transfers used to be written, wherever a word may end. */
function cut(text: string): string[] {
  return text.match(/.{1,35}/g) ?? [];
}

function money(element: string, amount: bigint, fiat: Fiat): string {
  return `<${element} Ccy="${fiat.code}">${decimalFromUnits(absolute(amount), fiat.minorUnits)}</${element}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
