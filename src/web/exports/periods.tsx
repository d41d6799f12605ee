import type { NamedPeriod } from "./months.ts";

/** The periods that people export most, as links to the form with their days filled in. */
export function Periods({
  report,
  given,
  periods,
}: {
  report: string;
  given: ReadonlyMap<string, string>;
  periods: readonly NamedPeriod[];
}) {
  return (
    <nav class="segments periods" aria-label="Period">
      {periods.map(({ title, from, to }) => {
        const chosen = given.get("from") === from && given.get("to_day") === to;
        const query = new URLSearchParams({ report, from, to_day: to });
        return (
          <a href={`/exports/new?${query.toString()}`} aria-current={chosen ? "true" : undefined}>
            {title}
          </a>
        );
      })}
    </nav>
  );
}
