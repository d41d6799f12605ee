import { z } from "@hono/zod-openapi";
import type { HeldSetting } from "../../reconcile/provider-settings.ts";
import type { ChangedDiscrepancy, ChangedPair } from "../../store/books/match-difference.ts";
import type { ClassSum } from "../../store/books/summary.ts";
import type { learnLags } from "../../store/statements/learn-lags.ts";
import { describeObject, time } from "../object.ts";
import { isoTime } from "../present.ts";
import { referenceTo } from "../references.ts";
import { calendarSchema, receiptSettingsSchema } from "./new-settings.ts";

const section = <T extends z.ZodType>(value: T) =>
  z.strictObject({
    value,
    version: z.int().nullable().describe("null: never set; the defaults apply."),
    shared: z.boolean().describe("Set for all accounts."),
    saved_by: z.string().nullable(),
    saved_by_name: z.string().nullable(),
    saved_at: time.nullable(),
  });

const calendarDefaults = calendarSchema.parse({});
const receiptDefaults = receiptSettingsSchema.parse({});

interface SettingsToShow {
  account: string;
  provider: string;
  version: number;
  held: ReadonlyMap<string, HeldSetting>;
  learnt: Awaited<ReturnType<typeof learnLags>>;
}

export const settings = describeObject({
  name: "ProviderSettings",
  object: "provider_settings",
  members: {
    account: z.string(),
    provider: z.string(),
    version: z.int().describe("For `If-Match`; it grows with every change of any section."),
    calendar: section(z.looseObject({ period: z.string(), zone: z.string(), statement_lag_days: z.int() })),
    tolerances: section(z.array(z.looseObject({}))),
    exclusion: section(z.looseObject({}).nullable()),
    aliases: section(z.record(z.string(), z.string())),
    names: section(z.array(z.string())),
    categories: section(z.array(z.string())),
    receipts: section(z.looseObject({ due_days: z.int() })),
    learnt: z
      .strictObject({
        statement_lag_days: z.int().nullable(),
        statements: z.int().describe("How many files this is based on."),
        payout_lag_days: z.int().nullable(),
        payouts: z.int().describe("How many payouts this is based on."),
      })
      .describe(
        "The lags that 19 of 20 files and payouts have kept so far: a proposal for `calendar`. null if too few have been seen.",
      ),
  },
  present: ({ held, learnt }: SettingsToShow) => ({
    calendar: filled(held.get("calendar"), calendarDefaults),
    tolerances: orElse(held.get("tolerances"), []),
    exclusion: orElse(held.get("exclusion"), null),
    aliases: orElse(held.get("aliases"), {}),
    names: orElse(held.get("names"), []),
    categories: orElse(held.get("categories"), []),
    receipts: filled(held.get("receipts"), receiptDefaults),
    learnt: {
      statement_lag_days: learnt.statementLagDays,
      statements: learnt.statements,
      payout_lag_days: learnt.payoutLagDays,
      payouts: learnt.payouts,
    },
  }),
  example: {
    account: "default",
    provider: "moonpay",
    version: 2,
    held: new Map([
      [
        "calendar",
        {
          value: { statement_lag_days: 25, minimum_payout: { EUR: "100" } },
          version: 2,
          isShared: false,
          savedBy: "person:2",
          savedByName: "Grace Hopper",
          savedAt: "2026-11-14 10:00:00+00",
        },
      ],
    ]),
    learnt: { statementLagDays: 3, statements: 12, payoutLagDays: 24, payouts: 12 },
  },
});

/** As a run reads it: what an older version did not say has its default. */
function filled<T extends object>(held: HeldSetting | undefined, defaults: T) {
  return presentSection(held, { ...defaults, ...(held?.value as Partial<T> | undefined) });
}

function orElse<T>(held: HeldSetting | undefined, none: T) {
  return presentSection(held, (held?.value ?? none) as T);
}

function presentSection<T>(held: HeldSetting | undefined, value: T) {
  return {
    value,
    version: held?.version ?? null,
    shared: held?.isShared ?? false,
    saved_by: held?.savedBy ?? null,
    saved_by_name: held?.savedByName ?? null,
    saved_at: isoTime(held?.savedAt ?? null),
  };
}

const pair = z.strictObject({
  transaction_id: z.string(),
  line: z.string(),
  rule: z.string(),
  file_name: z.string(),
  line_no: z.int(),
});

const changedDiscrepancy = z.strictObject({
  event: z.enum(["raised", "changed", "reopened", "agreed"]),
  code: z.string(),
  level: z.string(),
  transaction_id: z.string().nullable(),
  line: z.string().nullable(),
  file_name: z.string().nullable(),
  line_no: z.int().nullable(),
  value: z.string().nullable(),
  value_currency: z.string().nullable(),
});

const classSum = z.strictObject({
  currency: z.string(),
  class: z.string(),
  transactions: z.int(),
  amount: z.string().describe("In the fiat leg."),
});

const shownMax = 100;

type ShownSum = Omit<ClassSum, "provider">;

interface PreviewToShow {
  account: string;
  provider: string;
  pairs: readonly ChangedPair[];
  discrepancies: readonly ChangedDiscrepancy[];
  before: readonly ShownSum[];
  after: readonly ShownSum[];
}

export const settingsPreview = describeObject({
  name: "SettingsPreview",
  object: "settings_preview",
  members: {
    account: z.string(),
    provider: z.string(),
    matches: z.strictObject({ gained: z.int(), lost: z.int() }),
    discrepancies: z.strictObject({ raised: z.int(), changed: z.int(), reopened: z.int(), agreed: z.int() }),
    gained: z.array(pair).describe("The first 100."),
    lost: z.array(pair).describe("The first 100."),
    changes: z
      .array(changedDiscrepancy)
      .describe("What would happen to discrepancies: the first 100, the most serious first."),
    classes: z
      .strictObject({ before: z.array(classSum), after: z.array(classSum) })
      .describe("Completed transactions by class."),
  },
  present: ({ pairs, discrepancies, before, after }: PreviewToShow) => {
    const gained = pairs.filter(({ change }) => change === "gained");
    const lost = pairs.filter(({ change }) => change === "lost");
    const count = (event: ChangedDiscrepancy["event"]) =>
      discrepancies.filter((each) => each.event === event).length;
    return {
      matches: { gained: gained.length, lost: lost.length },
      discrepancies: {
        raised: count("raised"),
        changed: count("changed"),
        reopened: count("reopened"),
        agreed: count("agreed"),
      },
      gained: gained.slice(0, shownMax).map(presentPair),
      lost: lost.slice(0, shownMax).map(presentPair),
      changes: discrepancies.slice(0, shownMax).map(presentChange),
      classes: { before: before.map(presentSum), after: after.map(presentSum) },
    };
  },
  example: {
    account: "default",
    provider: "moonpay",
    pairs: [
      {
        change: "gained",
        transaction_id: "01K6FJ4Z7M0001",
        line_id: "4711",
        rule: "hash",
        file_name: "moonpay-2026-10.csv",
        line_no: 2,
      },
    ],
    discrepancies: [
      {
        event: "agreed",
        code: "missing_from_statement",
        level: "error",
        transaction_id: "01K6FJ4Z7M0001",
        line_id: null,
        file_name: null,
        line_no: null,
        value: "250",
        value_currency: "EUR",
      },
    ],
    before: [{ currency: "EUR", class: "discrepant", transactions: 1, amount: "250" }],
    after: [{ currency: "EUR", class: "matched", transactions: 1, amount: "250" }],
  },
});

function presentPair({ transaction_id, line_id, rule, file_name, line_no }: ChangedPair) {
  return { transaction_id, line: referenceTo("line", line_id), rule, file_name, line_no };
}

function presentChange(change: ChangedDiscrepancy) {
  const { event, code, level, transaction_id, line_id, file_name, line_no, value, value_currency } = change;
  const line = referenceTo("line", line_id);
  return { event, code, level, transaction_id, line, file_name, line_no, value, value_currency };
}

function presentSum({ currency, class: kind, transactions, amount }: ShownSum) {
  return { currency, class: kind, transactions, amount };
}
