import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { needs } from "../../access/access.ts";
import { compareDecimals, parseDecimal, zero } from "../../core/decimal.ts";
import { TieoutError } from "../../core/errors.ts";
import { bookedCode } from "../../core/fiat.ts";
import { contradictions } from "../../reconcile/rates/read-rates.ts";
import { type HeldRate, listRates, type RateToKeep, saveRates } from "../../store/fees/rates.ts";
import type { Api } from "../deps.ts";
import { listResponse, sendWhole } from "../list.ts";
import { describeObject, time } from "../object.ts";
import { fieldParameter } from "../parameters.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";

const tag = "Rates";
const path = "/v1/rates";
const ratesShownMax = 1_000;

const currency = z
  .string()
  .regex(/^[A-Za-z0-9]{2,12}$/, "is not a currency, such as EUR")
  .overwrite(bookedCode)
  .openapi({ example: "EUR" });

const rateFields = {
  date: z.iso.date().openapi({ example: "2026-10-30" }),
  base: currency.describe("The currency being priced, per unit."),
  quote: currency.openapi({ description: "The currency it is priced in.", example: "USD" }),
  rate: z
    .string()
    .refine((text) => isPositive(text), 'is not an amount above 0, such as "1.0845"')
    .openapi({ example: "1.0845" }),
  source: z.string().min(1).max(60).openapi({ example: "ECB" }),
};

function isPositive(text: string): boolean {
  const parsed = parseDecimal(text);
  return parsed !== null && compareDecimals(parsed, zero) > 0;
}

function toKeep({ date, ...others }: { date: string } & Omit<RateToKeep, "day">): RateToKeep {
  return { ...others, day: date };
}

const rate = describeObject({
  name: "Rate",
  object: "rate",
  members: { ...rateFields, file_name: z.string(), imported_at: time },
  present: (row: HeldRate) => ({ date: row.day }),
  example: {
    day: "2026-10-30",
    base: "EUR",
    quote: "USD",
    rate: "1.0845",
    source: "ECB",
    fileName: "eurofxref-hist.csv",
    importedAt: "2026-11-02 09:00:00+00",
  },
});
const newRates = z
  .strictObject({
    rates: z
      .array(z.strictObject(rateFields))
      .min(1)
      .max(100_000)
      .superRefine((rates, context) => {
        const [first] = contradictions(rates.map(toKeep));
        if (first !== undefined) context.addIssue({ code: "custom", message: first });
      }),
    accept: z.string().min(1).max(500).optional().openapi({
      description: "Why rates are right although they are far from known ones, or their inverse.",
      example: "devaluation of 2 November",
    }),
  })
  .openapi("NewRates");
const savedRates = describeObject({
  name: "RatesSaved",
  object: "rates_saved",
  members: {
    read: z.int(),
    added: z.int().describe("New, or different from the one that counted before."),
  },
  present: (_saved: { read: number; added: number }) => ({}),
  example: { read: 30, added: 30 },
});

/** Rates of exchange, for figures in the functional currency. They hold for all accounts. */
export function addRateRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "listRates",
      summary: `The rates in use, newest day first; at most ${ratesShownMax}`,
      tag,
      access: needs("reconcile:read"),
      query: z.strictObject({
        base: fieldParameter("Only of this currency.", "EUR", currency),
        quote: fieldParameter("Only priced in this currency.", "USD", currency),
      }),
      response: listResponse("RateList", rate, { url: path, description: "Rates." }),
    },
    async ({ c, reader, query }) => {
      const found = await listRates(reader.database, { ...query, limit: ratesShownMax });
      return sendWhole(c, found.map(rate.present));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path,
      operationId: "addRates",
      summary: "Adds rates; the last one added for a day, pair and source counts",
      description: "They apply to all accounts, so this needs a key for all accounts.",
      tag,
      access: { ...needs("reconcile:write"), wholeService: true },
      body: newRates,
      response: { status: 201, description: "How many were added.", ...savedRates },
    },
    async ({ c, caller, writing: { database }, body }) => {
      const rates = body.rates.map(toKeep);
      const sha256 = createHash("sha256").update(JSON.stringify(rates)).digest();
      const given = { rates, fileName: "API", sha256, acceptReason: body.accept ?? null };
      const saved = await saveRates(database, { ...given, ...authorOf(c, caller) }).catch(
        (error: unknown) => {
          if (error instanceof TieoutError && error.code === "rates_invalid")
            throw problem("invalid_parameter", error.message, { param: "rates" });
          throw error;
        },
      );
      return sendObject(c, savedRates.present(saved), 201);
    },
  );
}
