import { counted } from "../../core/counted.ts";
import type { ReceiptLineRow, SuggestedPayout } from "../../store/receipts/receipt-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { Empty } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { kept, PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Chip, Day, Given, GivenLink } from "../parts/show.tsx";
import { receiptLinePath } from "./lines.tsx";

const form = "match";

interface SuggestedProps {
  line: ReceiptLineRow;
  suggestions: readonly SuggestedPayout[];
  visitor: Visitor;
}

/** By amount and date, which prove nothing: a person decides, and says why. */
export function SuggestedPayouts({ line, suggestions, visitor }: SuggestedProps) {
  const table =
    suggestions.length === 0 ? (
      <Empty title="No similar payout">
        Payouts in the same currency that are still owed are suggested if they have the same amount or are
        close in time.
      </Empty>
    ) : (
      <SuggestionTable suggestions={suggestions} visitor={visitor} />
    );
  if (!may(visitor, "reconcile:write")) return table;
  return (
    <PostForm
      visitor={visitor}
      action="/receipts/lines/match"
      id={form}
      back={receiptLinePath(line.id)}
      class="match-form"
    >
      <input type="hidden" name="line" value={String(line.id)} />
      {table}
      <div class="row-form">
        {optional.map(({ name, label, hint }) => (
          <label>
            <span>{label}</span>
            <input
              type="text"
              name={name}
              placeholder={hint}
              maxlength={40}
              value={kept(visitor, form, name)}
            />
          </label>
        ))}
        <BookedAtField visitor={visitor} form={form} />
        <ReasonField visitor={visitor} form={form} label="Reason" />
        <Button>Match</Button>
      </div>
    </PostForm>
  );
}

const optional = [
  { name: "other", label: "Another payout", hint: "po_12" },
  { name: "amount", label: "Amount", hint: "what is left" },
  { name: "bank_fee", label: "Bank fee", hint: "0" },
] as const;

function SuggestionTable({ suggestions, visitor }: Omit<SuggestedProps, "line">) {
  const canMatch = may(visitor, "reconcile:write");
  const chosen = kept(visitor, form, "payout");
  return (
    <ListTable
      label="Suggested payouts"
      caption="Payouts that are still owed, closest first"
      rows={suggestions}
      columns={[
        {
          title: "Payout",
          rowName: ({ payoutId, payoutRef }) => (
            <>
              {canMatch && (
                <input
                  type="radio"
                  name="payout"
                  value={String(payoutId)}
                  checked={chosen === String(payoutId)}
                  aria-label={`Match with ${payoutRef}`}
                />
              )}{" "}
              <GivenLink href={`/payouts/${payoutId}`} text={payoutRef} mono />
            </>
          ),
        },
        { title: "Provider", show: ({ provider }) => <Given text={provider} /> },
        { title: "Date", show: (row) => <Day at={row.payoutDate} zone={visitor.preferences.zone} /> },
        { title: "Why", show: (row) => <Why suggestion={row} /> },
        { title: "Expected", money: ({ expected, currency }) => ({ amount: expected, currency }) },
        { title: "Still owed", money: ({ outstanding, currency }) => ({ amount: outstanding, currency }) },
      ]}
    />
  );
}

function Why({ suggestion: { named, sameAmount, daysApart } }: { suggestion: SuggestedPayout }) {
  return (
    <>
      {named && <Chip tone="good">named by the line</Chip>}{" "}
      {sameAmount && <Chip tone="good">same amount</Chip>}{" "}
      {daysApart !== null && <Chip tone="plain">{daysWords(daysApart)}</Chip>}
    </>
  );
}

function daysWords(days: number): string {
  if (days === 0) return "same day";
  return `${counted(Math.abs(days), "day")} ${days > 0 ? "later" : "earlier"}`;
}
