import { type ExecutionRow, listExecutionQuality } from "../../store/quotes/execution-reads.ts";
import { addPage } from "../add-page.tsx";
import { chosenIn, withoutEmpty } from "../address.ts";
import type { Web } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Choice, Empty, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ExecutionTable } from "./table.tsx";

const rowsMax = 100;
const periods = ["7", "30", "90"] as const;

/** How good the providers are: what they quoted against what they paid, and how their orders ended. */
export function addExecution(web: Web): void {
  addPage(web, "/execution", ["transactions:read"], async (c, visitor) => {
    const address = withoutEmpty(new URL(c.req.url).searchParams);
    const chosen = chosenIn(address);
    const days = periods.find((each) => each === chosen("days")) ?? "30";
    const [rows, choices] = await Promise.all([
      listExecutionQuality(visitor.reader, {
        days: Number(days),
        provider: chosen("provider") || null,
        account: chosen("account") || null,
        limit: rowsMax,
      }),
      choicesFor(web, visitor),
    ]);
    return show(web, c, visitor, {
      title: "Execution quality",
      under: "/execution",
      children: (
        <>
          <TitleRow title="Execution quality">
            <a href="/reports/execution-quality.v1">The same as a report</a>
          </TitleRow>
          <p>
            Orders whose latest status lies in the last {days} days. Prices are compared with quotes that were
            asked for within a quarter of an hour of the order's start, for the same pair, method and country;
            with fewer than ten comparisons nothing is said about prices.
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
          </FilterForm>
          {rows.length === 0 ? (
            <Empty title="No order has changed in this time">Choose more days, or another provider.</Empty>
          ) : (
            <ExecutionTable rows={rows} caption={captionOf(rows)} />
          )}
        </>
      ),
    });
  });
}

function captionOf(rows: readonly ExecutionRow[]): string {
  const compared = rows.reduce((sum, row) => sum + row.compared, 0);
  const shown = rows.length === rowsMax ? `The ${rowsMax} rows with the most orders` : "Most orders first";
  return `${shown}. ${compared.toLocaleString("en")} orders could be compared with quotes.`;
}
