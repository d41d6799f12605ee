import { addDays, parseDay } from "../../core/period.ts";
import { zoneNames } from "../../core/zone.ts";
import type { Problem } from "../../api/problem.ts";
import { parameterHelp, parametersOf } from "../../report/parameters.ts";
import { presetNames, type Report, reportFormats, reportId } from "../../report/report.ts";
import type { FilterChoices, Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { Choice, FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { namedPeriods } from "./months.ts";
import { Periods } from "./periods.tsx";

interface FormState {
  report: Report;
  /** What was filled in before. */
  given: ReadonlyMap<string, string>;
  refused: Problem | null;
}

export function showExportForm(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  state: FormState,
): Promise<Response> {
  return choicesFor(web, visitor).then((choices) =>
    show(web, c, visitor, {
      title: state.report.title,
      under: "/exports",
      children: (
        <>
          <TitleRow title={state.report.title}>
            <a href="/exports">All reports and exports</a>
          </TitleRow>
          <p>
            {state.report.purpose} {state.report.grain}
          </p>
          {parametersOf(state.report).includes("from") && (
            <Periods
              report={reportId(state.report)}
              given={state.given}
              periods={namedPeriods(web.api.deps.now(), visitor.preferences.zone)}
            />
          )}
          {state.refused !== null && <Refusal problem={state.refused} />}
          <ExportForm state={state} choices={choices} visitor={visitor} />
          <Columns report={state.report} />
        </>
      ),
    }),
  );
}

function Refusal({ problem }: { problem: Problem }) {
  return (
    <div class="form-error" role="alert">
      <p>{problem.detail}</p>
      {problem.code === "period_not_covered" && (
        <p>
          Look at <a href="/sync">Sync</a> for the gaps, or choose “take what is there” below: the export then
          says that it is partial.
        </p>
      )}
    </div>
  );
}

function ExportForm({
  state,
  choices,
  visitor,
}: {
  state: FormState;
  choices: FilterChoices;
  visitor: Visitor;
}) {
  const { report, given } = state;
  const value = (name: string) => given.get(name) ?? "";
  const known = parametersOf(report);
  const takes = (name: (typeof known)[number]) => known.includes(name);
  return (
    <form method="post" action="/exports" class="filters">
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="report" value={reportId(report)} />
      <div class="filter-row">
        {takes("from") && (
          <>
            <label>
              <span>From</span>
              <input type="date" name="from" value={value("from")} />
            </label>
            <label>
              <span>To, included</span>
              <input type="date" name="to_day" value={value("to_day")} />
            </label>
          </>
        )}
        {(["as_at", "known_at"] as const).filter(takes).map((name) => (
          <label>
            <span>{name === "as_at" ? "As at" : "Known at"}</span>
            <input
              type="text"
              name={name}
              value={value(name)}
              placeholder="now"
              title={parameterHelp[name]}
            />
          </label>
        ))}
        <label>
          <span>Time zone of days</span>
          <input
            type="text"
            name="tz"
            list="zones"
            value={value("tz") || visitor.preferences.zone}
            maxlength={60}
          />
        </label>
        <datalist id="zones">
          {zoneNames().map((zone) => (
            <option value={zone}></option>
          ))}
        </datalist>
        {takes("account") && (
          <Choice
            name="account"
            label="Account"
            any="All"
            options={choices.accounts}
            chosen={value("account")}
          />
        )}
        {takes("provider") && (
          <Choice
            name="provider"
            label="Provider"
            any="All"
            options={choices.providers}
            chosen={value("provider")}
          />
        )}
        {takes("status") && (
          <label>
            <span>Status</span>
            <input type="text" name="status" value={value("status")} placeholder="all" />
          </label>
        )}
      </div>
      <div class="filter-row">
        <label>
          <span>Form of the file</span>
          <select name="preset">
            {presetNames.map((name) => (
              <option value={name} selected={name === (value("preset") || "excel")}>
                {presetTitles[name]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Format</span>
          <select name="format">
            {reportFormats.map((name) => (
              <option value={name} selected={value("format") === name}>
                {formatTitles[name]}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="partial" value="true" checked={value("partial") === "true"} /> take
          what is there of a period with gaps
        </label>
      </div>
      <p class="actions">
        <button type="submit">Make the export</button>
      </p>
      <p class="muted">
        Excel keeps 15 digits of a number. A workbook has longer ones as text, so that none is lost; of a CSV
        file, import the columns as text (Data › From Text/CSV › Do not detect data types).
      </p>
    </form>
  );
}

const formatTitles = { csv: "CSV", jsonl: "JSON lines", xlsx: "Excel workbook (XLSX)", parquet: "Parquet" };

const presetTitles = {
  plain: "Plain CSV, for programs",
  excel: "CSV for Excel",
};

function Columns({ report }: { report: Report }) {
  return (
    <Panel title="Columns" id="columns">
      <dl class="facts">
        {report.columns.map(({ name, description }) => (
          <>
            <dt class="mono">{name}</dt>
            <dd>{description}</dd>
          </>
        ))}
      </dl>
    </Panel>
  );
}

const sent = ["from", "as_at", "known_at", "tz", "account", "provider", "status", "preset", "partial"];

/** On the page the last day of a period is in it; for a report, the day after it is its end. */
export function readExportForm(form: FormData): {
  given: Map<string, string>;
  format: string;
  parameters: Record<string, string>;
} {
  const names = [...sent, "to_day", "format"];
  const given = new Map(names.map((name) => [name, textOf(form, name)]));
  const parameters: Record<string, string> = {};
  for (const name of sent) if (given.get(name)) parameters[name] = given.get(name) ?? "";
  const lastDay = given.get("to_day") ?? "";
  const day = parseDay(lastDay);
  if (lastDay !== "") parameters["to"] = day === null ? lastDay : addDays(day, 1);
  const format = reportFormats.find((name) => name === given.get("format")) ?? "csv";
  // The others have one form only.
  if (format !== "csv") delete parameters["preset"];
  return { given, format, parameters };
}
