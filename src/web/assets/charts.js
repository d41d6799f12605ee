/* Draws charts from the tables beside them: the table is the data, and the chart is only another look at it. */

const drawings = new Map();

/** The first and the last bar have two halves as well. */
const halfDay = 43_200;

function drawCharts() {
  for (const figure of document.querySelectorAll('[data-chart="outcomes"]')) drawOutcomes(figure);
  for (const figure of document.querySelectorAll('[data-chart="trend"]')) drawTrend(figure);
}

function drawOutcomes(figure) {
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
  const colour = colours();
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
  const axis = axisIn(colour);
  const chart = new uPlot(
    {
      width: canvas.clientWidth,
      height: 300,
      tzDate: inUtc,
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

/** One line per provider, each with its own colour and dashes; a point that the table leaves out is a gap. */
function drawTrend(figure) {
  drawings.get(figure)?.destroy();
  const { table, trend, unit } = figure.dataset;
  const points = [...document.querySelectorAll(`#${table} tbody tr`)].map((row) => {
    const cell = row.querySelector(`[data-trend="${trend}"]`);
    const value = cell?.dataset.value;
    return {
      day: Date.parse(`${row.dataset.day}T00:00:00Z`) / 1000,
      provider: row.dataset.provider,
      value: value === undefined ? null : Number(value),
      basedOn: Number(cell?.dataset.basedOn ?? 0),
      href: row.querySelector("a")?.href,
    };
  });
  const days = [...new Set(points.map(({ day }) => day))].toSorted((a, b) => a - b);
  const all = [...new Set(points.map(({ provider }) => provider))];
  // A provider has one colour in all charts, and is left out of those that know nothing of it.
  const providers = all.filter((one) =>
    points.some(({ provider, value }) => provider === one && value !== null),
  );
  const lines = providers.map((provider) =>
    days.map((day) => points.find((point) => point.day === day && point.provider === provider) ?? null),
  );
  const canvas = figure.querySelector(".chart-canvas");
  const says = figure.querySelector(".chart-value");
  const colour = colours();
  const axis = axisIn(colour);
  const pad = days.length > 1 ? (days[1] - days[0]) / 4 : halfDay;
  let focused = null;
  /** The point under the pointer, where there is one. */
  const pointed = (chart) => (focused === null ? null : (lines[focused - 1]?.[chart.cursor.idx] ?? null));
  const say = (chart) => {
    const point = pointed(chart);
    const isKnown = point !== null && point.value !== null;
    says.textContent = isKnown
      ? `${point.provider}, ${new Date(point.day * 1000).toISOString().slice(0, 10)}: ${withUnit(point.value, unit)}, ${point.basedOn} orders`
      : "";
    chart.over.style.cursor = isKnown ? "pointer" : "";
  };
  const chart = new uPlot(
    {
      width: canvas.clientWidth,
      height: 200,
      tzDate: inUtc,
      cursor: { drag: { x: false, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.3 },
      legend: { live: false },
      scales: {
        x: { time: true, range: (_, from, to) => [from - pad, to + pad] },
        y: { range: (_, min, max) => roomAround(min, max, unit) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          splits: () => days.filter((_, at) => (days.length - 1 - at) % Math.ceil(days.length / 8) === 0),
          values: (_, ticks) => ticks.map(dayOf),
        },
        {
          ...axis,
          size: 56,
          ...(unit === "s" ? { incrs: timeSteps } : {}),
          values: (_, ticks) => ticks.map((tick) => withUnit(tick, unit)),
        },
      ],
      series: [
        { label: "From" },
        ...providers.map((label) => ({
          label,
          stroke: colour(`--chart-line-${all.indexOf(label) + 1}`),
          width: 1.75,
          dash: dashes[all.indexOf(label)],
          // Alone between two gaps, a point has no line that would show it.
          points: { show: true, size: 6 },
        })),
      ],
      hooks: {
        setSeries: [
          (self, at) => {
            focused = at;
            say(self);
          },
        ],
        setCursor: [say],
      },
    },
    [days, ...lines.map((line) => line.map((point) => point?.value ?? null))],
    canvas,
  );
  chart.over.addEventListener("click", () => {
    const point = pointed(chart);
    if (point !== null && point.value !== null && point.href !== undefined) location.assign(point.href);
  });
  drawings.set(figure, chart);
}

const dashes = [undefined, [6, 3], [2, 3], [10, 3], [8, 3, 2, 3], [4, 6]];

/** Seconds that read well as minutes and hours. */
const timeSteps = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 18_000, 36_000, 86_400, 432_000];

/** Zero is always in sight, and so is all of a share. */
function roomAround(min, max, unit) {
  if (unit === "%") return [0, 100];
  const [low, high] = [Math.min(0, min), Math.max(0, max)];
  const room = (high - low || 1) * 0.08;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

function withUnit(value, unit) {
  if (unit !== "s") return unit === "%" ? `${value} %` : String(value);
  if (value >= 5_400) return `${Math.round(value / 360) / 10} h`;
  return value >= 90 ? `${Math.round(value / 6) / 10} min` : `${Math.round(value)} s`;
}

function colours() {
  const style = getComputedStyle(document.documentElement);
  return (name) => resolve(style.getPropertyValue(name));
}

function axisIn(colour) {
  return {
    stroke: colour("--muted"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
}

function inUtc(seconds) {
  return uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC");
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
