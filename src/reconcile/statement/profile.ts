import { z } from "zod";
import { lineStatuses, lineTypes } from "../../core/statement-line.ts";

/**
 * How one provider writes its statements, as data: a profile is JSON, and a user can add one or change one without
 * touching code. Everything that a reader could be tempted to guess (decimal comma, time zone, gross or net, which fees
 * are inside) is stated here.
 */
export const amountFields = [
  "fiat_amount",
  "fiat_gross",
  "fiat_net",
  "crypto_amount",
  "from_amount",
  "to_amount",
  "fee_total",
  "fee_processing",
  "fee_network",
  "fee_partner",
  "rate",
  "net_amount",
  "net_debit",
  "net_credit",
  "payout_amount",
  "balance",
] as const;

export const timeFields = ["created_at", "effective_at"] as const;

export const textFields = [
  "provider",
  "line_type",
  "side",
  "status",
  "line_id",
  "provider_transaction_id",
  "our_reference",
  "payout_ref",
  "fiat_currency",
  "asset",
  "network",
  "from_currency",
  "from_network",
  "to_currency",
  "to_network",
  "fee_currency",
  "fee_processing_currency",
  "fee_network_currency",
  "fee_partner_currency",
  "net_currency",
  "net_direction",
  "payout_currency",
  "category",
  "transaction_hash",
  "wallet_address",
  "address_tag",
  "created_time",
  "effective_time",
] as const;

export const fields = [...textFields, ...amountFields, ...timeFields] as const;
export type Field = (typeof fields)[number];
export type TextField = (typeof textFields)[number];
export type AmountField = (typeof amountFields)[number];

/** What statements call movements that belong to no order, folded as `categoryOf` folds them. */
export const usualCategories: string[] = [
  "reserve",
  "rolling_reserve",
  "reserve_release",
  "chargeback_fee",
  "chargeback_reserve",
  "refund_fee",
  "monthly_fee",
  "payout_fee",
  "transfer_fee",
  "fx_fee",
  "fx_adjustment",
  "rounding",
  "fee_correction",
  "tax",
  "vat",
  "promotion",
  "bonus",
  "invoice",
];

const field = z.enum(fields);
const feeField = z.enum(["fee_processing", "fee_network", "fee_partner"]);
const basis = z.enum(["gross", "net"]);
const words = <T extends z.ZodType>(value: T) => z.record(z.string(), value);
const headers = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** What a preamble or trailer row states about the file. Cells are counted from 1; the first names the fact. */
const fact = z.strictObject({
  /** `*` stands for anything. */
  first_cell: z.string().min(1),
  /** `period_to` is excluded from the period, `period_last_day` is in it. `period`: its first and last day in one cell. */
  gives: z.enum([
    "generated_at",
    "period_from",
    "period_to",
    "period_last_day",
    "period",
    "row_count",
    "sum",
    "end",
    "note",
  ]),
  cell: z.int().min(1).default(2),
  /** Of sums: what was added up, and in which cell its currency stands. */
  field: z.enum(["fiat_gross", "fiat_net", "fee_total", "net_amount"]).optional(),
  currency_cell: z.int().min(1).optional(),
  currency: z.string().optional(),
  /** A file without this row is truncated. */
  required: z.boolean().default(false),
});

export const profileSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "lower-case letters, digits, - and _"),
  version: z.int().min(1),
  /** `null`: for any provider, which then has to be named at import. */
  provider: z.string().min(1).nullable(),
  about: z.string().optional(),

  /**
   * Whether a header that fits is enough, or the profile is only for files that are imported with its name: one made for
   * a single odd file must not take the provider's usual ones.
   */
  recognise: z.enum(["by_header", "only_when_named"]).default("by_header"),
  /** Only for files with such a name: `*` stands for anything. */
  file_name: z.string().min(1).optional(),
  /** The profile that this one was made from with `extends`. Where both fit, this one reads the file. */
  based_on: z.string().optional(),

  encoding: z.enum(["utf-8", "utf-16le", "utf-16be", "windows-1252", "iso-8859-2", "shift_jis"]).optional(),
  delimiter: z.enum([",", ";", "\t", "|"]).optional(),
  decimal: z.enum([".", ","]).default("."),
  grouping: z.enum(["", ",", ".", " ", "'"]).default(""),
  /** How coins are written, where it is not as money is: `1.234,50` beside `0.00512`. */
  coin_numbers: z
    .strictObject({
      decimal: z.enum([".", ","]).default("."),
      grouping: z.enum(["", ",", ".", " ", "'"]).default(""),
    })
    .optional(),
  /** What may come before or after an amount, such as `$` or `EUR`. It is dropped: the row says which currency it is. */
  amount_marks: z
    .array(z.string().regex(/^[^\d\s.,'()+-][^\d.,'()+-]*$/, "a sign or a word without digits"))
    .optional(),
  /**
   * `iso` (with its zone), `unix_s`, `unix_ms`, or what is read in `zone`: `excel` (days since 1900), or a pattern of YYYY or
   * YY (of this century), MM or MMM (a month's name in `language`), DD, HH or hh with A (AM or PM), mm, ss and SSS.
   */
  time: z
    .strictObject({
      format: z.string().max(60).default("iso"),
      zone: z.string().max(60).default("UTC"),
      language: z.string().max(60).optional(),
    })
    .prefault({}),

  /** Header names by field. Of several, the first that has a value in the row counts: names change, and sides differ. */
  columns: z.partialRecord(field, headers),
  /** A file without one of these columns is of another layout. */
  required: z.array(field).min(1),
  /** Amounts spread over several columns that all count, such as four kinds of fee. */
  add_up: z.array(z.enum(amountFields)).optional(),
  sentinels: z.partialRecord(field, z.array(z.string())).default({}),
  /** What comes before a value and is not part of it, such as `ORD-` before the id that the aggregator knows. */
  prefixes: z.partialRecord(z.enum(textFields), z.array(z.string().min(1)).min(1)).optional(),
  /** What the file has no column for because it never changes: the currency of a file in dollars, the status of what was paid. */
  constants: z.partialRecord(z.enum(textFields), z.string().trim().min(1)).optional(),

  line_types: words(z.enum(lineTypes)).default({}),
  line_type_default: z.enum(lineTypes).default("charge"),
  /** Where the side comes from: a fixed word, a column's words, which leg is fiat, or the status word. */
  side: z
    .union([z.enum(["buy", "sell", "by_currency", "by_status", "unknown"]), words(z.enum(["buy", "sell"]))])
    .default("unknown"),
  statuses: z
    .strictObject({
      any: words(z.enum(lineStatuses)).default({}),
      buy: words(z.enum(lineStatuses)).default({}),
      sell: words(z.enum(lineStatuses)).default({}),
    })
    .prefault({}),
  aliases: words(z.string()).default({}),
  debit_words: z.array(z.string()).default([]),
  /** Words for adjustments and reserves that explain them. Any other word is kept, and explains nothing. */
  categories: z.array(z.string().min(1)).default(usualCategories),

  /** commission: the provider owes us our share. gross: it owes us the customer's money less its fees. */
  model: z.enum(["commission", "gross"]).default("commission"),
  fiat_basis: z.union([basis, z.strictObject({ buy: basis, sell: basis })]).default("gross"),
  fiat_unit: z.enum(["major", "minor"]).default("major"),
  crypto_unit: z.enum(["major", "base"]).default("major"),
  /**
   * What a coin without a network stands on. Where the file writes networks at all, a bare `eth` is the one on Ethereum;
   * where it never does, it may be any, and taking it for Ethereum would raise a mismatch on every other.
   */
  bare_coin: z.enum(["own_network", "any_network"]).default("own_network"),
  /** The fees between gross and net; `null` when the file does not tell, so that the other one is not known. */
  fees_deducted: z.array(feeField).nullable().default(null),
  /** Currency of a fee that is always in one, whatever the order's. */
  fee_currencies: z.partialRecord(feeField, z.string()).default({}),
  /** Fees that are never blank: a charge without one is rejected. A blank fee is zero otherwise. */
  fees_required: z.array(z.enum(["fee_total", ...feeField.options])).default([]),
  /** `ledger`: fees have a minus because they lower what is owed, and one without it is given back. Our share keeps its sign. */
  fee_sign: z.enum(["as_printed", "ledger"]).optional(),
  rate_basis: z.enum(["crypto_per_fiat", "fiat_per_crypto"]).optional(),
  /** The fiat amount that the rate turns into the crypto amount; `market` is quoted beside both. Left out: either may fit. */
  rate_applies_to: z.enum(["net", "gross", "market"]).optional(),
  /** The rate of a payout row: payout currency per unit of its lines' currency, or the other way round. Left out: either may fit. */
  payout_rate_basis: z.enum(["payout_per_line", "line_per_payout"]).optional(),
  /** In a ledger of signed amounts a payout stands with a minus, because it lowers what is owed. */
  payout_sign: z.enum(["as_printed", "ledger"]).default("as_printed"),
  /** `summary`: it lists no orders, and so covers none. */
  period_basis: z.enum(["activity", "settlement", "summary"]).default("activity"),

  identity: z
    .discriminatedUnion("mode", [
      /**
       * Of charges. Refunds, fees and the like, of which one order may have several, are told apart by `line_id` where the
       * file has one, and counted otherwise: two equal refunds of one day are two.
       */
      z.strictObject({ mode: z.literal("unique"), columns: z.array(field).min(1) }),
      z.strictObject({ mode: z.literal("counted") }),
    ])
    .default({ mode: "counted" }),

  skip: z.array(z.strictObject({ field, values: z.array(z.string()).min(1) })).default([]),
  facts: z.array(fact).default([]),
});

export type Profile = z.output<typeof profileSchema>;
export type ProfileSource = z.input<typeof profileSchema>;
/** Any word may be in a file, `constructor` too, which every object has. */
export function aliasIn({ aliases }: Profile, word: string): string {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;
}

export type ProfileFact = Profile["facts"][number];
