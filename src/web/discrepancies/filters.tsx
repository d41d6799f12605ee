import { discrepancyLevels } from "../../core/discrepancy-codes.ts";
import { chosenIn } from "../address.ts";
import { Choice } from "../parts/blocks.tsx";
import { codeWords } from "../parts/discrepancy.tsx";
import { FilterForm, type FiltersProps } from "../parts/filter-form.tsx";
import { closedStates, codeNames, openStates } from "./query.ts";

const sorts = [
  ["", "oldest first"],
  ["-since", "newest first"],
  ["-value", "highest value, by currency"],
  ["value", "lowest value, by currency"],
  ["provider", "provider"],
] as const;

export function QueueFilters({ address, choices, people }: FiltersProps & { people: readonly string[] }) {
  const chosen = chosenIn(address);
  const closed = address.get("show") === "closed";
  return (
    <FilterForm path="/discrepancies" clear>
      {["statement", "payout"]
        .filter((name) => address.has(name))
        .map((name) => (
          <input type="hidden" name={name} value={chosen(name)} />
        ))}
      <label class="short">
        <span>Show</span>
        <select name="show">
          <option value="">open</option>
          <option value="closed" selected={closed}>
            closed
          </option>
        </select>
      </label>
      <label>
        <span>Sort by</span>
        <select name="sort">
          {sorts.map(([value, words]) => (
            <option value={value} selected={value === chosen("sort")}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <Choice name="level" label="Level" options={discrepancyLevels} chosen={chosen("level")} />
      <Choice
        name="code"
        label="What disagrees"
        options={codeNames}
        chosen={chosen("code")}
        words={codeWords}
      />
      {(choices.accounts.length > 1 || address.has("account")) && (
        <Choice name="account" label="Account" options={choices.accounts} chosen={chosen("account")} />
      )}
      <Choice name="provider" label="Provider" options={choices.providers} chosen={chosen("provider")} />
      <Choice
        name="owner"
        label="Owner"
        options={["unassigned", ...people]}
        chosen={chosen("owner")}
        words={(name) => (name === "unassigned" ? "Unassigned" : name)}
      />
      <Choice
        name="state"
        label="State"
        options={closed ? closedStates : openStates}
        chosen={chosen("state")}
        words={codeWords}
      />
      <NumberFilter name="age_min" label="Days, at least" value={chosen("age_min")} />
      <NumberFilter name="age_max" label="Days, at most" value={chosen("age_max")} />
      <label class="short">
        <span>Value, at least</span>
        <input
          type="text"
          inputmode="decimal"
          name="value_min"
          value={chosen("value_min")}
          placeholder="100.50"
        />
      </label>
      <label class="short">
        <span>of currency</span>
        <input type="text" name="currency" value={chosen("currency")} placeholder="EUR" maxlength={40} />
      </label>
    </FilterForm>
  );
}

function NumberFilter({ name, label, value }: { name: string; label: string; value: string }) {
  return (
    <label class="short">
      <span>{label}</span>
      <input type="number" name={name} value={value} min="0" max="99999" />
    </label>
  );
}
