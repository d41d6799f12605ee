/** A day of a small chart: how high, what it says under the pointer, and what it opens. */
interface SparkPoint {
  value: number;
  title: string;
  href: string;
}

const width = 240;
const height = 36;
/** Room for the line itself at both edges. */
const inset = 3;

/**
 * A line of days, drawn by the server. For the eye and the pointer: the figures it is drawn from stand beside it, so it is
 * not read aloud, and the keyboard passes it by.
 */
export function Sparkline({ points }: { points: readonly SparkPoint[] }) {
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = width / Math.max(1, points.length);
  const x = (at: number) => (at + 0.5) * step;
  const y = (value: number) =>
    high === low ? height / 2 : inset + ((high - value) / (high - low)) * (height - 2 * inset);
  const line = points.map(({ value }, at) => `${round(x(at))},${round(y(value))}`).join(" ");
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <line class="spark-zero" x1="0" x2={width} y1={round(y(0))} y2={round(y(0))} />
      <polyline class="spark-line" points={line} />
      {points.map(({ title, href }, at) => (
        <a href={href} tabindex={-1}>
          <rect class="spark-day" x={round(at * step)} y="0" width={round(step)} height={height}>
            <title>{title}</title>
          </rect>
        </a>
      ))}
    </svg>
  );
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
