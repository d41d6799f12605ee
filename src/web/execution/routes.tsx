import { counted } from "../../core/counted.ts";
import {
  executionSteps,
  type ExecutionRow,
  listExecutionOverTime,
  listExecutionQuality,
} from "../../store/quotes/execution-reads.ts";
import { addPage } from "../add-page.tsx";
import { chosenIn, withoutEmpty } from "../address.ts";
import type { Visitor, Web } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Choice, Empty, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { Follows, patienceOf, StillCalculating } from "../parts/follows.tsx";
import { ExecutionTable } from "./table.tsx";
import { TrendsPanel } from "./trends.tsx";

const rowsMax = 100;
/** More lines than this in one chart cannot be told apart. */
const providersMax = 6;
const periods = ["7", "30", "90", "365"] as const;

/** How well providers execute: what they quoted against what they paid, and how their orders ended. */
export function addExecution(web: Web): void {
  addPage(web, "/execution", ["transactions:read"], async (c, visitor) => {
    const address = withoutEmpty(new URL(c.req.url).searchParams);
    const chosen = chosenIn(address);
    const days = periods.find((each) => each === chosen("days")) ?? "30";
    const step = executionSteps.find((each) => each === chosen("by")) ?? (days === "365" ? "month" : "week");
    const account = chosen("account") || null;
    const asked = { days: Number(days), provider: chosen("provider") || null, account };
    const patience = patienceOf(c);
    const [rows, points, choices] = await Promise.all([
      kept({ web, visitor, patience }, ["quality", asked], () =>
        listExecutionQuality(visitor.reader, { ...asked, limit: rowsMax }),
      ),
      kept({ web, visitor, patience }, ["over time", asked, step], () =>
        listExecutionOverTime(visitor.reader, { ...asked, step, providersMax }),
      ),
      choicesFor(web, visitor),
    ]);
    const isPartial = rows === null || points === null;
    address.set("wait", "true");
    const whole = isPartial && !patience.isLong ? `/execution?${address.toString()}` : null;
    return show(web, c, visitor, {
      title: "Execution quality",
      under: "/execution",
      assets: ["uplot.css", "uplot.js", "charts.js"],
      children: (
        <>
          <TitleRow title="Execution quality">
            <a href="/reports/execution-quality.v1">View as a report</a>
          </TitleRow>
          <p>
            Orders whose latest status is from the last {counted(Number(days), "day")}. Prices are compared
            with quotes for the same pair, payment method and country, requested within 15 minutes of the
            start of the order. Price figures need at least ten such orders.
          </p>
          <FilterForm path="/execution">
            <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
            <Choice
              name="provider"
              label="Provider"
              options={choices.providers}
              chosen={chosen("provider")}
            />
            <Choice name="days" label="Days" any="30" options={periods} chosen={chosen("days")} />
            <Choice
              name="by"
              label="Charts by"
              any={days === "365" ? "month" : "week"}
              options={executionSteps}
              chosen={chosen("by")}
            />
          </FilterForm>
          <Follows id="execution-part" from={whole}>
            <TrendsPanel
              points={points}
              isLong={patience.isLong}
              step={step}
              account={account}
              providersMax={providersMax}
            />
            {rows === null ? (
              <StillCalculating isLong={patience.isLong} />
            ) : rows.length === 0 ? (
              <Empty title="No orders in this period">Choose a longer period or another provider.</Empty>
            ) : (
              <ExecutionTable rows={rows} caption={captionOf(rows)} />
            )}
          </Follows>
        </>
      ),
    });
  });
}

/** Added up over weeks of orders, and the same for everyone who sees the same accounts. */
function kept<T>(
  { web, visitor, patience }: { web: Web; visitor: Visitor; patience: { waitMs: number } },
  asked: unknown[],
  find: () => Promise<T>,
): Promise<T | null> {
  const { accountIds } = visitor.caller;
  return web.figures.get(`execution ${JSON.stringify([accountIds, ...asked])}`, find, {
    ...patience,
    inLine: true,
  });
}

function captionOf(rows: readonly ExecutionRow[]): string {
  const compared = rows.reduce((sum, row) => sum + row.compared, 0);
  const shown = rows.length === rowsMax ? `The ${rowsMax} rows with the most orders` : "Most orders first";
  return `${shown}. ${compared.toLocaleString("en")} ${compared === 1 ? "order" : "orders"} could be compared with quotes.`;
}
