import { parameterHelp } from "../../report/parameters.ts";

/** What only the forms of bookkeeping programs ask for. */
export function PresetFields({
  takes,
  value,
}: {
  takes: (name: keyof typeof presetFields) => boolean;
  value: (name: string) => string;
}) {
  const names = (Object.keys(presetFields) as (keyof typeof presetFields)[]).filter(takes);
  return (
    <details open={names.some((name) => value(name) !== "")}>
      <summary>For Xero, QuickBooks or a journal</summary>
      <div class="filter-row">
        {names.map((name) => (
          <label class="wide">
            <span>{presetFields[name].title}</span>
            <input
              type="text"
              name={name}
              value={value(name)}
              placeholder={presetFields[name].example}
              title={parameterHelp[name]}
              maxlength={60}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

const presetFields = {
  currency: { title: "Currency of the file", example: "EUR" },
  date_format: { title: "Order of dates", example: "dmy or mdy" },
  clearing_account: { title: "Account code, provider’s side", example: "1200" },
  customer_account: { title: "Account code, customers’ side", example: "4000" },
};
