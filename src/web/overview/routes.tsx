import { addPage } from "../add-page.tsx";
import type { Web } from "../deps.ts";
import { freshenTotals } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Time } from "../parts/show.tsx";
import { AccountsPanel } from "./accounts.tsx";
import { Cards } from "./cards.tsx";
import { type PeriodDays, periods, readOverview } from "./figures.ts";
import { MoneyPanel } from "./money.tsx";
import { ReconciliationPanels } from "./reconciliation.tsx";
import { ProvidersPanel, VolumePanel } from "./volume.tsx";

export function addOverview(web: Web): void {
  addPage(web, "/overview", ["transactions:read"], async (c, visitor) => {
    await freshenTotals(web);
    const dayCount = readPeriod(c.req.query("days"));
    const overview = await readOverview(visitor, web.api.deps.now(), dayCount);
    const { zone } = visitor.preferences;
    return show(web, c, visitor, {
      title: "Overview",
      under: "/overview",
      assets: ["uplot.css", "uplot.js", "charts.js"],
      children: (
        <>
          <div class="title-row">
            <h1>Overview</h1>
            <nav class="segments" aria-label="Period">
              {periods.map((days) => (
                <a href={`/overview?days=${days}`} aria-current={days === dayCount ? "true" : undefined}>
                  {days} days
                </a>
              ))}
            </nav>
            <p class="summary">
              {overview.totalsAsOf === null ? (
                "Totals are being added up; load the page again in a moment."
              ) : (
                <>
                  Last {dayCount} UTC days. Added up at <Time at={overview.totalsAsOf} zone={zone} />
                </>
              )}
            </p>
          </div>
          <Cards overview={overview} />
          <AccountsPanel accounts={overview.accounts} zone={zone} />
          <VolumePanel overview={overview} />
          <MoneyPanel overview={overview} />
          {overview.reconciliation !== null && (
            <ReconciliationPanels
              reconciliation={overview.reconciliation}
              zone={zone}
              now={web.api.deps.now()}
            />
          )}
          <ProvidersPanel overview={overview} zone={zone} />
        </>
      ),
    });
  });
}

function readPeriod(text: string | undefined): PeriodDays {
  return periods.find((days) => String(days) === text) ?? 30;
}
