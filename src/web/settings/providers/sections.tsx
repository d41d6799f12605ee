import { counted } from "../../../core/counted.ts";
import { AreaField, SelectField, TextField, TickField } from "../../parts/checked-field.tsx";
import { SavedBy, Section, type SectionsProps } from "./section.tsx";
import { Receipts, Tolerances } from "./tolerance-tables.tsx";

export function Sections(props: SectionsProps) {
  return (
    <>
      <Calendar {...props} />
      <Tolerances {...props} />
      <Receipts {...props} />
      <Exclusion {...props} />
      <Words {...props} />
    </>
  );
}

function Calendar({ settings, form, visitor }: SectionsProps) {
  const { learnt } = settings;
  const files = counted(learnt.statements, "file");
  const payouts = counted(learnt.payouts, "payout");
  const days = { of: form, inputmode: "numeric", maxlength: 4, class: "short" } as const;
  return (
    <Section name="calendar" title="Settlement" {...{ settings, form, visitor }}>
      <div class="filter-row">
        <SelectField
          of={form}
          name="calendar.period"
          label="One statement covers a"
          options={[
            ["day", "day"],
            ["week", "week"],
            ["month", "month"],
          ]}
        />
        <TextField of={form} name="calendar.zone" label="Time zone of its periods" maxlength={60} />
        <TextField
          {...days}
          name="calendar.statement_lag_days"
          label="Days to the statement"
          hint={learntWords(learnt.statement_lag_days, files)}
        />
        <TextField {...days} name="calendar.statement_grace_days" label="and days of grace" />
        <TextField
          {...days}
          name="calendar.payout_lag_days"
          label="Days to the payout"
          hint={learntWords(learnt.payout_lag_days, payouts)}
        />
        <TextField {...days} name="calendar.payout_grace_days" label="and days of grace" />
      </div>
      <div class="filter-row">
        <TickField of={form} name="calendar.closed_on_weekends" label="No payouts on Saturdays and Sundays" />
        <AreaField
          of={form}
          name="calendar.holidays"
          label="Bank holidays, one per line"
          hint="such as 2026-12-25 Christmas Day: what is due then is due on the next business day"
          rows={3}
          class="grow"
        />
      </div>
      <div class="filter-row">
        <TextField
          of={form}
          name="calendar.our_share"
          label="Our share"
          inputmode="decimal"
          class="short"
          hint="0.01 is one per cent; empty: not known"
        />
        <AreaField
          of={form}
          name="calendar.minimum_payout"
          label="Smallest payout, one currency per line"
          hint="such as EUR 100"
          rows={2}
        />
        <TextField
          of={form}
          name="calendar.rate_tolerance"
          label="Rate may be off by"
          inputmode="decimal"
          class="short"
          hint="0.0005 is 0.05 %"
        />
        <TextField {...days} name="calendar.stale_card_hours" label="Card orders stale after (hours)" />
        <TextField {...days} name="calendar.stale_bank_hours" label="Bank orders stale after (hours)" />
        <TickField
          of={form}
          name="calendar.statements_with_payout"
          label="Statements come only with a payout"
        />
      </div>
    </Section>
  );
}

/** A proposal, never set by itself. */
function learntWords(days: number | null, seenIn: string): string | undefined {
  return days === null ? undefined : `${days} so far, in ${seenIn}`;
}

function Exclusion(props: SectionsProps) {
  const { form } = props;
  return (
    <Section name="exclusion" title="Exclusions" {...props}>
      <div class="filter-row">
        <TickField of={form} name="exclusion.everything" label="Everything: it sends no statements" />
        <TextField
          of={form}
          name="exclusion.before"
          label="Everything completed before"
          hint="such as 2026-01-01T00:00:00Z"
          maxlength={40}
          class="wide"
        />
        <AreaField
          of={form}
          name="exclusion.transaction_ids"
          label="These transactions, one per line"
          class="grow"
        />
      </div>
    </Section>
  );
}

function Words({ settings, form, visitor }: SectionsProps) {
  return (
    <fieldset>
      <legend>Words in its files</legend>
      <p class="muted">
        Applied when a file is imported: lines imported earlier stay as they were read, so a preview does not
        show these changes.
      </p>
      <div class="filter-row">
        <AreaField
          of={form}
          name="names"
          label="Other names of the provider"
          hint={<SavedBy name="names" {...{ settings, visitor }} />}
          class="grow"
        />
        <AreaField
          of={form}
          name="aliases"
          label="Currencies and networks: their word = ours"
          hint={<SavedBy name="aliases" {...{ settings, visitor }} />}
          class="grow"
        />
        <AreaField
          of={form}
          name="categories"
          label="Words that explain an adjustment or a reserve"
          hint={<SavedBy name="categories" {...{ settings, visitor }} />}
          class="grow"
        />
      </div>
    </fieldset>
  );
}
