import { z } from "zod";
import { chartAccountNames, defaultChart, defaultTaxRate } from "../core/chart-of-accounts.ts";
import { isFiat } from "../core/fiat.ts";
import { notAZone } from "../core/period.ts";
import { findZone } from "../core/zone.ts";
import {
  type AccountSettingName,
  type AccountSettingToSave,
  readAccountSetting,
  saveAccountSetting,
} from "../store/accounts/account-settings.ts";
import type { Database, Queryable } from "../store/database.ts";

/** A name that hledger and spreadsheets take: no sign that would end it early, none that would make it virtual. */
const accountName = z
  .string()
  .max(150)
  .regex(
    /^[^\s()[\];|"](?:[^\p{Cc};|"]*[^\s;|"])?$/u,
    "is not an account name, such as assets:receivable:{provider}",
  )
  .refine((name) => !name.includes("  "), "holds two spaces in a row");

const chartAccount = z.strictObject({
  code: z
    .string()
    .max(60)
    .regex(/^[\w.{}/ -]+$/, "is not an account code, such as 1200"),
  name: accountName,
  tax_rate: z.string().min(1).max(60).optional(),
});

/** What can be set for an account, and how a value is checked. */
const settings = {
  chart_of_accounts: {
    schema: z.partialRecord(z.enum(chartAccountNames as [string, ...string[]]), chartAccount),
    about: "where the journal books each side of an entry; what is left out stays as it is by default",
    standard: defaultChart,
  },
  functional_currency: {
    schema: z
      .string()
      .toUpperCase()
      .refine((code) => isFiat(code), "is not an ISO 4217 currency, such as EUR"),
    about: "the currency in which the company keeps its books; null: nothing is converted",
    standard: null,
  },
  calendar: {
    schema: z.strictObject({
      zone: z
        .string()
        .refine((name) => findZone(name) !== null, { error: ({ input }) => `is ${notAZone(String(input))}` })
        .overwrite((name) => findZone(name)?.name ?? name),
      first_month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/, "is not a month, such as 2026-09")
        .nullable()
        .default(null),
    }),
    about: "the zone that months are in, and the first month that is closed here",
    standard: { zone: "UTC", first_month: null },
  },
} as const satisfies Record<AccountSettingName, { schema: z.ZodType; about: string; standard: unknown }>;

export const accountSettingNames = Object.keys(settings) as AccountSettingName[];

export interface ShownSetting {
  name: AccountSettingName;
  about: string;
  /** With the defaults of what is not set. */
  value: unknown;
  version: number;
  setBy: string | null;
  setAt: string | null;
  reason: string | null;
}

export async function showAccountSetting(
  database: Queryable,
  request: { accountId: number; name: AccountSettingName; knownAt?: string },
): Promise<ShownSetting> {
  const { about, standard }: { about: string; standard: unknown } = settings[request.name];
  const held = await readAccountSetting(database, request);
  return {
    name: request.name,
    about,
    value: request.name === "chart_of_accounts" ? wholeChart(held?.value) : (held?.value ?? standard),
    version: held?.version ?? 0,
    setBy: held?.setBy ?? null,
    setAt: held?.setAt ?? null,
    reason: held?.reason ?? null,
  };
}

function wholeChart(own: unknown): unknown {
  const chart: Record<string, unknown> = { ...defaultChart, ...(own as object | null) };
  return Object.fromEntries(
    Object.entries(chart).map(([name, value]) => [name, { tax_rate: defaultTaxRate, ...(value as object) }]),
  );
}

/** `null` goes back to the default. */
export function checkAccountSetting(
  name: AccountSettingName,
  value: unknown,
): { value: unknown } | { issues: z.core.$ZodIssue[] } {
  if (value === null) return { value };
  const checked = settings[name].schema.safeParse(value);
  return checked.success ? { value: checked.data } : { issues: checked.error.issues };
}

export function setAccountSetting(
  database: Database,
  request: AccountSettingToSave,
): Promise<"saved" | "unchanged" | "changed_meanwhile"> {
  return database.transaction((tx) => saveAccountSetting(tx, request));
}
