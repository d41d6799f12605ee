import { OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxContext, SandboxEnv } from "../context.ts";
import { textStream } from "../ledger/text-stream.ts";
import { RefusedError } from "../refusal.ts";
import type { Provider } from "../world/types.ts";
import { tellsShare, writeFeeSchedule } from "./agreed-fees.ts";
import { parseRates } from "./cases.ts";
import { writeCommissionSums, writeCommissionTruth } from "./commission-sums.ts";
import type { Layout } from "./layout.ts";
import { layoutOf } from "./layouts.ts";
import { wildLayouts } from "./wild-layouts.ts";
import type { StatementRequest } from "./entry.ts";
import { type OpenedStatements, openStatements, type StatementRouteDeps } from "./open-statements.ts";
import { parsePeriod, periodsOf } from "./periods.ts";
import { writeCsv, writeTruth } from "./write.ts";

/** The providers' payout statements for an account, and beside each the truth about it. Not of the specification. */
export function statementRoutes(deps: StatementRouteDeps): OpenAPIHono<SandboxEnv> {
  const { world, now } = deps;
  const app = new OpenAPIHono<SandboxEnv>();

  const open = (c: SandboxContext) => openStatements(deps, c);

  app.get("/sandbox/statements", (c) => {
    const opened = open(c);
    const nowMs = now();
    const periods = periodsOf(opened);
    return c.json({
      statements: opened.providers.flatMap(({ id }) =>
        periods.map(({ name, toMs }) => ({
          provider: id,
          period: name,
          layout: layoutOf(id).name,
          complete: toMs <= nowMs,
          csv: `/sandbox/statements/${id}/${name}.csv`,
          truth: `/sandbox/statements/${id}/${name}.truth.json`,
          commission: tellsShare(layoutOf(id)) ? `/sandbox/statements/${id}/${name}.commission.csv` : null,
          fees: `/sandbox/statements/${id}/fees.csv`,
        })),
      ),
    });
  });
  app.get("/sandbox/statements/:provider/:file", (c) => {
    const file = c.req.param("file");
    const opened = open(c);
    if (file === "fees.csv") {
      const provider = requireProvider(opened, c);
      return c.body([...writeFeeSchedule(world, provider)].join(""), 200, { "content-type": csv });
    }
    const request = readRequest(opened, c, file);
    const isCommission = file.includes(".commission.");
    if (file.endsWith(".csv"))
      return stream(c, csv, (isCommission ? writeCommissionSums : writeCsv)(opened, request));
    return stream(c, json, (isCommission ? writeCommissionTruth : writeTruth)(opened, request));
  });
  return app;
}

const csv = "text/csv; charset=utf-8";
const json = "application/json; charset=utf-8";

function requireProvider({ providers }: OpenedStatements, c: SandboxContext): Provider {
  const name = c.req.param("provider") ?? "";
  const provider = providers.find(({ id }) => id === name);
  if (!provider) throw new RefusedError("NOT_FOUND", `There is no provider "${name}".`, "provider");
  return provider;
}

function readRequest(opened: OpenedStatements, c: SandboxContext, file: string): StatementRequest {
  const { id: provider } = requireProvider(opened, c);
  const period = parsePeriod(/^(.{7})(?:\.commission)?\.(?:csv|truth\.json)$/.exec(file)?.[1] ?? "");
  const known = period && periodsOf(opened);
  if (!period || !known?.some(({ name }) => name === period.name)) {
    throw new RefusedError(
      "NOT_FOUND",
      "There is no such statement; GET /sandbox/statements lists them.",
      "period",
    );
  }
  const layout = readLayout(provider, c.req.query("layout"));
  const currency = c.req.query("currency") ?? null;
  return { provider, layout, currency, period, rates: parseRates(c.req.query("rates") ?? null) };
}

/** The provider's own layout, or an invented one. */
function readLayout(provider: string, name: string | undefined): Layout {
  if (name === undefined) return layoutOf(provider);
  const layout = wildLayouts[name];
  if (layout !== undefined) return layout;
  const known = Object.keys(wildLayouts).join(", ");
  throw new RefusedError("INVALID_PARAMETER", `layout: "${name}" is not one of ${known}`, "layout");
}

function stream(c: SandboxContext, contentType: string, pieces: AsyncGenerator<string>): Response {
  return c.body(textStream(pieces), 200, {
    "content-type": contentType,
  });
}
