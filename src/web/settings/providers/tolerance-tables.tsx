import { receiptCodes } from "../../../core/discrepancy-codes.ts";
import { TableFrame } from "../../parts/blocks.tsx";
import { SelectField, TextField } from "../../parts/checked-field.tsx";
import { codeWords } from "../../parts/discrepancy.tsx";
import { rowFields, rowsShown } from "./read-sections.ts";
import { Section, type SectionsProps } from "./section.tsx";

export function Tolerances(props: SectionsProps) {
  const { form } = props;
  return (
    <Section name="tolerances" title="Amount tolerances" {...props}>
      <p class="muted">
        The larger of the fixed amount and the percentage (0.01 is one per cent) is allowed, under and over
        what we expect. Leave the currency empty for all currencies. Without a row, one minor unit is allowed.
      </p>
      <TableFrame label="Tolerances">
        <table class="list keep">
          <caption class="unseen">Tolerances</caption>
          <thead>
            <tr>
              {["Currency", "Leg", "Amount under", "Amount over", "Percentage under", "Percentage over"].map(
                (title) => (
                  <th scope="col">{title}</th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rowsShown(form.texts, "tolerances").map((row) => (
              <tr>
                {rowFields.tolerances.map((field) => {
                  const place = { of: form, name: `tolerances.${row}.${field}`, class: "cell" };
                  const label = `${codeWords(field)} of row ${row + 1}`;
                  return (
                    <td>
                      {field === "leg" ? (
                        <SelectField {...place} label={label} options={legs} />
                      ) : (
                        <TextField {...place} label={label} maxlength={40} />
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Section>
  );
}

const legs = [
  ["*", "all legs"],
  ["in", "what the customer paid"],
  ["out", "what the customer received"],
  ["fee", "fees and our share"],
] as const;

export function Receipts(props: SectionsProps) {
  const { form } = props;
  return (
    <Section name="receipts" title="Receipts at the bank" {...props}>
      <div class="filter-row">
        <TextField
          of={form}
          name="receipts.due_days"
          label="Days from payout to receipt"
          inputmode="numeric"
          maxlength={3}
          class="short"
        />
        {receiptCodes.map((code) => (
          <SelectField
            of={form}
            name={`receipts.levels.${code}`}
            label={codeWords(code)}
            options={[
              ["error", "error"],
              ["warning", "warning"],
            ]}
          />
        ))}
      </div>
      <TableFrame label="Receipt tolerances">
        <table class="list keep narrow">
          <caption>
            A shortfall up to “Less” is booked as a bank fee; an excess up to “More” is accepted.
          </caption>
          <thead>
            <tr>
              {["Currency", "Less", "More"].map((title) => (
                <th scope="col">{title}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsShown(form.texts, "receipts.tolerances").map((row) => (
              <tr>
                {rowFields["receipts.tolerances"].map((field) => (
                  <td>
                    <TextField
                      of={form}
                      name={`receipts.tolerances.${row}.${field}`}
                      label={`${field} of receipts, row ${row + 1}`}
                      maxlength={40}
                      class="cell"
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
    </Section>
  );
}
