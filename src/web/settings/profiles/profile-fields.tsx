import { AreaField, type CheckedForm, SelectField, TextField } from "../../parts/checked-field.tsx";
import { timeForms } from "./make-profile.ts";

/** Everything that a reader would otherwise have to guess. */
export function ProfileFields({ form, accounts }: { form: CheckedForm; accounts: readonly string[] }) {
  return (
    <>
      <fieldset>
        <legend>Figures, times and words</legend>
        <div class="filter-row">
          <SelectField
            of={form}
            name="decimal"
            label="Decimal sign"
            options={[
              [".", "point: 1234.50"],
              [",", "comma: 1234,50"],
            ]}
          />
          <SelectField
            of={form}
            name="grouping"
            label="Thousands"
            options={[
              ["", "together: 1234"],
              [",", "comma: 1,234"],
              [".", "point: 1.234"],
              [" ", "space: 1 234"],
              ["'", "apostrophe: 1'234"],
            ]}
          />
          <SelectField
            of={form}
            name="coin_decimal"
            label="Coins are written"
            options={[
              ["", "as money is"],
              [".", "with a point: 0.00512"],
              [",", "with a comma: 0,00512"],
            ]}
          />
          <TextField of={form} name="amount_marks" label="Signs beside amounts" hint="such as $ or EUR" />
          <TextField of={form} name="time_format" label="Times are written" list="time-forms" class="wide" />
          <datalist id="time-forms">
            {timeForms.map((each) => (
              <option value={each}></option>
            ))}
          </datalist>
          <TextField of={form} name="time_zone" label="in the zone" hint="such as Europe/Vilnius" />
          <TextField
            of={form}
            name="month_language"
            label="Months are named in"
            hint="English, or such as es"
          />
          <TextField of={form} name="id_prefix" label="Before order ids" hint="such as ORD-, dropped" />
          <SelectField
            of={form}
            name="side"
            label="Buy or sell"
            options={[
              ["unknown", "not said"],
              ["buy", "all are buys"],
              ["sell", "all are sells"],
              ["by_currency", "by which leg is fiat"],
              ["words", "by the column"],
            ]}
          />
          <SelectField
            of={form}
            name="basis"
            label="Its fiat amounts are"
            options={[
              ["gross", "with the fees"],
              ["net", "without the fees"],
            ]}
          />
          <SelectField
            of={form}
            name="model"
            label="The provider owes us"
            options={[
              ["commission", "our share"],
              ["gross", "the customer’s money less fees"],
            ]}
          />
          <SelectField
            of={form}
            name="fee_sign"
            label="Fees are printed"
            options={[
              ["as_printed", "without a sign: 2.00"],
              ["ledger", "with a minus: -2.00"],
            ]}
          />
          <TextField
            of={form}
            name="debit_words"
            label="Words for a debit"
            hint="such as D, debit: then we are owed less"
          />
          <SelectField
            of={form}
            name="identity"
            label="Rows"
            options={[
              ["order", "one for each order"],
              ["counted", "may repeat"],
            ]}
          />
        </div>
        <div class="filter-row">
          <AreaField
            of={form}
            name="statuses"
            label="Statuses: their word = ours, one per line"
            hint="ours: settled, captured, delivering, processing, created, awaiting_payment, on_hold, failed, canceled, expired, refunded, charged_back, unknown"
            rows={4}
            class="grow"
          />
          <AreaField
            of={form}
            name="line_types"
            label="Kinds of lines: their word = ours"
            hint="ours: charge, refund, chargeback, chargeback_reversal, fee, commission, adjustment, reserve, payout"
            rows={4}
            class="grow"
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>The same in every row, and in no column</legend>
        <div class="filter-row">
          <TextField of={form} name="constants_fiat_currency" label="Fiat currency" hint="such as EUR" />
          <TextField of={form} name="constants_asset" label="Coin" hint="such as BTC" />
          <SelectField
            of={form}
            name="constants_status"
            label="Status"
            options={[
              ["", "in a column"],
              ["settled", "all rows are paid"],
            ]}
          />
        </div>
      </fieldset>
      <fieldset>
        <legend>The profile</legend>
        <div class="filter-row">
          <TextField of={form} name="name" label="Name" hint="such as kappa-weekly" maxlength={64} />
          <TextField of={form} name="provider" label="Provider" hint="empty: any" maxlength={60} />
          <SelectField
            of={form}
            name="account"
            label="Account"
            options={accounts.map((account) => [account, account] as const)}
          />
          <TextField
            of={form}
            name="reason"
            label="Reason, kept with the profile"
            maxlength={500}
            class="grow"
          />
        </div>
      </fieldset>
    </>
  );
}
