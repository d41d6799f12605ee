import { OpenAPIHono } from "@hono/zod-openapi";
import { formatInstant } from "../../core/instant.ts";
import type { SandboxContext, SandboxEnv } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { parseRates } from "../statements/cases.ts";
import {
  type OpenedStatements,
  openStatements,
  type StatementRouteDeps,
} from "../statements/open-statements.ts";
import { parsePeriod, type Period, periodsOf } from "../statements/periods.ts";
import { wildLayouts } from "../statements/wild-layouts.ts";
import { type Bank, banks } from "./banks.ts";
import { parseBankRates } from "./cases.ts";
import type { OtherLayout } from "./payouts.ts";
import { type BankFileRequest, makeBankFile, type MadeFile } from "./make-file.ts";

/** What banks say about the providers' payouts, and beside each file the truth about it. Not of the specification. */
export function bankRoutes(deps: StatementRouteDeps): OpenAPIHono<SandboxEnv> {
  const app = new OpenAPIHono<SandboxEnv>();
  app.get("/sandbox/banks", (c) => {
    const opened = openStatements(deps, c);
    const nowMs = deps.now();
    return c.json({
      files: banks
        .filter(({ format }) => format !== "chain_csv")
        .flatMap(({ id, format, extension }) =>
          bankPeriods(opened).map(({ name, toMs }) => ({
            bank: id,
            period: name,
            format,
            complete: toMs <= nowMs,
            file: `/sandbox/banks/${id}/${name}.${extension}`,
            truth: `/sandbox/banks/${id}/${name}.truth.json`,
          })),
        ),
    });
  });
  app.get("/sandbox/banks/:bank/:file", async (c) => {
    const opened = openStatements(deps, c);
    const request = readRequest(opened, c);
    const made = await makeBankFile(opened, request);
    const { contentType, write } = request.bank;
    if (c.req.param("file").endsWith(".truth.json")) return c.json(truthAbout(request, made));
    const pieces = [...write(made)].map(({ text }) => text);
    return c.body(pieces.join(""), 200, { "content-type": contentType });
  });
  return app;
}

/** Those in which the payouts of a statement are paid, and the one after the last of them, for what is late. */
function bankPeriods(opened: OpenedStatements): Period[] {
  const [, ...later] = periodsOf(opened);
  const last = later.at(-1) ?? periodsOf(opened).at(-1);
  const after = (period: Period | null | undefined) =>
    period ? parsePeriod(formatInstant(period.toMs).slice(0, 7)) : null;
  const next = after(last);
  return [...later, next, after(next)].filter((period) => period !== null);
}

function readRequest(opened: OpenedStatements, c: SandboxContext): BankFileRequest {
  const name = c.req.param("bank") ?? "";
  const bank = banks.find(({ id }) => id === name);
  if (bank === undefined) throw new RefusedError("NOT_FOUND", `There is no bank "${name}".`, "bank");
  const [month = "", ...rest] = (c.req.param("file") ?? "").split(".");
  const period = bankPeriods(opened).find((each) => each.name === month);
  if (period === undefined || ![bank.extension, "truth.json"].includes(rest.join("."))) {
    throw new RefusedError("NOT_FOUND", "There is no such file; GET /sandbox/banks lists them.", "period");
  }
  return {
    bank,
    period,
    rates: parseBankRates(c.req.query("rates") ?? null),
    other: readOther(c, bank),
    statementRates: parseRates(c.req.query("statement_rates") ?? null, "statement_rates"),
  };
}

/** Only a layout that pays in a coin pays to a wallet, and only such a one is asked for by name. */
function readOther(c: SandboxContext, { id, format }: Bank): OtherLayout | null {
  if (format !== "chain_csv") return null;
  const known = Object.values(wildLayouts).filter(({ paysIn }) => paysIn !== undefined);
  const layout = known.find(({ name }) => name === c.req.query("layout"));
  const provider = c.req.query("provider");
  if (layout !== undefined && provider !== undefined) return { provider, layout };
  const names = known.map(({ name }) => name).join(", ");
  throw new RefusedError(
    "INVALID_PARAMETER",
    `${id}: say which provider pays to it, and in which layout its statements are: one of ${names}`,
    layout === undefined ? "layout" : "provider",
  );
}

/** What is wrong, case by case, and which booking brings money of which payouts; by physical lines of the file. */
function truthAbout({ bank, period, rates }: BankFileRequest, made: MadeFile) {
  const lineOf = new Map<number, number>();
  let lineNumber = 1;
  for (const { text, booking } of bank.write(made)) {
    if (booking !== null) lineOf.set(booking, lineNumber);
    lineNumber += text.split("\n").length - 1;
  }
  const line = (at: number) => lineOf.get(at) ?? 0;
  return {
    bank: bank.id,
    period: period.name,
    format: bank.format,
    rates,
    cases: made.cases.map(({ truth, bookings }) => ({ lines: bookings.map(line), ...truth })),
    bookings: made.bookings.length,
    pays: made.bookings.flatMap(({ payouts }, at) =>
      payouts.length > 0 ? [{ line: line(at), payouts }] : [],
    ),
  };
}
