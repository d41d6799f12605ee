import { absDecimal, addDecimals, type Decimal, subtractDecimals, zero } from "../../core/decimal.ts";
import { isFiat } from "../../core/fiat.ts";
import { isActivity, isStated, type LineType, type StatementLine } from "../../core/statement-line.ts";
import { type CellReader, createCellReader, type Rejection } from "./cell-reader.ts";
import type { Columns } from "./columns.ts";
import type { Field, Profile } from "./profile.ts";
import { createFeeReader, type Fees, noFees } from "./read-fees.ts";
import { createFiatReader, type FiatReader } from "./read-fiat.ts";
import { createLegReader, type Legs, noLegs } from "./read-legs.ts";
import { createOwedReader, type LineMoney, type Owed } from "./read-owed.ts";
import {
  createCategoryMap,
  createProviderCheck,
  createSideReader,
  createStatusMap,
  createTypeReader,
  type Side,
} from "./read-words.ts";

export type ReadLine =
  | {
      readonly kind: "line";
      readonly line: StatementLine;
      /** The provider's own id of the row, where the file has one. */
      readonly lineId: string | null;
      /** The word for what it is, as printed; the line has it only where it is a known one. */
      readonly categoryWord: string | null;
      readonly extra: Extra | null;
    }
  | { readonly kind: "rejection"; readonly rejection: Rejection };

/** Columns that the profile does not map, by header. */
export type Extra = Readonly<Record<string, string>>;

/** From the cells of a row to a line in our words, or to the reason why not. */
export function createLineReader(
  profile: Profile,
  columns: Columns,
  isProvider: (word: string) => boolean,
  provider: string,
): (row: readonly string[]) => ReadLine {
  const cells = createCellReader(profile, columns);
  const fiat = createFiatReader(profile, cells);
  const checkProvider = createProviderCheck(profile, cells, { isProvider, provider });
  const readType = createTypeReader(profile, cells);
  const readSide = createSideReader(profile, cells);
  const statusOf = createStatusMap(profile);
  const categoryOf = createCategoryMap(profile);
  const readLegs = createLegReader(profile, cells, fiat);
  const readMoney = createMoneyReader(profile, cells, fiat);
  const readOwed = createOwedReader(profile, cells, fiat);
  const read = {
    lineId: cells.text("line_id"),
    status: cells.text("status"),
    providerTransactionId: cells.text("provider_transaction_id"),
    ourReference: cells.text("our_reference"),
    payoutRef: cells.text("payout_ref"),
    rate: cells.amount("rate"),
    category: cells.text("category"),
    transactionHash: cells.text("transaction_hash"),
    walletAddress: cells.text("wallet_address"),
    addressTag: cells.text("address_tag"),
    createdAt: cells.time("created_at"),
    effectiveAt: cells.time("effective_at"),
  };

  const rateBasisOf = (lineType: LineType) =>
    (lineType === "payout" ? profile.payout_rate_basis : profile.rate_basis) ?? null;

  return (row) => {
    const miscounted = countProblem(row, columns);
    if (miscounted) return { kind: "rejection", rejection: miscounted };
    cells.begin(row);
    checkProvider();
    const lineType = readType();
    const isOrder = lineType === null || isActivity(lineType);
    const providerStatus = read.status();
    // What a payout or a balance repeats of an order's columns is filler.
    const legs = isOrder ? readLegs() : noLegs;
    const side = isOrder ? readSide(legs.side, providerStatus) : null;
    const money = isOrder ? readMoney(legs, side, lineType) : noMoney;
    const status = statusOf(providerStatus, side);
    const owed = readOwed(lineType, status, money);
    const rate = isStated(lineType) ? null : rateOf(read.rate(), lineType);
    const createdAt = read.createdAt();
    const effectiveAt = read.effectiveAt() ?? createdAt;
    if (effectiveAt === null) cells.reject("row_unparseable", "effective_at", "there is no time in this row");
    if (lineType === "charge" && legs.fiatCurrency === null) {
      cells.reject("row_unparseable", "fiat_currency", "there is no fiat currency in this row");
    }
    refuseNameless(cells, { legs, money, owed });
    const rejection = cells.rejection();
    if (rejection !== null || lineType === null || effectiveAt === null) {
      return { kind: "rejection", rejection: rejection ?? unexplained };
    }
    const { fees } = money;
    const categoryWord = read.category();
    const coin = lineType === "payout" ? coinOf(owed) : null;
    const line: StatementLine = {
      lineType,
      side,
      providerStatus,
      status,
      providerTransactionId: read.providerTransactionId(),
      ourReference: read.ourReference(),
      payoutRef: isStated(lineType) ? null : read.payoutRef(),
      fiatCurrency: legs.fiatCurrency,
      fiatGross: namedOrNull(money.fiatGross, legs.fiatCurrency),
      fiatNet: namedOrNull(money.fiatNet, legs.fiatCurrency),
      asset: coin?.code ?? legs.asset,
      network: coin?.network ?? legs.network,
      cryptoAmount: unsignedIfReversal(namedOrNull(legs.cryptoAmount, legs.asset), lineType),
      feeTotal: fees.total,
      feeProcessing: fees.processing,
      feeNetwork: fees.network,
      feePartner: fees.partner,
      feeCurrency: fees.currency,
      rate,
      rateBasis: rate === null ? null : rateBasisOf(lineType),
      rateAppliesTo: rate === null || lineType === "payout" ? null : (profile.rate_applies_to ?? null),
      netAmount: owed.amount,
      netCurrency: owed.currency,
      category: categoryOf(categoryWord),
      transactionHash: read.transactionHash(),
      walletAddress: read.walletAddress(),
      addressTag: read.addressTag(),
      createdAt,
      effectiveAt,
    };
    const lineId = read.lineId();
    const overlong = cells.rejection();
    if (overlong !== null) return { kind: "rejection", rejection: overlong };
    const extra = extraOf(row, columns, fees);
    const unknown = line.category === null ? categoryWord : null;
    if (lineId === null && unknown === null) return { kind: "line", line, lineId, categoryWord, extra };
    const kept = {
      ...(lineId !== null && { line_id: lineId }),
      ...(unknown !== null && { category: unknown }),
    };
    return { kind: "line", line, lineId, categoryWord, extra: { ...extra, ...kept } };
  };
}

/** An amount without a currency cannot be added to anything. */
function refuseNameless(cells: CellReader, given: { legs: Legs; money: LineMoney; owed: Owed }): void {
  const { legs, money, owed } = given;
  const refuse = (field: Field, what: string) =>
    cells.reject(
      "unknown_currency",
      field,
      `${what}, and nothing in the row says in which currency: ${namelessRemedy}`,
    );
  if (legs.asset === null && isMoney(legs.cryptoAmount))
    refuse("asset", `there are ${legs.cryptoAmount} coins`);
  if (legs.fiatCurrency === null && (isMoney(money.fiatGross) || isMoney(money.fiatNet)))
    refuse("fiat_currency", `there is an amount of ${money.fiatGross ?? money.fiatNet}`);
  if (owed.currency === null && owed.amount !== zero) refuse("net_currency", `${owed.amount} is owed`);
}

const namelessRemedy = "map the column, or say it once in constants of the profile";

function isMoney(amount: Decimal | null): boolean {
  return amount !== null && amount !== zero;
}

/** A zero without a currency only fills its column. */
function namedOrNull(amount: Decimal | null, name: string | null): Decimal | null {
  return name === null ? null : amount;
}

/** A payout in another currency than its lines states the rate it was converted at; a rate of zero fills the column. */
function rateOf(rate: Decimal | null, lineType: LineType | null): Decimal | null {
  return lineType === "payout" && rate === zero ? null : rate;
}

/** What a payout in a coin is paid in. */
function coinOf({ currency, network }: Owed): { code: string; network: string | null } | null {
  return currency === null || isFiat(currency) ? null : { code: currency, network: network ?? null };
}

function createMoneyReader(profile: Profile, cells: CellReader, fiat: FiatReader) {
  const readFees = createFeeReader(profile, cells, fiat);
  const grossColumn = fiat.amount("fiat_gross");
  const netColumn = fiat.amount("fiat_net");
  const { fiat_basis } = profile;

  return (legs: Legs, side: Side | null, lineType: LineType | null): LineMoney => {
    const { fiatCurrency } = legs;
    const fees = readFees(fiatCurrency, lineType);
    const basis = typeof fiat_basis === "string" ? fiat_basis : fiat_basis[side ?? "buy"];
    let gross = grossColumn(fiatCurrency) ?? (basis === "gross" ? legs.fiatAmount : null);
    let net = netColumn(fiatCurrency) ?? (basis === "net" ? legs.fiatAmount : null);
    // Where the fees between the two are not all known in this currency, the other one is not known either.
    if (fees.deducted !== null && net === null && gross !== null)
      net = subtractDecimals(gross, fees.deducted);
    else if (fees.deducted !== null && gross === null && net !== null)
      gross = addDecimals(net, fees.deducted);
    return {
      fiatCurrency,
      fiatGross: unsignedIfReversal(gross, lineType),
      fiatNet: unsignedIfReversal(net, lineType),
      fees,
    };
  };
}

const noMoney: LineMoney = { fiatCurrency: null, fiatGross: null, fiatNet: null, fees: noFees };
const unexplained: Rejection = { code: "row_unparseable", field: null, reason: "the row cannot be read" };

/** A row with another number of columns is shifted or cut off: which cell is which would be a guess. */
function countProblem(row: readonly string[], { count, namedCount }: Columns): Rejection | null {
  if (row.length >= namedCount && row.length <= count) return null;
  if (row.length > count && row.slice(count).every((cell) => cell.trim() === "")) return null;
  const reason = `${row.length} columns, but the header has ${count}`;
  return { code: "row_unparseable", field: null, reason };
}

/** Reversals are printed with either sign; what they do to the balance is in `netAmount`. */
function unsignedIfReversal(amount: Decimal | null, lineType: LineType | null): Decimal | null {
  if (amount === null || !amount.startsWith("-")) return amount;
  return lineType === "refund" || lineType === "chargeback" || lineType === "chargeback_reversal"
    ? absDecimal(amount)
    : amount;
}

function extraOf(row: readonly string[], { unmapped }: Columns, { foreign }: Fees): Extra | null {
  let extra: Record<string, string> | null = null;
  for (const { index, header } of unmapped) {
    const value = (row[index] ?? "").trim();
    if (value !== "" && header !== "") (extra ??= {})[header] = value;
  }
  return foreign === null ? extra : { ...extra, ...foreign };
}
