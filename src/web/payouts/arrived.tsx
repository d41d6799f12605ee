import type { Arrived, PayoutRow } from "../../store/books/payout-reads.ts";
import type { ReceiptMatchRow } from "../../store/receipts/receipt-reads.ts";
import { Empty } from "../parts/blocks.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Time, type Tone } from "../parts/show.tsx";
import { receiptLinePath } from "../receipts/lines.tsx";
import { ruleWords } from "../receipts/words.ts";

const words: Record<Arrived["state"], { tone: Tone; text: string }> = {
  expected: { tone: "calm", text: "not due yet" },
  declared: { tone: "calm", text: "nothing yet" },
  received: { tone: "good", text: "arrived" },
  short: { tone: "bad", text: "received short" },
  over: { tone: "bad", text: "received over" },
  overdue: { tone: "bad", text: "overdue" },
  payable: { tone: "calm", text: "owed by us" },
  paid: { tone: "good", text: "paid by us" },
  withdrawn: { tone: "plain", text: "withdrawn" },
};

/** Shown in the list beside whether the lines tie: they may tie while the money is missing. */
export function isAmiss({ state }: Arrived): boolean {
  return words[state].tone === "bad";
}

/** As an address names it: perhaps several, or none of ours. */
export function arrivalWords(state: string): string {
  return Object.hasOwn(words, state) ? words[state as Arrived["state"]].text : state;
}

export function ArrivedChip({ arrived: { state } }: { arrived: Arrived }) {
  return <Chip tone={words[state].tone}>{words[state].text}</Chip>;
}

interface ArrivedLinesProps {
  payout: PayoutRow;
  matches: readonly ReceiptMatchRow[];
  zone: string;
}

/** The bank lines that brought the payout. */
export function ArrivedLines({ payout, matches, zone }: ArrivedLinesProps) {
  const active = matches.filter(({ state }) => state === "active");
  if (active.length === 0) {
    return (
      <Empty title="No bank line is matched with this payout">
        Bank files are imported on <a href="/receipts">Receipts</a>.
      </Empty>
    );
  }
  return (
    <ListTable
      label="Bank lines of the payout"
      caption={`How much of the payout has arrived, all in ${payout.currency}. Times in ${zone}.`}
      rows={active}
      columns={[
        {
          title: "Bank line",
          rowName: ({ lineId }) => <a href={receiptLinePath(lineId)}>rcl_{lineId}</a>,
        },
        { title: "Arrived", show: ({ bankDay }) => bankDay },
        { title: "Counts from", show: (match) => <Time at={match.effectiveAt} zone={zone} /> },
        { title: "Matched by", show: ({ rule }) => ruleWords(rule) },
        { title: "Amount", money: ({ amount, currency }) => ({ amount, currency }) },
        { title: "Bank fee", money: ({ bankFee, currency }) => ({ amount: bankFee, currency }) },
      ]}
    />
  );
}
