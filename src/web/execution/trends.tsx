import type { ExecutionPoint, ExecutionStep } from "../../store/quotes/execution-reads.ts";
import { listLink } from "../overview/links.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { StillCalculating } from "../parts/follows.tsx";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { Age, Count, Given, Nothing } from "../parts/show.tsx";

interface TrendsProps {
  /** `null`: still being added up. */
  points: readonly ExecutionPoint[] | null;
  step: ExecutionStep;
  account: string | null;
  providersMax: number;
}

/** A figure over time: where it stands in the table, and how many orders it is based on. */
interface Trend {
  title: string;
  unit: "bp" | "%" | "s";
  of: (point: ExecutionPoint) => number | null;
  basedOn: (point: ExecutionPoint) => number;
}

const trends: readonly Trend[] = [
  {
    title: "Slippage",
    unit: "bp",
    of: ({ slippageBps }) => plotted(slippageBps),
    basedOn: ({ quoted }) => quoted,
  },
  {
    title: "Cost",
    unit: "bp",
    of: ({ costBps }) => plotted(costBps),
    basedOn: ({ compared }) => compared,
  },
  {
    title: "Completion rate",
    unit: "%",
    of: ({ completedPercent }) => plotted(completedPercent),
    basedOn: ({ ended }) => ended,
  },
  {
    title: "Median time to complete",
    unit: "s",
    of: ({ medianSeconds }) => medianSeconds,
    basedOn: ({ completed }) => completed,
  },
];

/** For the height of a line, which no digit is read from. */
function plotted(figure: string | null): number | null {
  return figure === null ? null : Number(figure);
}

/** How each provider does over time. The charts are drawn from the table below them. */
export function TrendsPanel({
  isLong,
  points,
  step,
  account,
  providersMax,
}: TrendsProps & { isLong: boolean }) {
  if (points === null || points.length === 0) {
    return (
      <Panel title="Over time" id="trends">
        {points === null ? (
          <StillCalculating isLong={isLong} />
        ) : (
          <Empty title="No orders in this period">Choose a longer period or another provider.</Empty>
        )}
      </Panel>
    );
  }
  // A chart without a single point would be an empty frame.
  const shown = trends.filter(({ of }) => points.some((point) => of(point) !== null));
  return (
    <Panel title="Over time" id="trends">
      <div class="chart-grid">
        {shown.map(({ title, unit }) => (
          <figure
            class="chart chart-small"
            data-chart="trend"
            data-table="by-period"
            data-trend={title}
            data-unit={unit}
            aria-hidden="true"
          >
            <figcaption class="chart-title">
              {title}
              {unit === "bp" && ", basis points"}
            </figcaption>
            <div class="chart-canvas"></div>
            <p class="chart-value muted"></p>
          </figure>
        ))}
      </div>
      {shown.length < trends.length && (
        <p class="muted">
          {trends
            .filter((trend) => !shown.includes(trend))
            .map(({ title }) => title)
            .join(" and ")}
          : no {step} with ten orders yet.
        </p>
      )}
      <details>
        <summary>Figures behind the charts</summary>
        <PointTable points={points} step={step} account={account} providersMax={providersMax} />
      </details>
    </Panel>
  );
}

function PointTable({
  points,
  step,
  account,
  providersMax,
}: TrendsProps & { points: readonly ExecutionPoint[] }) {
  const link = (point: ExecutionPoint, status: string | null) =>
    listLink(
      { from: point.startsOn, to: point.endsOn, zone: "UTC" },
      { account, provider: point.provider, status },
    );
  const [slippage, cost, completion, median] = trends.map((trend) => plottedAs(trend));
  return (
    <ListTable
      label="Execution over time"
      caption={`By UTC ${step} of the latest status and provider, newest first; at most the ${providersMax} providers with the most orders. A figure based on fewer than ten orders is left out.`}
      class="keep"
      id="by-period"
      rows={points}
      rowAttributes={(point) => ({ "data-day": point.startsOn, "data-provider": point.provider ?? "none" })}
      columns={[
        {
          title: step === "week" ? "Week of" : "Month of",
          rowName: (point) => <a href={link(point, null)}>{point.startsOn}</a>,
        },
        { title: "Provider", show: ({ provider }) => <Given text={provider} /> },
        { title: "Orders", figures: (point) => <Count of={point.orders} href={link(point, null)} /> },
        { title: "Ended", figures: ({ ended }) => <Count of={ended} /> },
        {
          title: "Completion rate",
          ...completion,
          figures: (point) => <Figure text={point.completedPercent} unit="%" />,
        },
        {
          title: "Completed",
          figures: (point) => <Count of={point.completed} href={link(point, "completed")} />,
        },
        { title: "Median time", ...median, figures: (point) => <Age seconds={point.medianSeconds} /> },
        { title: "Quoted", figures: ({ quoted }) => <Count of={quoted} /> },
        {
          title: "Slippage, bp",
          ...slippage,
          figures: (point) => <Figure text={point.slippageBps} />,
        },
        { title: "Compared", figures: ({ compared }) => <Count of={compared} /> },
        { title: "Cost, bp", ...cost, figures: (point) => <Figure text={point.costBps} /> },
      ]}
    />
  );
}

/** What a chart takes from a cell. */
function plottedAs({ title, of, basedOn }: Trend): Pick<ListColumn<ExecutionPoint>, "value" | "plotted"> {
  return { value: of, plotted: (point) => ({ "data-trend": title, "data-based-on": basedOn(point) }) };
}

function Figure({ text, unit }: { text: string | null; unit?: string }) {
  if (text === null) return <Nothing />;
  return <span class="figure">{unit === undefined ? text : `${text} ${unit}`}</span>;
}
