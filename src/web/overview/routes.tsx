import { formatInstant } from "../../core/instant.ts";
import { addDays, type Day, dayOf } from "../../core/period.ts";
import { zoneNamed } from "../../core/zone.ts";
import { receivableTrend } from "../../store/books/receivable-trend.ts";
import { addPage } from "../add-page.tsx";
import { may, type Visitor, type Web } from "../deps.ts";
import { freshenTotals } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { Time } from "../parts/show.tsx";
import { AccountsPanel } from "./accounts.tsx";
import { AgeingPanel } from "./ageing.tsx";
import { Cards } from "./cards.tsx";
import { type PeriodDays, periods, readOverview } from "./figures.ts";
import { MoneyPanel } from "./money.tsx";
import { ReceivablePanel } from "./receivable.tsx";
import { readToday } from "./today.ts";
import { TodayPanel } from "./today-panel.tsx";
import { ProvidersPanel, VolumePanel } from "./volume.tsx";

export function addOverview(web: Web): void {
  addPage(web, "/overview", ["transactions:read"], async (c, visitor) => {
    await freshenTotals(web);
    const dayCount = readPeriod(c.req.query("days"));
    const { zone } = visitor.preferences;
    const now = web.api.deps.now();
    const days = localDays(now, dayCount, zone);
    const patience = patienceOf(c);
    const [overview, today, trends] = await Promise.all([
      readOverview(visitor, now, dayCount),
      readToday(web, c, visitor, patience),
      readTrends(web, visitor, { ...days, zone }, patience),
    ]);
    const whole = patience.isLong ? null : `/overview?days=${dayCount}&wait=true`;
    const { reconciliation } = overview;
    return show(web, c, visitor, {
      title: "Overview",
      under: "/overview",
      assets: ["uplot.css", "uplot.js", "charts.js"],
      children: (
        <>
          <div class="title-row">
            <h1>Overview</h1>
            <nav class="segments" aria-label="Period">
              {periods.map((each) => (
                <a href={`/overview?days=${each}`} aria-current={each === dayCount ? "true" : undefined}>
                  {each} days
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
          <Follows id="today-part" from={today.isPartial ? whole : null}>
            <TodayPanel waiting={today.waiting} compared={reconciliation?.compared ?? null} />
          </Follows>
          <Cards overview={overview} />
          <AccountsPanel accounts={overview.accounts} zone={zone} />
          {reconciliation !== null && (
            <div class="columns-2">
              <Follows id="receivable-part" from={trends === null ? whole : null}>
                <ReceivablePanel trends={trends} days={days} zone={zone} />
              </Follows>
              <AgeingPanel reconciliation={reconciliation} />
            </div>
          )}
          <VolumePanel overview={overview} />
          <MoneyPanel overview={overview} />
          <ProvidersPanel overview={overview} zone={zone} />
        </>
      ),
    });
  });
}

function readPeriod(text: string | undefined): PeriodDays {
  return periods.find((days) => String(days) === text) ?? 30;
}

/** Whole days of the zone, today included. */
function localDays(now: number, count: number, zone: string): { from: Day; last: Day } {
  const today = dayOf(formatInstant(now), zoneNamed(zone));
  return { from: addDays(today, 1 - count), last: today };
}

/** Over all of history, and so never waited for; the same for everybody who sees the same accounts. */
function readTrends(
  web: Web,
  visitor: Visitor,
  { from, last, zone }: { from: Day; last: Day; zone: string },
  patience: { waitMs: number },
) {
  if (!may(visitor, "reconcile:read")) return Promise.resolve([]);
  const { accountIds } = visitor.caller;
  const key = ["receivable", accountIds?.join(",") ?? "all", from, last, zone].join(" ");
  const asked = { from, to: addDays(last, 1), zone: zoneNamed(zone) };
  return web.figures.get(key, () => receivableTrend(visitor.reader, asked), patience);
}
