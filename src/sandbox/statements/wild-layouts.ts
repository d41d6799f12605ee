import {
  address,
  everything,
  gross,
  hash,
  id,
  iso,
  type Layout,
  networkFee,
  ownFee,
  partnerFee,
  reference,
  same,
  status,
} from "./layout.ts";
import { cryptoText, fiatText, owed, type StatementLine } from "./line.ts";
import {
  american,
  americanDay,
  americanHour,
  berlin,
  blankIfZero,
  converted,
  creditOf,
  debitOf,
  english,
  entryId,
  german,
  germanKinds,
  ledgerKinds,
  marked,
  rateOf,
  sheetKinds,
  unitKinds,
} from "./wild-forms.ts";

const DAY = 86_400_000;
const ownFeeUnits = ({ processingFee, partnerFee: share }: StatementLine) => processingFee - share;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Layouts of nobody in particular, as careful and as careless providers write them. No profile was made from them: who
 * reads them has to say how. Asked for with `layout=`, for any provider.
 */
export const wildLayouts: Readonly<Record<string, Layout>> = {
  /** Careful, in its own language: decimal comma, local times, a preamble, and a count at the end. */
  hansa: {
    ...everything,
    name: "hansa",
    words: same({ settled: "ausgeführt", failed: "fehlgeschlagen", refunded: "erstattet" }),
    form: {
      delimiter: ";",
      preamble: ({ period }) => [
        ["Abrechnung", period.name],
        ["Erstellt", iso(period.toMs + 2 * DAY)],
        ["Von", iso(period.fromMs)],
        ["Bis", iso(period.toMs)],
        [],
      ],
      trailer: (lines) => [["Anzahl Zeilen", String(lines)], ["Ende"]],
    },
    columns: [
      ["Auftrag", id],
      ["Ihre Referenz", reference],
      ["Art", (line) => germanKinds[line.kind]],
      ["Richtung", (line) => (line.side === "buy" ? "Kauf" : "Verkauf")],
      ["Status", status],
      ["Währung", (line) => line.fiat.code],
      ["Brutto", (line) => german(gross(line))],
      ["Netto", (line) => german(fiatText(line, line.net))],
      ["Gebühr", (line) => german(ownFee(line))],
      ["Netzgebühr", (line) => german(networkFee(line))],
      ["Ihr Anteil", (line) => german(partnerFee(line))],
      ["Coin", (line) => line.asset.code],
      ["Netz", (line) => line.asset.network],
      ["Menge", (line) => cryptoText(line).replace(".", ",")],
      ["Hash", hash],
      ["Adresse", address],
      ["Gebucht am", (line) => berlin(line.effectiveMs)],
      ["Auszahlung", (line) => line.payoutId],
      [
        "Betrag der Auszahlung",
        (line) => (line.payoutAmount === null ? "" : german(fiatText(line, line.payoutAmount))),
      ],
    ],
  },

  /** Careful, as a ledger: every movement with an id of its own, in a column for what we get or one for what we owe. */
  ledgerly: {
    ...everything,
    name: "ledgerly",
    words: same({ settled: "booked", failed: "void", refunded: "returned" }),
    form: { delimiter: "|" },
    columns: [
      ["entry", (line) => entryId(line)],
      ["kind", (line) => ledgerKinds[line.kind]],
      ["order", id],
      ["your order", reference],
      ["state", status],
      ["direction", (line) => (line.kind === "payout" ? "" : line.side)],
      ["fiat", (line) => line.fiat.code],
      ["turnover", (line) => (line.kind === "payout" ? "" : gross(line))],
      ["turnover after fees", (line) => (line.kind === "payout" ? "" : fiatText(line, line.net))],
      ["coin", (line) => `${line.asset.code}_${line.asset.network}`],
      ["coins", cryptoText],
      ["txid", hash],
      ["to", address],
      ["debit", (line) => debitOf(line)],
      ["credit", (line) => creditOf(line)],
      ["settlement", (line) => line.payoutId],
      ["value date", (line) => iso(line.effectiveMs)],
    ],
  },

  /** Careless, out of a spreadsheet: a title, blank rows, the header again, a total that nobody checks, American times. */
  sheet: {
    ...everything,
    name: "sheet",
    words: same({ settled: "Paid ", failed: "failed", refunded: "Refunded" }),
    form: {
      delimiter: ",",
      preamble: ({ provider }) => [["Monthly report", provider], [""], ["all amounts in order currency"]],
      // The pages were pasted together with their headers.
      after: (lines) => (lines % 40 === 0 ? ["blank", "header"] : lines % 17 === 0 ? ["blank"] : []),
      trailer: (lines) => [["Total", String(lines)]],
    },
    columns: [
      ["Txn ID", (line) => ` ${id(line)}`],
      ["Merchant Ref", reference],
      ["Type", (line) => sheetKinds[line.kind]],
      ["Buy/Sell", (line) => (line.kind === "payout" ? "" : line.side.toUpperCase())],
      ["Status", status],
      ["Ccy", (line) => line.fiat.code.toLowerCase()],
      ["Amount", (line) => english(gross(line))],
      ["Net", (line) => english(fiatText(line, line.net))],
      // Blank where there is none.
      ["Fee", (line) => blankIfZero(english(ownFee(line)))],
      ["Gas", (line) => blankIfZero(english(networkFee(line)))],
      [
        "Your cut",
        (line) => (owed(line) < 0n ? `(${english(partnerFee(line))})` : english(partnerFee(line))),
      ],
      ["Coin", (line) => line.asset.id.toUpperCase()],
      ["Qty", cryptoText],
      ["Hash", (line) => line.hash || "n/a"],
      ["Wallet", address],
      ["Date", (line) => american(line.effectiveMs)],
      ["Payout #", (line) => line.payoutId],
      ["Payout", (line) => (line.payoutAmount === null ? "" : english(fiatText(line, line.payoutAmount)))],
    ],
  },

  /**
   * Careless, made for readers: ids as formulas, the currency beside every amount, two columns called Amount, our share without
   * a sign, the fee in two parts, the hour apart from its day, and a name under it all.
   */
  ranch: {
    ...everything,
    name: "ranch",
    words: same({ settled: "Done", failed: "Declined", refunded: "Sent back" }),
    form: { delimiter: ",", trailer: (lines) => [[`Prepared by Ann: ${lines} rows`]] },
    columns: [
      ["Order", (line) => `="${id(line)}"`],
      ["Your order", reference],
      ["What", (line) => sheetKinds[line.kind]],
      ["Side", (line) => (line.kind === "payout" ? "" : line.side)],
      ["State", status],
      ["Currency", (line) => line.fiat.code],
      ["Amount", (line) => marked(gross(line), line)],
      ["Amount", (line) => marked(fiatText(line, line.net), line)],
      ["Fee", (line) => marked(fiatText(line, ownFeeUnits(line) / 2n), line)],
      ["Scheme fee", (line) => marked(fiatText(line, ownFeeUnits(line) - ownFeeUnits(line) / 2n), line)],
      ["Gas", (line) => marked(networkFee(line), line)],
      ["Share", (line) => (line.kind === "payout" ? "" : marked(partnerFee(line), line))],
      ["Dr/Cr", (line) => (line.kind === "payout" ? "" : owed(line) < 0n ? "DR" : "Cr")],
      ["Coin", (line) => line.asset.id.toUpperCase()],
      ["Quantity", cryptoText],
      ["Hash", hash],
      ["Wallet", address],
      ["Day", (line) => americanDay(line.effectiveMs)],
      ["Hour", (line) => americanHour(line.effectiveMs)],
      ["Transfer", (line) => line.payoutId],
      [
        "Transferred",
        (line) => (line.payoutAmount === null ? "" : marked(fiatText(line, line.payoutAmount), line)),
      ],
    ],
  },

  /** Careful, by machines for machines: minor units, base units, milliseconds, numbers for words; paid out in a coin. */
  units: {
    ...everything,
    name: "units",
    paysIn: "USDC",
    words: same({ settled: "200", failed: "500", refunded: "410" }),
    form: { delimiter: "\t" },
    columns: [
      ["order_uuid", (line) => (uuidForm.test(id(line)) ? id(line).toUpperCase() : id(line))],
      ["partner_uuid", reference],
      ["row_type", (line) => unitKinds[line.kind]],
      ["side", (line) => (line.side === "buy" ? "0" : "1")],
      ["code", status],
      ["cur", (line) => line.fiat.code],
      ["gross_minor", (line) => String(line.gross)],
      ["net_minor", (line) => String(line.net)],
      ["fee_minor", (line) => String(line.processingFee)],
      ["net_fee_minor", (line) => String(line.networkFee)],
      ["share_minor", (line) => (line.kind === "payout" ? "" : String(owed(line)))],
      ["token", (line) => line.asset.code],
      ["chain", (line) => line.asset.network],
      ["token_amount", cryptoText],
      ["tx", hash],
      ["addr", address],
      ["ts", (line) => String(line.effectiveMs)],
      ["batch", (line) => line.payoutId],
      ["paid_token", (line) => (line.payoutAmount === null ? "" : "USDC_ERC20")],
      ["paid_amount", (line) => (line.payoutAmount === null ? "" : converted(line, line.payoutAmount))],
      ["paid_rate", (line) => (line.payoutAmount === null ? "" : rateOf(line))],
    ],
  },

  /** Careful, a file for each payout: no line names it, the last row is the payout itself. */
  batch: {
    ...everything,
    name: "batch",
    byPayout: true,
    words: same({ settled: "OK", failed: "KO", refunded: "BACK" }),
    form: { delimiter: ",", trailer: (lines) => [["EOF", String(lines)]] },
    columns: [
      ["kind", (line) => line.kind],
      ["ref", id],
      ["external", reference],
      ["way", (line) => line.side],
      ["result", status],
      ["ccy", (line) => line.fiat.code],
      ["volume", gross],
      ["volume_net", (line) => fiatText(line, line.net)],
      ["coin", (line) => line.asset.id],
      ["coin_amount", cryptoText],
      ["chain_ref", hash],
      ["chain_to", address],
      ["commission", (line) => (line.kind === "payout" ? "" : fiatText(line, owed(line)))],
      ["done", (line) => iso(line.effectiveMs)],
      ["transfer_total", (line) => (line.payoutAmount === null ? "" : fiatText(line, line.payoutAmount))],
    ],
  },

  /** Careless, no id of the order at all: our reference and the hash, dates without a time, two kinds of null. */
  slip: {
    ...everything,
    name: "slip",
    hasIds: false,
    words: same({ settled: "success", failed: "error", refunded: "reversed" }),
    form: { delimiter: ";" },
    columns: [
      ["your_id", reference],
      ["what", (line) => line.kind.replace("_", " ")],
      ["b/s", (line) => (line.side === "buy" ? "B" : "S")],
      ["outcome", (line) => line.status],
      ["money", (line) => line.fiat.code],
      ["in or out", gross],
      ["after fee", (line) => fiatText(line, line.net)],
      ["partner", (line) => (line.kind === "payout" ? "NULL" : fiatText(line, owed(line)))],
      ["crypto", (line) => line.asset.code],
      ["on", (line) => line.asset.network.toUpperCase()],
      ["number", cryptoText],
      ["chain hash", (line) => line.hash || "-"],
      ["chain address", (line) => line.address || "-"],
      ["day", (line) => iso(line.effectiveMs).slice(0, 10)],
      ["transfer", (line) => line.payoutId],
      ["transferred", (line) => (line.payoutAmount === null ? "" : fiatText(line, line.payoutAmount))],
    ],
  },
};
