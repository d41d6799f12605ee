import { describeClosedMonth } from "../core/closed-month.ts";
import { counted } from "../core/counted.ts";
import { endingWords } from "../core/receipt-line.ts";
import type { ReceiptImport } from "../reconcile/receipts/import-receipts.ts";
import type { StoredReceiptFile } from "../store/receipts/receipt-files.ts";
import type { ReceiptLineRow, ReceiptMatchRow, SuggestedPayout } from "../store/receipts/receipt-reads.ts";

/** What an import did, or would do, for people. */
export function describeImport(result: ReceiptImport): string {
  const { state, file, problems, warnings, rejects, closedMonths, counts } = result;
  const said = {
    imported: `rcf_${file.id} imported`,
    already_imported: `imported before as rcf_${file.id}: nothing changed`,
    previewed: "preview: nothing was written",
  };
  return [
    `${file.fileName}: ${said[state]}`,
    ...describeFile(file).split("\n").slice(1),
    ...(counts === null
      ? []
      : [
          `  result: ${counted(counts.matched, "match", "matches")} made, ${counts.unmatched} ended; ${counted(counts.raised, "discrepancy", "discrepancies")} raised, ${counts.agreed} agreed`,
        ]),
    ...problems.map(({ code, message }) => `  would be refused: ${message} (${code})`),
    ...warnings.map(({ code, message }) => `  warning: ${message} (${code})`),
    ...closedMonths.map((month) => `  look: ${describeClosedMonth(month)}`),
    ...rejects.map(
      ({ lineNo, reason, code }) => `  line ${lineNo} rejected: ${reason ?? ""} (${code ?? ""})`,
    ),
  ].join("\n");
}

export function describeFile(file: StoredReceiptFile): string {
  const period = file.periodFrom === null ? "" : `, ${file.periodFrom} to ${file.periodTo ?? ""}`;
  return [
    `rcf_${file.id} ${file.fileName} (${file.format}${period}), ${file.state}`,
    `  ${counted(file.rowsOfFile, "row")}: ${file.rowsAccepted} accepted (${file.rowsRestated} restated), ${file.rowsDuplicate} known, ${file.rowsRejected} rejected, ${file.rowsOther} around the bookings`,
    ...file.balances.map(
      ({ bank_account, currency, opening, lines, line_count, closing, adds_up }) =>
        `  ${bank_account} ${currency ?? ""}: ${opening ?? "?"} + ${lines} (${counted(line_count, "line")}) = ${closing ?? "?"}: ${
          adds_up === null ? "the file does not state both balances" : adds_up ? "adds up" : "does NOT add up"
        }`,
    ),
  ].join("\n");
}

export function describeFiles(files: readonly StoredReceiptFile[]): string {
  return files
    .map(({ id, account, format, fileName, state, rowsAccepted, importedAt }) =>
      [
        `rcf_${id}`,
        account,
        format,
        state,
        counted(rowsAccepted, "line"),
        importedAt.slice(0, 19),
        fileName,
      ].join("  "),
    )
    .join("\n");
}

export function describeLines(lines: readonly ReceiptLineRow[]): string {
  return lines.map(oneLine).join("\n");
}

function oneLine(line: ReceiptLineRow): string {
  const sign = line.direction === "credit" ? "+" : "-";
  const text =
    [line.endToEndId, line.reference, line.hash, line.remittance].find((each) => each !== null) ?? "";
  const left = line.unmatched === "0" ? "" : `  unmatched ${line.unmatched}`;
  return `rcl_${line.id}  ${line.valueDate}  ${sign}${line.amount} ${line.currency}${left}  ${line.counterparty ?? ""}  ${text.slice(0, 60)}`;
}

export function describeLine(
  line: ReceiptLineRow,
  matches: readonly ReceiptMatchRow[],
  suggestions: readonly SuggestedPayout[],
): string {
  const isOpen = line.counts && line.unmatched !== "0";
  return [
    oneLine(line),
    `  ${line.fileName}, line ${line.lineNo}; account ${line.bankAccount}${line.counts ? "" : "; does not count"}`,
    ...matches.map((match) => `  ${describeMatch(match)}`),
    ...(isOpen && !matches.some(({ state }) => state === "active") ? ["  settles nothing yet"] : []),
    ...suggestions.map(
      ({ payoutId, provider, payoutRef, outstanding, currency, sameAmount }) =>
        `  perhaps po_${payoutId} ${provider} ${payoutRef}: ${outstanding} ${currency} still owed${sameAmount ? ", the same amount" : ""}`,
    ),
    ...(isOpen ? [whatNow(line, suggestions)] : []),
  ].join("\n");
}

function whatNow(line: ReceiptLineRow, [first]: readonly SuggestedPayout[]): string {
  if (first !== undefined)
    return `  to match it: tieout receipt match rcl_${line.id} po_${first.payoutId} --reason REASON`;
  const currencies = [line.currency, line.originalCurrency].filter((each) => each !== null);
  return `  no payout in ${currencies.join(" or ")} that is still owed has the same amount, is named by it or is close in time`;
}

export function describeMatch(match: ReceiptMatchRow): string {
  const fee = match.bankFee === "0" ? "" : `, bank fee ${match.bankFee}`;
  const why = match.state === "ended" ? `; ${endingWords(match)}` : "";
  return `rcm_${match.id} ${match.state}: ${match.amount} ${match.currency}${fee} of po_${match.payoutId} ${match.provider} ${match.payoutRef}, by ${match.rule}${why}`;
}
