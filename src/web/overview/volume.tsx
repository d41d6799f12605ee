import { formatShare } from "../format.ts";
import { Empty, Panel, TableFrame } from "../parts/blocks.tsx";
import { Count, Given, Time } from "../parts/show.tsx";
import type { DayFigures } from "../../store/web/overview-reads.ts";
import type { Overview } from "./figures.ts";
import { endedStatuses, listLink, openStatuses } from "./links.ts";

/** Volume and completion over time. The chart is drawn from the table beside it. */
export function VolumePanel({ overview }: { overview: Overview }) {
  const { byDay } = overview;
  if (byDay.every(({ transactions }) => transactions === 0)) {
    return (
      <Panel title="Volume and completion" id="volume">
        <Empty title="No transaction in this period">
          Choose a longer period, or look at <a href="/sync">Sync</a> to see how far the reading is.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Volume and completion" id="volume">
      <div class="chart-row">
        <figure class="chart" data-chart="outcomes" data-table="by-day" aria-hidden="true">
          <div class="chart-canvas"></div>
        </figure>
        <div class="chart-table">
          <TableFrame label="Transactions by day">
            <table class="list keep" id="by-day">
              <caption>Transactions by UTC day</caption>
              <thead>
                <tr>
                  <th scope="col">Day</th>
                  <th scope="col" class="figures">
                    Completed
                  </th>
                  <th scope="col" class="figures">
                    Open
                  </th>
                  <th scope="col" class="figures">
                    Failed
                  </th>
                  <th scope="col" class="figures">
                    Completion
                  </th>
                </tr>
              </thead>
              <tbody>
                {byDay.toReversed().map((day) => (
                  <DayRow day={day} />
                ))}
              </tbody>
            </table>
          </TableFrame>
        </div>
      </div>
    </Panel>
  );
}

function DayRow({ day }: { day: DayFigures }) {
  const link = (status: string | null) => listLink({ from: day.day, to: nextDay(day.day) }, { status });
  return (
    <tr data-day={day.day}>
      <th scope="row">
        <a href={link(null)}>{day.day}</a>
      </th>
      <td class="figures" data-value={day.completed}>
        <Count of={day.completed} href={link("completed")} />
      </td>
      <td class="figures" data-value={day.open}>
        <Count of={day.open} href={link(openStatuses)} />
      </td>
      <td class="figures" data-value={day.ended}>
        <Count of={day.ended} href={link(endedStatuses)} />
      </td>
      <td class="figures">{formatShare(day.completed, day.transactions)}</td>
    </tr>
  );
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

export function ProvidersPanel({ overview, zone }: { overview: Overview; zone: string }) {
  const { providers, days } = overview;
  if (providers.length === 0) return null;
  return (
    <Panel title="Accounts and providers" id="providers">
      <TableFrame label="Accounts and providers">
        <table class="list keep">
          <caption>
            Transactions of the last {overview.dayCount} UTC days by account and provider. Times in {zone}.
          </caption>
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Account</th>
              <th scope="col" class="figures">
                Transactions
              </th>
              <th scope="col" class="figures">
                Completed
              </th>
              <th scope="col" class="figures">
                Open
              </th>
              <th scope="col" class="figures">
                Failed
              </th>
              <th scope="col" class="figures">
                Completion
              </th>
              <th scope="col">Newest status</th>
            </tr>
          </thead>
          <tbody>
            {providers.map((row) => {
              const link = (status: string | null) =>
                listLink(days, { account: row.account, provider: row.provider, status });
              return (
                <tr>
                  <th scope="row">
                    <Given text={row.provider} />
                  </th>
                  <td>
                    <Given text={row.account} />
                  </td>
                  <td class="figures">
                    <Count of={row.transactions} href={link(null)} />
                  </td>
                  <td class="figures">
                    <Count of={row.completed} href={link("completed")} />
                  </td>
                  <td class="figures">
                    <Count of={row.open} href={link(openStatuses)} />
                  </td>
                  <td class="figures">
                    <Count of={row.ended} href={link(endedStatuses)} />
                  </td>
                  <td class="figures">{formatShare(row.completed, row.transactions)}</td>
                  <td>
                    <Time at={row.latest_status_date} zone={zone} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </TableFrame>
    </Panel>
  );
}
