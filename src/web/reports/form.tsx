import { discrepancyLevels } from "../../core/discrepancy-codes.ts";
import { parseDay } from "../../core/period.ts";
import { zoneNames } from "../../core/zone.ts";
import { classes } from "../../store/books/summary.ts";
import { type ParameterName, parameterHelp, parametersOf } from "../../report/parameters.ts";
import { type FilterName, filterNames, type Report, reportId } from "../../report/report.ts";
import type { FilterChoices } from "../deps.ts";
import { Choice } from "../parts/blocks.tsx";
import type { Asked } from "./asked.ts";
import { titleOf } from "./title-of.ts";
import type { NamedPeriod } from "./months.ts";

interface ReportFormProps {
  report: Report;
  asked: Asked;
  choices: FilterChoices;
}

/** What a report can be asked, field by field. The answer is an address: a link to it is the report as it is asked. */
export function ReportForm({ report, asked, choices }: ReportFormProps) {
  const known = parametersOf(report);
  const takes = (name: ParameterName) => known.includes(name);
  const { shown } = asked;
  return (
    <form class="filters" method="get" action={`/reports/${reportId(report)}`}>
      <div class="filter-row">
        {takes("from") && <PeriodFields shown={shown} />}
        {moments.filter(takes).map((name) => (
          <label title={parameterHelp[name]}>
            <span>{titleOf(name)}</span>
            <input
              type="text"
              name={name}
              value={shown(name)}
              placeholder={momentHint(name)}
              maxlength={40}
            />
          </label>
        ))}
        {takes("account") && (
          <Choice
            name="account"
            label="Account"
            any="All"
            options={choices.accounts}
            chosen={shown("account")}
          />
        )}
        {filterNames
          .filter((name) => report.filters[name] !== undefined)
          .map((name) => (
            <Filter name={name} report={report} chosen={shown(name)} choices={choices} />
          ))}
        <label>
          <span>Days in</span>
          <input type="text" name="tz" list="zones" value={shown("tz")} maxlength={60} />
        </label>
        <datalist id="zones">
          {zoneNames().map((zone) => (
            <option value={zone}></option>
          ))}
        </datalist>
        {report.needsCoverage && (
          <label class="check">
            <input type="checkbox" name="partial" value="true" checked={shown("partial") === "true"} />{" "}
            include gaps
          </label>
        )}
        <button type="submit">Show</button>
      </div>
      <Columns report={report} chosen={shown("columns").split(",").filter(Boolean)} />
    </form>
  );
}

/** Days; a bound by the second, which a field for days cannot show, is a text and stays what it is. */
function PeriodFields({ shown }: Pick<Asked, "shown">) {
  const [from, end] = [shown("from"), shown("to")];
  const isTime = (bound: string) => bound !== "" && parseDay(bound) === null;
  return (
    <>
      <label>
        <span>From</span>
        <input type={isTime(from) ? "text" : "date"} name="from" value={from} />
      </label>
      {isTime(end) ? (
        <label>
          <span>To, excluded</span>
          <input type="text" name="to" value={end} />
        </label>
      ) : (
        <label>
          <span>To, included</span>
          <input type="date" name="to_day" value={shown("to_day")} />
        </label>
      )}
    </>
  );
}

const moments = ["as_at", "known_at", "prior_known_at"] as const;

function momentHint(name: (typeof moments)[number]): string {
  return name === "prior_known_at" ? "the close before" : "now";
}

interface FilterProps {
  name: FilterName;
  report: Report;
  chosen: string;
  choices: FilterChoices;
}

/** A list where the words are known, and a field otherwise: several words with commas between them. */
function Filter({ name, report, chosen, choices }: FilterProps) {
  const options = wordsOf(name, report, choices);
  if (options !== null) {
    return <Choice name={name} label={titleOf(name)} any="All" options={options} chosen={chosen} />;
  }
  return (
    <label title={parameterHelp[name]}>
      <span>{titleOf(name)}</span>
      <input type="text" name={name} value={chosen} placeholder="all" maxlength={200} />
    </label>
  );
}

function wordsOf(name: FilterName, report: Report, choices: FilterChoices): readonly string[] | null {
  if (name === "provider") return choices.providers;
  if (name === "source_currency") return choices.currencies;
  if (name === "transaction_type") return ["buy", "sell"];
  if (name === "level") return discrepancyLevels;
  if (name === "class") return classes;
  // Payouts have other states than transactions.
  const isOfTransactions = report.columns.some((column) => column.name === "is_final");
  if (name === "status" && isOfTransactions)
    return ["completed", "paid", "pending", "new", "failed", "canceled"];
  return null;
}

/** None ticked is all of them: an address stays short until someone chooses. */
function Columns({ report, chosen }: { report: Report; chosen: readonly string[] }) {
  return (
    <details>
      <summary>
        Columns{chosen.length > 0 ? ` (${chosen.length} of ${report.columns.length})` : ` (all)`}
      </summary>
      <fieldset class="column-checks">
        <legend>Only these, on screen and in files; tick none for all</legend>
        {report.columns.map(({ name, description }) => (
          <label>
            <input type="checkbox" name="columns" value={name} checked={chosen.includes(name)} />
            <span class="what">
              <span class="mono">{name}</span> <small>{description}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}

interface PeriodsProps {
  report: Report;
  asked: Asked;
  periods: readonly NamedPeriod[];
}

/** The periods that people ask for most, as links that keep everything else that was chosen. */
export function Periods({ report, asked, periods }: PeriodsProps) {
  return (
    <nav class="segments periods" aria-label="Period">
      {periods.map(({ title, from, to }) => {
        const isChosen = asked.shown("from") === from && asked.shown("to_day") === to;
        const query = new URLSearchParams(asked.address);
        query.delete("to");
        query.set("from", from);
        query.set("to_day", to);
        return (
          <a
            href={`/reports/${reportId(report)}?${query.toString()}`}
            aria-current={isChosen ? "true" : undefined}
          >
            {title}
          </a>
        );
      })}
    </nav>
  );
}
