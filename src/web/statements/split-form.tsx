import { absDecimal, type Decimal, parseDecimal } from "../../core/decimal.ts";
import type { LineWithFile } from "../../store/statements/statement-rows.ts";
import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import type { Visitor } from "../deps.ts";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { Button } from "../parts/button.tsx";
import { kept, PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Given, Money, Time } from "../parts/show.tsx";
import type { LineAtWork } from "./line-at-work.ts";
import { swapWorkspace } from "./work-list.tsx";

/** Rows for transactions that no list has: few, since they are typed. */
export const typedRows = [1, 2, 3] as const;

/**
 * One line for several orders: each is ticked and has its part. Without script the server says what is left when the form is
 * sent; with it, the form says so while the person types.
 */
export function SplitForm({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { detail, line, partCandidates, hereAsked, next } = work;
  const amount = amountOfLine(detail);
  if (amount === null) return null;
  const isRefused = visitor.refused?.form === "split";
  return (
    <details class="split-line" open={isRefused}>
      <summary>Split over several transactions</summary>
      <PostForm
        visitor={visitor}
        action="/statements/lines/split"
        id="split"
        back={hereAsked}
        class="match-form"
        data-split={amount}
        hx-post="/statements/lines/split"
        {...swapWorkspace}
      >
        <input type="hidden" name="line" value={String(line.line_id)} />
        <input type="hidden" name="next" value={next} />
        <p>
          Tick the transactions and give each its part of{" "}
          <Money amount={amount} currency={detail.fiatCurrency} full />. One amount may stay empty: it is what
          the others leave.
        </p>
        <ul class="candidates">
          {partCandidates.map((row, at) => (
            <li class="candidate">
              <PartRow row={row} isFirst={at === 0} currency={detail.fiatCurrency} visitor={visitor} />
            </li>
          ))}
          {typedRows.map((number) => (
            <li class="candidate">
              <TypedRow
                number={number}
                isFirst={partCandidates.length === 0 && number === 1}
                visitor={visitor}
              />
            </li>
          ))}
        </ul>
        <p class="muted" hidden>
          Left of the line: <output data-rest>{amount}</output> {detail.fiatCurrency}
        </p>
        <label class="check">
          <input
            type="checkbox"
            name="leave_rest"
            value="on"
            checked={kept(visitor, "split", "leave_rest") === "on"}
          />
          <span>Leave the rest open, as a discrepancy of the line</span>
        </label>
        <div class="row-form">
          <BookedAtField visitor={visitor} form="split" />
          <ReasonField visitor={visitor} form="split" label="Reason for the split" />
          <Button>Split</Button>
        </div>
      </PostForm>
    </details>
  );
}

interface PartRowProps {
  row: TransactionRow;
  isFirst: boolean;
  currency: string | null;
  visitor: Visitor;
}

function PartRow({ row, isFirst, currency, visitor }: PartRowProps) {
  const { transaction_id: id } = row;
  return (
    <div class="candidate-head">
      <input
        type="checkbox"
        name={`take:${id}`}
        value="on"
        id={`take-${id}`}
        checked={kept(visitor, "split", `take:${id}`) === "on"}
        data-key={isFirst ? "s" : undefined}
      />
      <label for={`take-${id}`}>
        <Given text={id} mono />
        <small>
          <Time at={row.status_date} zone={visitor.preferences.zone} />
        </small>
      </label>
      <input
        type="text"
        inputmode="decimal"
        name={`amount:${id}`}
        value={kept(visitor, "split", `amount:${id}`, fiatOf(row, currency))}
        maxlength={60}
        aria-label={`Part of ${id}`}
      />
    </div>
  );
}

function TypedRow({ number, isFirst, visitor }: { number: number; isFirst: boolean; visitor: Visitor }) {
  return (
    <div class="candidate-head">
      <input
        type="text"
        name={`other-${number}`}
        value={kept(visitor, "split", `other-${number}`)}
        maxlength={200}
        placeholder="Another transaction’s id"
        aria-label={`Another transaction, ${number}`}
        data-key={isFirst ? "s" : undefined}
      />
      <input
        type="text"
        inputmode="decimal"
        name={`other-amount-${number}`}
        value={kept(visitor, "split", `other-amount-${number}`)}
        maxlength={60}
        aria-label={`Part of that transaction, ${number}`}
      />
    </div>
  );
}

/** What the line and its transactions have in common: gross of a buy, net of a sell. `null`: nothing that could be split. */
export function amountOfLine(
  line: Pick<LineWithFile, "lineType" | "side" | "fiatGross" | "fiatNet">,
): Decimal | null {
  if (!["charge", "refund", "chargeback", "chargeback_reversal"].includes(line.lineType)) return null;
  const text = (line.side === "sell" ? line.fiatNet : line.fiatGross) ?? line.fiatGross ?? line.fiatNet;
  const amount = text === null ? null : parseDecimal(text);
  return amount === null || amount === "0" ? null : absDecimal(amount);
}

/** What the transaction itself says, to begin with. */
function fiatOf(row: TransactionRow, currency: string | null): string {
  if (isIn(row.source_currency, currency)) return row.in_amount ?? "";
  return isIn(row.target_currency, currency) ? (row.out_amount ?? "") : "";
}

function isIn(word: string | null, currency: string | null): boolean {
  return word !== null && currency !== null && word.toUpperCase() === currency.toUpperCase();
}
