import { z } from "zod";
import { fieldWords } from "./field-words.ts";

/** What a sample showed, carried in the form: the server keeps nothing. */
export const sampleSchema = z.object({
  fileName: z.string().max(300),
  encoding: z.string().max(30),
  delimiter: z.string().max(1),
  header: z.array(z.string().max(500)).max(200),
  rows: z.array(z.array(z.string().max(700)).max(200)).max(8),
});
export type Sample = z.infer<typeof sampleSchema>;
export type Texts = Record<string, string>;

export const timeForms = [
  "iso",
  "unix_s",
  "unix_ms",
  "excel",
  "YYYY-MM-DD HH:mm:ss",
  "YYYY-MM-DD HH:mm",
  "YYYY-MM-DD",
  "DD.MM.YYYY HH:mm:ss",
  "DD.MM.YYYY HH:mm",
  "DD.MM.YYYY",
  "DD/MM/YYYY HH:mm:ss",
  "DD/MM/YYYY HH:mm",
  "DD/MM/YYYY",
  "MM/DD/YYYY HH:mm:ss",
  "MM/DD/YYYY HH:mm",
  "MM/DD/YYYY",
  "DD.MM.YY",
  "DD/MM/YY",
  "MM/DD/YY",
  "MMM DD, YYYY hh:mm A",
] as const;

/** A form to begin with, by what the sample looks like; every value that it leads to is shown beside it. */
export function proposeTexts(sample: Sample, proposed: readonly (string | null)[]): Texts {
  const texts: Texts = {};
  const taken = new Set<string>();
  for (const [at, field] of proposed.entries()) {
    // One column for each field: a second one is for people to choose.
    texts[`column.${at}`] = field === null || taken.has(field) ? "" : field;
    if (field !== null) taken.add(field);
  }
  const valuesOf = (isWanted: (field: string) => boolean) =>
    proposed.flatMap((field, at) =>
      field !== null && isWanted(field)
        ? sample.rows.map((row) => (row[at] ?? "").trim()).filter(Boolean)
        : [],
    );
  const printed = valuesOf((field) => /amount|gross|net$|fee|rate|balance/.test(field));
  const marks = [...new Set(printed.flatMap(marksOf))].slice(0, marksMax);
  const amounts = printed.map((text) =>
    marks
      .reduce((rest, mark) => rest.replace(mark, ""), text)
      .trim()
      .replaceAll(/^[(+-]\s*|\s*[)-]$/g, ""),
  );
  const hasComma = amounts.some((text) => /,\d{1,2}$|^\d+,\d+$/.test(text));
  const words = [...new Set(valuesOf((field) => field === "status"))].slice(0, 20);
  return {
    ...texts,
    decimal: hasComma ? "," : ".",
    grouping: amounts.map(groupingOf).find((sign) => sign !== "") ?? "",
    amount_marks: marks.join(" "),
    time_format: timeFormOf(valuesOf((field) => field.endsWith("_at"))),
    time_zone: "UTC",
    side: taken.has("side") ? "words" : taken.has("from_currency") ? "by_currency" : "unknown",
    basis: "gross",
    model: "commission",
    identity: taken.has("provider_transaction_id") ? "order" : "counted",
    statuses: words.map((word) => `${word} = ${meaningOf(word)}`).join("\n"),
    line_types: "",
  };
}

const marksMax = 5;

/** `$1,200.50` has `$`, and `-1 200,50 EUR` has `EUR`; the E of `1.2E-7` is part of the number. */
function marksOf(text: string): string[] {
  if (!/\d/.test(text)) return [];
  return (text.match(/[^\d\s.,'’()+-]{1,5}/gu) ?? []).filter((mark) => mark.toUpperCase() !== "E");
}

/** `1,200.50`, `1.200,50` and `1 200,50` are grouped; `1,200` alone could be either. */
function groupingOf(text: string): string {
  return /^\d{1,3}([,. '])\d{3}.*[.,]\d{1,2}$/.exec(text)?.[1] ?? "";
}

function timeFormOf(values: readonly string[]): string {
  const [first = ""] = values;
  if (/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(first)) return "iso";
  if (/^\d{10}$/.test(first)) return "unix_s";
  if (/^\d{13}$/.test(first)) return "unix_ms";
  if (/^\d{5}(?:[.,]\d+)?$/.test(first)) return "excel";
  const fits = (form: string) => {
    const pattern = form
      .replaceAll(/[.]/g, "\\.")
      .replaceAll(/MMM|hh|A/g, (name) => wordForms[name] ?? name)
      .replace("YYYY", "\\d{4}")
      .replace("YY", "\\d{2}")
      .replaceAll(/MM|DD|HH/g, "\\d{1,2}")
      .replaceAll(/mm|ss/g, "\\d{2}");
    return new RegExp(`^${pattern}$`, "i").test(first);
  };
  const [form = "iso", other] = timeForms.filter((each) => each.includes("YY") && fits(each));
  // Where a second number is above 12, it is the day.
  const isMonthFirst = values.some((value) => /^\d{1,2}\/(1[3-9]|2\d|3[01])\//.test(value));
  return isMonthFirst && other !== undefined ? other : form;
}

const wordForms: Readonly<Record<string, string>> = {
  MMM: "[a-z]{3,9}\\.?",
  hh: "\\d{1,2}",
  A: "[ap]m",
};

const meanings: readonly (readonly [RegExp, string])[] = [
  [/^(complete|success|settle|paid|finish|done|confirm)/i, "settled"],
  [/^(cancel)/i, "canceled"],
  [/^(fail|declin|reject|error)/i, "failed"],
  [/^expire/i, "expired"],
  [/^refund/i, "refunded"],
  [/^charge.?back/i, "charged_back"],
  [/^(pending|process|progress)/i, "processing"],
  [/^(wait|await)/i, "awaiting_payment"],
  [/^(new|creat|init)/i, "created"],
  [/^(hold|on.?hold|review)/i, "on_hold"],
];

function meaningOf(word: string): string {
  return meanings.find(([pattern]) => pattern.test(word))?.[1] ?? "unknown";
}

/** Without any of these that the sample has, a file is of another layout. */
const telling = [
  "provider_transaction_id",
  "our_reference",
  "transaction_hash",
  "status",
  "fiat_currency",
  "from_currency",
  "fiat_gross",
  "fiat_net",
  "fiat_amount",
  "from_amount",
  "net_amount",
  "effective_at",
  "created_at",
];
const deductible = ["fee_processing", "fee_network", "fee_partner"];

/** The profile that the form describes, as the API takes it. */
export function profileFrom(texts: Texts, sample: Sample): Record<string, unknown> {
  const text = (name: string) => texts[name] ?? "";
  const columns: Record<string, string[]> = {};
  for (const [at, header] of sample.header.entries()) {
    const field = text(`column.${at}`);
    if (field in fieldWords) columns[field] = [...(columns[field] ?? []), nameOf(sample.header, at, header)];
  }
  const mapped = (names: readonly string[]) => names.filter((name) => columns[name] !== undefined);
  const fees = mapped(deductible);
  const addUp = fees.filter((name) => (columns[name] ?? []).length > 1);
  const constants = Object.fromEntries(
    neverSaid
      .map((field) => [field, text(`constants_${field}`)] as const)
      .filter(([field, value]) => value !== "" && columns[field] === undefined),
  );
  const marks = wordsIn(text("amount_marks"), /\s+/);
  const coinPoint = text("coin_decimal");
  const language = text("month_language");
  const prefix = text("id_prefix");
  const debits = wordsIn(text("debit_words"), /,/);
  const hasDelimiter = !["xlsx", "json"].includes(sample.encoding);
  const needsEncoding = !["xlsx", "json", "utf-8", "utf-16le", "utf-16be"].includes(sample.encoding);
  return {
    name: text("name"),
    provider: text("provider").toLowerCase() || null,
    about: `made from ${sample.fileName}`,
    ...(hasDelimiter ? { delimiter: sample.delimiter } : {}),
    ...(needsEncoding ? { encoding: sample.encoding } : {}),
    decimal: text("decimal"),
    grouping: text("grouping"),
    ...(coinPoint === "" ? {} : { coin_numbers: { decimal: coinPoint } }),
    time: {
      format: text("time_format"),
      zone: text("time_zone"),
      ...(language === "" ? {} : { language }),
    },
    ...(marks.length > 0 ? { amount_marks: marks } : {}),
    columns,
    ...(Object.keys(constants).length > 0 ? { constants } : {}),
    ...(prefix === "" ? {} : { prefixes: { provider_transaction_id: [prefix] } }),
    required: mapped(telling),
    line_types: pairsIn(text("line_types")),
    side: text("side") === "words" ? { buy: "buy", sell: "sell", Buy: "buy", Sell: "sell" } : text("side"),
    // A status that no column says is one of our own words.
    statuses: { any: { ...pairsIn(text("statuses")), ...ownWord(constants["status"]) } },
    fiat_basis: text("basis"),
    model: text("model"),
    fees_deducted: fees.length === 0 ? null : fees,
    // A person who points at two columns for one fee means both.
    ...(addUp.length > 0 ? { add_up: addUp } : {}),
    ...(text("fee_sign") === "ledger" ? { fee_sign: "ledger" } : {}),
    ...(debits.length > 0 ? { debit_words: debits } : {}),
    identity:
      text("identity") === "order"
        ? { mode: "unique", columns: ["line_type", "provider_transaction_id"] }
        : { mode: "counted" },
  };
}

/** What every row of a file may have in common, and no column then says. */
const neverSaid = ["fiat_currency", "asset", "status"] as const;

function ownWord(word: string | undefined): Record<string, string> {
  return word === undefined ? {} : { [word]: word };
}

function wordsIn(text: string, between: RegExp): string[] {
  return text
    .split(between)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** Of several columns with one name, which of them it is. */
function nameOf(headers: readonly string[], at: number, header: string): string {
  const isSame = (other: string) => other.trim().toLowerCase() === header.trim().toLowerCase();
  if (headers.filter(isSame).length < 2) return header;
  return `${header}#${headers.slice(0, at + 1).filter(isSame).length}`;
}

/** Lines of `their word = ours`; of one without the sign, the word stands for nothing and the API says so. */
function pairsIn(text: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}
