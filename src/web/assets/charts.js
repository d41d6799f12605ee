/* Draws charts from the tables beside them: the table is the data, and the chart is only another look at it. */

const drawings = new Map();

/** The first and the last bar have two halves as well. */
const halfDay = 43_200;

function drawCharts() {
  for (const figure of document.querySelectorAll('[data-chart="outcomes"]')) draw(figure);
}

function draw(figure) {
  drawings.get(figure)?.destroy();
  const rows = [...document.querySelectorAll(`#${figure.dataset.table} tbody tr`)].toReversed();
  const values = (column) =>
    rows.map((row) => Number(row.querySelectorAll("[data-value]")[column]?.dataset.value ?? 0));
  const [completed, open, ended] = [values(0), values(1), values(2)];
  const days = rows.map((row) => Date.parse(`${row.dataset.day}T00:00:00Z`) / 1000);
  // Stacked by painting the larger sums first.
  const upToOpen = completed.map((value, at) => value + open[at]);
  const all = upToOpen.map((value, at) => value + ended[at]);
  const share = completed.map((value, at) => (all[at] === 0 ? null : (value / all[at]) * 100));
  const canvas = figure.querySelector(".chart-canvas");
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => resolve(style.getPropertyValue(name));
  const bars = uPlot.paths.bars({ size: [0.7, 40] });
  const bar = (label, fill, own) => ({
    label,
    fill,
    stroke: fill,
    width: 0,
    paths: bars,
    points: { show: false },
    value: (_, __, ___, at) => (at === null ? "–" : String(own[at])),
  });
  const axis = {
    stroke: colour("--muted"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const chart = new uPlot(
    {
      width: canvas.clientWidth,
      height: 300,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      cursor: { drag: { x: false, y: false } },
      // The figures stand in the table; a legend that counts along only trembles.
      legend: { live: false },
      scales: {
        x: { time: true, range: (_, from, to) => [from - halfDay, to + halfDay] },
        y: { range: (_, __, max) => [0, Math.max(1, max * 1.08)] },
        share: { range: [0, 100] },
      },
      axes: [
        { ...axis, grid: { show: false }, values: (_, ticks) => ticks.map(dayOf) },
        { ...axis, size: 56 },
        {
          ...axis,
          scale: "share",
          side: 1,
          grid: { show: false },
          values: (_, ticks) => ticks.map((tick) => `${tick} %`),
          size: 52,
        },
      ],
      series: [
        {
          label: "Day",
          value: (_, seconds) =>
            seconds === null ? "–" : new Date(seconds * 1000).toISOString().slice(0, 10),
        },
        bar("Failed", colour("--chart-ended"), ended),
        bar("Open", colour("--chart-open"), open),
        bar("Completed", colour("--chart-completed"), completed),
        {
          label: "Completion",
          scale: "share",
          stroke: colour("--ink"),
          width: 1.5,
          dash: [5, 3],
          points: { show: false },
          value: (_, value) => (value === null ? "–" : `${value.toFixed(1)} %`),
        },
      ],
    },
    [days, all, upToOpen, completed, share],
    canvas,
  );
  drawings.set(figure, chart);
}

function dayOf(seconds) {
  return new Date(seconds * 1000).toISOString().slice(5, 10);
}

/** A canvas takes no `light-dark()`: an element shows what it comes to. */
function resolve(colour) {
  const probe = document.createElement("span");
  probe.style.color = colour;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

drawCharts();
// A part of the screen that came later may bring its chart along.
document.addEventListener("htmx:afterSettle", drawCharts);
let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawCharts, 150);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawCharts);
