import { counted } from "../../core/counted.ts";
import { addDays, type Day } from "../../core/period.ts";
import { formatShare } from "../format.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Count, Given, Time } from "../parts/show.tsx";
import { type DayFigures, providersMax } from "../../store/books/overview-reads.ts";
import type { Overview } from "./figures.ts";
import { endedStatuses, listLink, openStatuses } from "./links.ts";

/** Volume and completion over time. The chart is drawn from the table beside it. */
export function VolumePanel({ overview }: { overview: Overview }) {
  const { byDay, days } = overview;
  if (byDay.every(({ transactions }) => transactions === 0)) {
    return (
      <Panel title="Volume and completion" id="volume">
        <Empty title="No transactions in this period">
          Choose a longer period, or look at <a href="/sync">Sync</a> to see how much has been read.
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
          <DayTable byDay={byDay} zone={days.zone} />
        </div>
      </div>
    </Panel>
  );
}

function DayTable({ byDay, zone }: { byDay: readonly DayFigures[]; zone: string }) {
  const link = ({ day }: DayFigures, status: string | null) =>
    listLink({ from: day, to: addDays(day as Day, 1), zone }, { status });
  return (
    <ListTable
      label="Transactions by day"
      caption={`Transactions by day in ${zone}`}
      class="keep"
      id="by-day"
      rows={byDay.toReversed()}
      rowAttributes={({ day }) => ({ "data-day": day })}
      columns={[
        { title: "Day", rowName: (row) => <a href={link(row, null)}>{row.day}</a> },
        {
          title: "Completed",
          value: (row) => row.completed,
          figures: (row) => <Count of={row.completed} href={link(row, "completed")} />,
        },
        {
          title: "Open",
          value: (row) => row.open,
          figures: (row) => <Count of={row.open} href={link(row, openStatuses)} />,
        },
        {
          title: "Failed",
          value: (row) => row.ended,
          figures: (row) => <Count of={row.ended} href={link(row, endedStatuses)} />,
        },
        { title: "Completion", figures: (row) => formatShare(row.completed, row.transactions) },
      ]}
    />
  );
}

export function ProvidersPanel({ overview, zone }: { overview: Overview; zone: string }) {
  const { providers, days } = overview;
  if (providers.length === 0) return null;
  const link = ({ account, provider }: (typeof providers)[number], status: string | null) =>
    listLink(days, { account, provider, status });
  return (
    <Panel title="Accounts and providers" id="providers">
      <ListTable
        label="Accounts and providers"
        caption={`Transactions of the last ${counted(overview.dayCount, "day")} by account and provider${providers.length < providersMax ? "" : `, the ${providersMax} with the most`}. Days and times in ${zone}.`}
        class="keep"
        rows={providers}
        columns={[
          { title: "Provider", rowName: (row) => <Given text={row.provider} /> },
          { title: "Account", show: (row) => <Given text={row.account} /> },
          { title: "Transactions", figures: (row) => <Count of={row.transactions} href={link(row, null)} /> },
          {
            title: "Completed",
            figures: (row) => <Count of={row.completed} href={link(row, "completed")} />,
          },
          { title: "Open", figures: (row) => <Count of={row.open} href={link(row, openStatuses)} /> },
          { title: "Failed", figures: (row) => <Count of={row.ended} href={link(row, endedStatuses)} /> },
          { title: "Completion", figures: (row) => formatShare(row.completed, row.transactions) },
          { title: "Newest status", show: (row) => <Time at={row.latest_status_date} zone={zone} /> },
        ]}
      />
    </Panel>
  );
}
