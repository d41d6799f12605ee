import { counted } from "../../core/counted.ts";
import { addDays, type Day } from "../../core/period.ts";
import { zoneNamed } from "../../core/zone.ts";
import type { Days } from "../../store/books/overview-reads.ts";
import { type ReceivableTrend, receivableTrend } from "../../store/books/receivable-trend.ts";
import { addPage } from "../add-page.tsx";
import { may, type Visitor, type Web } from "../deps.ts";
import { freshenTotals } from "../fresh-totals.ts";
import { homeOf, show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { Time } from "../parts/show.tsx";
import { AccountsPanel } from "./accounts.tsx";
import { AgeingPanel } from "./ageing.tsx";
import { Cards } from "./cards.tsx";
import { lastDays, type PeriodDays, periods, readOverview } from "./figures.ts";
import { MoneyPanel } from "./money.tsx";
import { ReceivablePanel } from "./receivable.tsx";
import { readToday } from "./today.ts";
import { TodayPanel } from "./today-panel.tsx";
import { ProvidersPanel, VolumePanel } from "./volume.tsx";

export function addOverview(web: Web): void {
  // Everyone comes here first: whoever may not see it goes to the first screen that they may see.
  addPage(web, "/overview", [], async (c, visitor) => {
    if (!may(visitor, "transactions:read")) {
      if (visitor.notice !== null) leaveNotice(c, visitor.notice.text);
      return c.redirect(homeOf(visitor).path, 303);
    }
    const patience = patienceOf(c);
    const dayCount = readPeriod(c.req.query("days"));
    const zone = zoneNamed(visitor.preferences.zone);
    const now = web.api.deps.now();
    // Side by side, so that their waits do not add up.
    const [overview, today, trends] = await Promise.all([
      freshenTotals(web, zone, patience.isLong ? patience.waitMs : undefined).then(() =>
        readOverview(web, visitor, now, { dayCount, zone }),
      ),
      readToday(web, c, visitor, patience),
      readTrends(web, visitor, lastDays(now, dayCount, zone), patience),
    ]);
    const whole = patience.isLong ? null : `/overview?days=${dayCount}&wait=true`;
    const { reconciliation, days } = overview;
    const totals = overview.totalsAsOf === null ? whole : null;
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
                  {counted(each, "day")}
                </a>
              ))}
            </nav>
            <p class="summary" id="summary">
              {overview.totalsAsOf === null ? (
                "Totals are still being calculated"
              ) : (
                <>
                  Last {counted(dayCount, "day")} in {zone.name}. Added up at{" "}
                  <Time at={overview.totalsAsOf} zone={zone.name} />
                </>
              )}
            </p>
          </div>
          <Follows id="today-part" from={today.isPartial ? whole : null}>
            <TodayPanel waiting={today.waiting} compared={reconciliation?.compared ?? null} />
          </Follows>
          <Follows id="cards-part" from={totals} along="#summary">
            <Cards overview={overview} />
          </Follows>
          <AccountsPanel accounts={overview.accounts} zone={zone.name} />
          {reconciliation !== null && (
            <div class="columns-2">
              <Follows id="receivable-part" from={trends === null ? whole : null}>
                <ReceivablePanel
                  trends={trends}
                  isLong={patience.isLong}
                  days={{ from: days.from, last: addDays(days.to as Day, -1) }}
                  zone={zone.name}
                />
              </Follows>
              <AgeingPanel reconciliation={reconciliation} />
            </div>
          )}
          <Follows id="totals-part" from={totals}>
            <VolumePanel overview={overview} />
            <MoneyPanel overview={overview} />
            <ProvidersPanel overview={overview} zone={zone.name} />
          </Follows>
        </>
      ),
    });
  });
}

function readPeriod(text: string | undefined): PeriodDays {
  return periods.find((days) => String(days) === text) ?? 30;
}

/** Over all of history, and so never waited for; the same for everyone who sees the same accounts. */
function readTrends(
  web: Web,
  visitor: Visitor,
  { from, to, zone }: Days,
  patience: { waitMs: number },
): Promise<ReceivableTrend[] | null> {
  if (!may(visitor, "reconcile:read")) return Promise.resolve([]);
  const { accountIds } = visitor.caller;
  const key = ["receivable", accountIds?.join(",") ?? "all", from, to, zone].join(" ");
  const asked = { from, to, zone: zoneNamed(zone) };
  return web.figures.get(key, () => receivableTrend(visitor.reader, asked), { ...patience, inLine: true });
}
