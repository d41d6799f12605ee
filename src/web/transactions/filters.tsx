import { addDays, parseDay } from "../../core/period.ts";
import { may } from "../deps.ts";
import { chosenIn } from "../address.ts";
import { Choice } from "../parts/blocks.tsx";
import type { FiltersProps } from "../parts/filter-form.tsx";
import { chooseColumns, columnNames, columnOf } from "./columns.tsx";
import { classNames } from "./query.ts";

const statuses = ["completed", "paid", "pending", "new", "failed", "canceled"];
const furtherFilters = [
  "class",
  "account",
  "transaction_type",
  "source_currency",
  "target_currency",
  "payment_method",
  "country",
  "is_final",
  "in_amount[gte]",
  "in_amount[lte]",
];

/** Bounds that have a field here. Those that a link brings beside them are carried along unseen. */
const boundsShown = new Set(["status_date[gte]", "status_date[lte]", "in_amount[gte]", "in_amount[lte]"]);

/** A form whose answer is an address: it works without a script, and with one only the results are replaced. */
export function Filters({ address, choices, visitor }: FiltersProps) {
  const chosen = chosenIn(address);
  const columns = chooseColumns(address.getAll("columns").flatMap((value) => value.split(",")));
  // A link may say where the days end by the day after them.
  const lastDay = dayOf(chosen("status_date[lte]")) || dayBefore(chosen("status_date[lt]"));
  const isShown = (name: string) =>
    boundsShown.has(name) ||
    (name === "status_date[lt]" && lastDay !== "" && !address.has("status_date[lte]"));
  const carried = [...address].filter(([name]) => name.endsWith("]") && !isShown(name));
  const further = furtherFilters.filter((name) => address.has(name)).length;
  return (
    <form
      class="filters"
      method="get"
      action="/transactions"
      hx-get="/transactions"
      hx-target="#results"
      hx-select="#results"
      hx-select-oob="#summary"
      hx-swap="outerHTML"
      hx-push-url="true"
      hx-trigger="submit, change delay:120ms"
      hx-sync="this:replace"
    >
      <input type="hidden" name="tz" value={address.get("tz") ?? visitor.preferences.zone} />
      {carried.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="filter-row">
        <label class="grow">
          <span>Id, hash or reference</span>
          <input
            type="search"
            name="q"
            value={chosen("q")}
            maxlength={200}
            placeholder="whole, or its first 8 characters"
          />
        </label>
        <Choice name="status" label="Status" options={statuses} chosen={chosen("status")} />
        <Choice name="provider" label="Provider" options={choices.providers} chosen={chosen("provider")} />
        <label>
          <span>From</span>
          <input type="date" name="status_date[gte]" value={dayOf(chosen("status_date[gte]"))} />
        </label>
        <label>
          <span>To, included</span>
          <input type="date" name="status_date[lte]" value={lastDay} />
        </label>
        <button type="submit">Apply</button>
        <a class="clear" href="/transactions">
          Clear
        </a>
      </div>
      <details open={further > 0}>
        <summary>More filters{further > 0 ? ` (${further})` : ""}</summary>
        <div class="filter-row">
          <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
          {may(visitor, "reconcile:read") && (
            <Choice name="class" label="Tied out" options={classNames} chosen={chosen("class")} />
          )}
          <Choice
            name="transaction_type"
            label="Type"
            options={["buy", "sell"]}
            chosen={chosen("transaction_type")}
          />
          <Choice
            name="source_currency"
            label="Paid in"
            options={choices.currencies}
            chosen={chosen("source_currency")}
          />
          <TextFilter
            name="target_currency"
            label="Received in"
            value={chosen("target_currency")}
            example="btc"
          />
          <TextFilter
            name="in_amount[gte]"
            label="Paid at least"
            value={chosen("in_amount[gte]")}
            example="needs “Paid in”"
          />
          <TextFilter
            name="in_amount[lte]"
            label="Paid at most"
            value={chosen("in_amount[lte]")}
            example="needs “Paid in”"
          />
          <TextFilter
            name="payment_method"
            label="Payment method"
            value={chosen("payment_method")}
            example="creditcard"
          />
          <TextFilter name="country" label="Country" value={chosen("country")} example="de" />
          <Choice name="is_final" label="Final" options={["true", "false"]} chosen={chosen("is_final")} />
        </div>
      </details>
      <details>
        <summary>Columns</summary>
        <fieldset class="checks">
          <legend class="unseen">Columns to show</legend>
          {columnNames.map((name) => (
            <label>
              <input
                type="checkbox"
                name="columns"
                value={name}
                checked={columns.includes(name)}
                disabled={name === "transaction_id"}
              />
              {columnOf(name).label}
            </label>
          ))}
        </fieldset>
      </details>
    </form>
  );
}

interface TextFilterProps {
  name: string;
  label: string;
  value: string;
  example: string;
}

function TextFilter({ name, label, value, example }: TextFilterProps) {
  return (
    <label>
      <span>{label}</span>
      <input type="text" name={name} value={value} placeholder={example} maxlength={200} />
    </label>
  );
}

/** A field for days can show no time of day; such a link still works, and the field is empty. */
function dayOf(value: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(value) ? value : "";
}

function dayBefore(value: string): string {
  const day = parseDay(value);
  return day === null ? "" : addDays(day, -1);
}
