import { createHash } from "node:crypto";
import { z } from "zod";
import { compareDecimals, parseDecimal, zero } from "../../core/decimal.ts";
import { TieoutError } from "../../core/errors.ts";
import type { Database } from "../../store/database.ts";
import { type FeeScheduleToSave, type FeeTerm, saveFeeSchedule } from "../../store/fees/fee-schedules.ts";
import { readTable } from "../read-table.ts";
import { quote } from "../../core/quote.ts";
import { issueWords } from "../../core/issue-words.ts";

const amountSuchAs = (example: string) =>
  z
    .string()
    .refine((text) => isNotNegative(text), `is not an amount of 0 or more, such as "${example}"`)
    .overwrite((text) => parseDecimal(text) ?? text);
const amount = amountSuchAs("0.01");

function isNotNegative(text: string): boolean {
  const parsed = parseDecimal(text);
  return parsed !== null && compareDecimals(parsed, zero) >= 0;
}

/** One rule, as files and the API write it. What is left out holds for all. */
export const feeTermSchema = z
  .strictObject({
    kind: z.enum(["share", "processing_fee", "total_fee"]),
    side: z.enum(["buy", "sell"]).nullable().default(null),
    payment_method: z.string().min(1).max(60).nullable().default(null),
    currency: z
      .string()
      .toUpperCase()
      .regex(/^[A-Z]{3}$/, "is not a currency, such as EUR")
      .nullable()
      .default(null),
    over: amount.default("0"),
    flat: amount.default("0"),
    percent: amountSuchAs("0.6")
      .refine((text) => compareTexts(text, "100") <= 0, "is more than 100")
      .default("0"),
    minimum: amount.nullable().default(null),
    maximum: amount.nullable().default(null),
    capped_by_fee: z.boolean().default(false),
  })
  .refine(
    ({ minimum, maximum }) =>
      minimum === null ||
      maximum === null ||
      (isNotNegative(minimum) && isNotNegative(maximum) && compareTexts(minimum, maximum) <= 0),
    { path: ["minimum"], error: "is greater than maximum" },
  );

function compareTexts(a: string, b: string): number {
  return compareDecimals(parseDecimal(a) ?? zero, parseDecimal(b) ?? zero);
}

export const feeTermsSchema = z.array(feeTermSchema).min(1).max(20_000);
export type GivenFeeTerm = z.output<typeof feeTermSchema>;

const fileSchema = z.strictObject({
  provider: z.string().optional(),
  valid_from: z.string().optional(),
  terms: feeTermsSchema,
});
export type FeeFile = z.output<typeof fileSchema>;

const columns = Object.keys(feeTermSchema.shape);

/** A fee schedule as a file: JSON, or CSV with a header of the names of the fields. All problems are reported at once. */
export function readFeeFile(text: string, fileName: string): FeeFile {
  const given = text.trimStart().startsWith("{")
    ? parseJson(text, fileName)
    : { terms: fromCsv(text, fileName) };
  const checked = fileSchema.safeParse(given);
  const isCsv = !text.trimStart().startsWith("{");
  const problems = checked.success
    ? twice(checked.data.terms, isCsv)
    : checked.error.issues.map(
        (issue) => `${placeOf(issue.path, isCsv)}${givenAt(given, issue.path)}${issueWords(issue)}`,
      );
  if (problems.length > 0 || !checked.success)
    throw new TieoutError("fees_invalid", `${fileName}: ${problems.slice(0, 20).join("\n")}`);
  return checked.data;
}

function parseJson(text: string, fileName: string): { terms?: unknown } {
  try {
    return JSON.parse(text) as { terms?: unknown };
  } catch (error) {
    throw new TieoutError("fees_invalid", `${fileName}: is not JSON: ${(error as Error).message}`);
  }
}

function fromCsv(text: string, fileName: string): unknown[] {
  const table = readTable(text);
  if ("problem" in table) throw new TieoutError("fees_invalid", `${fileName}: ${table.problem}`);
  const unknown = table.header.filter((name) => !columns.includes(name));
  if (unknown.length > 0 || !table.header.includes("kind"))
    throw new TieoutError(
      "fees_invalid",
      `${fileName}: ${unknown.length > 0 ? `there is no column ${unknown.join(", ")}` : "there is no column kind"}; the columns are ${columns.join(", ")}`,
    );
  const empty = table.rows.findIndex((row) => ["flat", "percent", "minimum"].every((name) => !row[name]));
  if (empty >= 0)
    throw new TieoutError(
      "fees_invalid",
      `${fileName}: line ${empty + 2}: has no flat, percent or minimum; write 0 where nothing is charged`,
    );
  return table.rows.map((row) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([, cell]) => cell !== "")
        .map(([name, cell]) => [name, name === "capped_by_fee" ? trueOrFalse(cell) : cell]),
    ),
  );
}

/** Spreadsheets write TRUE. Any other word is left as it is, and refused. */
function trueOrFalse(cell: string): boolean | string {
  const word = cell.toLowerCase();
  return word === "true" || word === "false" ? word === "true" : cell;
}

/** What stands there, if it is one value. */
function givenAt(given: unknown, path: readonly PropertyKey[]): string {
  const found = path.reduce<unknown>(
    (part, name) => (typeof part === "object" && part !== null ? Reflect.get(part, name) : undefined),
    given,
  );
  return typeof found === "string" ? `${quote(found)} ` : "";
}

/** Row 1 of a CSV file is its header. */
function placeOf(path: readonly PropertyKey[], isCsv: boolean): string {
  const [first, index, ...rest] = path;
  if (first !== "terms" || typeof index !== "number") return path.length === 0 ? "" : `${path.join(".")}: `;
  const field = rest.length === 0 ? "" : ` ${rest.join(".")}`;
  return isCsv ? `line ${index + 2}${field}: ` : `terms.${index}${field}: `;
}

/** Two rules for the same orders would be a matter of luck. */
function twice(terms: readonly GivenFeeTerm[], isCsv: boolean): string[] {
  const seen = new Map<string, number>();
  return terms.flatMap(({ kind, side, payment_method, currency, over }, index) => {
    const key = JSON.stringify([kind, side, payment_method, currency, over]);
    const before = seen.get(key);
    seen.set(key, before ?? index);
    const place = (at: number) => placeOf(["terms", at], isCsv).replace(/: $/, "");
    return before === undefined ? [] : [`${place(index)}: is about the same orders as ${place(before)}`];
  });
}

export interface FeeScheduleRequest extends Omit<FeeScheduleToSave, "terms" | "sha256"> {
  readonly terms: readonly GivenFeeTerm[];
}

export function importFeeSchedule(
  database: Database,
  { terms, ...request }: FeeScheduleRequest,
): Promise<{ id: number; version: number }> {
  const sha256 = createHash("sha256").update(JSON.stringify(terms)).digest();
  return database.transaction((tx) => saveFeeSchedule(tx, { ...request, sha256, terms: terms.map(toKeep) }));
}

function toKeep({ payment_method, capped_by_fee, ...term }: GivenFeeTerm): FeeTerm {
  return { ...term, paymentMethod: payment_method, cappedByFee: capped_by_fee };
}

/** As files and the API write it. */
export function presentFeeTerm({ paymentMethod, cappedByFee, ...term }: FeeTerm): GivenFeeTerm {
  return { ...term, payment_method: paymentMethod, capped_by_fee: cappedByFee };
}
