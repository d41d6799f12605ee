import { counted } from "../../core/counted.ts";
import type { CoverageRow, TimeSpan } from "../../store/accounts/account-reads.ts";
import { formatCount, formatDay, formatTime } from "../format.ts";

const width = 1_000;
/** A narrower gap would be invisible. */
const gapWidthMin = 4;
const gapsListed = 8;

/** A line of time: what was read is filled, every gap is hatched, marked above the line, and listed in words. */
export function CoverageLine({ coverage, zone }: { coverage: CoverageRow; zone: string }) {
  const startMs = msOf(coverage.sync_start);
  const endMs = coverage.planned_to === null ? startMs : msOf(coverage.planned_to);
  const place = (text: string) => ((msOf(text) - startMs) / Math.max(1, endMs - startMs)) * width;
  const words = describeCoverage(coverage, zone);
  const patternId = `gap-${startMs}-${endMs}`;
  return (
    <div class="coverage">
      <svg viewBox={`0 0 ${width} 26`} preserveAspectRatio="none" role="img" aria-label={words}>
        <defs>
          <pattern
            id={patternId}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class="gap-ground" width="8" height="8" />
            <rect class="gap-stripe" width="3" height="8" />
          </pattern>
        </defs>
        <rect class="covered" x="0" y="8" width={width} height="18" rx="2" />
        {coverage.gaps.map((gap) => (
          <Gap gap={gap} place={place} patternId={patternId} />
        ))}
      </svg>
      <p class="coverage-ends">
        <span>{formatDay(coverage.sync_start, zone)}</span>
        <span>{words.split(", ").at(-1)}</span>
        <span>{coverage.planned_to === null ? "not planned" : formatDay(coverage.planned_to, zone)}</span>
      </p>
      {coverage.gap_count > 0 && (
        <details>
          <summary>Gaps</summary>
          <ul class="plain-list">
            {coverage.gaps.slice(0, gapsListed).map(({ from, to }) => (
              <li>
                {formatTime(from, zone)} – {formatTime(to, zone)}
              </li>
            ))}
            {coverage.gap_count > gapsListed && (
              <li>and {formatCount(coverage.gap_count - gapsListed)} more</li>
            )}
          </ul>
        </details>
      )}
    </div>
  );
}

interface GapProps {
  gap: TimeSpan;
  place: (text: string) => number;
  patternId: string;
}

function Gap({ gap, place, patternId }: GapProps) {
  const x = Math.min(width - gapWidthMin, Math.max(0, place(gap.from)));
  const wide = Math.max(gapWidthMin, Math.min(width, place(gap.to)) - x);
  return (
    <>
      <rect x={round(x)} y="8" width={round(wide)} height="18" fill={`url(#${patternId})`} />
      <rect class="gap-mark" x={round(x)} y="0" width={round(wide)} height="5" />
    </>
  );
}

function describeCoverage(coverage: CoverageRow, zone: string): string {
  const { gap_count: count } = coverage;
  const gaps = count === 0 ? "no gap" : counted(count, "gap");
  const to = coverage.planned_to === null ? "now" : formatTime(coverage.planned_to, zone);
  const share = `${(Math.floor(coverage.share * 1_000) / 10).toFixed(1)} %`;
  return `${share} of the time from ${formatTime(coverage.sync_start, zone)} to ${to} has been read, ${gaps}`;
}

function msOf(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
}

function round(value: number): string {
  return value.toFixed(2);
}
