import { problem } from "../../api/problem.ts";
import { endingWords } from "../../core/receipt-line.ts";
import {
  listReceiptMatches,
  readReceiptLine,
  type ReceiptLineRow,
  type ReceiptMatchRow,
  suggestPayouts,
} from "../../store/receipts/receipt-reads.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Empty, Fact, Panel } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Given, GivenLink, Money, Time } from "../parts/show.tsx";
import { LineState, receiptLinePath, type ShownLine, shownTo, signedAmount } from "./lines.tsx";
import { SuggestedPayouts } from "./suggested.tsx";
import { ruleWords } from "./words.ts";

/** One bank line: what it settles, and which payouts it might have brought. */
export async function showReceiptLine(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const id = c.req.param("line") ?? "";
  const line = /^\d{1,15}$/.test(id) ? await readReceiptLine(visitor.reader, Number(id)) : null;
  if (line === null)
    throw problem("not_found", "This bank line does not exist, or you have no access to it.");
  const { database } = visitor.reader;
  const isOpen = mayBeMatched(line);
  const [matches, suggestions] = await Promise.all([
    listReceiptMatches(database, { lineId: line.id }),
    isOpen ? suggestPayouts(database, line.id) : [],
  ]);
  const active = matches.filter(({ state }) => state === "active");
  const ended = matches.filter(({ state }) => state === "ended");
  return show(web, c, visitor, {
    title: `Line ${line.lineNo} of ${line.fileName.slice(0, 60)}`,
    under: "/receipts",
    children: (
      <>
        <div class="title-row">
          <h1>
            <span class="muted">Line {line.lineNo} of</span>{" "}
            <GivenLink href={`/receipts/${line.fileId}`} text={line.fileName} />
          </h1>
          <LineState line={line} />
          <p class="summary">
            <Money amount={signedAmount(line)} currency={line.currency} />, account{" "}
            <Given text={line.account} />
          </p>
        </div>
        <div class="columns-2">
          <Panel title="As stated by the bank" id="facts">
            <Facts line={shownTo(visitor, line)} />
          </Panel>
          <Panel title="Settles" id="settles">
            {active.length === 0 ? (
              <Empty title="Unmatched">
                {line.counts
                  ? "It names no known payout, and nobody has matched it by hand."
                  : "It does not count: its file was withdrawn, or a newer version took its place."}
              </Empty>
            ) : (
              active.map((match) => <Settled match={match} line={line} visitor={visitor} />)
            )}
          </Panel>
        </div>
        {isOpen && (
          <Panel title="Suggested payouts" id="suggested">
            <SuggestedPayouts line={line} suggestions={suggestions} visitor={visitor} />
          </Panel>
        )}
        {ended.length > 0 && (
          <Panel title="Earlier matches" id="parted">
            <Parted matches={ended} visitor={visitor} />
          </Panel>
        )}
      </>
    ),
  });
}

/** Money in, as long as some of it is left; money out may take a payout back. */
function mayBeMatched(line: ReceiptLineRow): boolean {
  if (!line.counts) return false;
  return line.direction === "credit" ? line.unmatched !== "0" : line.settled === "0";
}

function Facts({ line }: { line: ShownLine }) {
  const texts = [
    ["Number", line.id],
    ["Bank account", line.bank_account],
    ["Value date", line.value_date],
    ["Booking date", line.booking_date],
    ["Reference", line.reference],
    ["End-to-end id", line.end_to_end_id],
    ["Bank reference", line.bank_reference],
    ["Hash", line.hash],
    ["Remittance", line.remittance],
    ["From or to", line.counterparty],
  ] as const;
  const amounts = [
    ["Charges already deducted", line.charges === "0" ? null : line.charges, line.currency],
    ["Before conversion", line.original_amount, line.original_currency],
    ["Unmatched", line.unmatched_amount === "0" ? null : line.unmatched_amount, line.currency],
  ] as const;
  return (
    <dl class="facts">
      {texts.map(([name, text]) => text !== null && <Fact name={name} value={<Given text={text} />} />)}
      {line.is_reversal && <Fact name="Reversal" value="reverses an earlier booking" />}
      {amounts.map(
        ([name, amount, currency]) =>
          amount !== null && <Fact name={name} value={<Money amount={amount} currency={currency} full />} />,
      )}
    </dl>
  );
}

interface SettledProps {
  match: ReceiptMatchRow;
  line: ReceiptLineRow;
  visitor: Visitor;
}

function Settled({ match, line, visitor }: SettledProps) {
  const form = `unmatch-${match.id}`;
  return (
    <>
      <dl class="facts">
        <dt>Payout</dt>
        <dd>
          <PayoutLink match={match} /> of <Given text={match.provider} />
        </dd>
        <Fact name="Amount" value={<Money amount={match.amount} currency={match.currency} full />} />
        {match.bankFee !== "0" && (
          <Fact name="Bank fee" value={<Money amount={match.bankFee} currency={match.currency} full />} />
        )}
        <dt>Matched</dt>
        <dd>
          <Time at={match.matchedAt} zone={visitor.preferences.zone} /> by{" "}
          {match.rule === "person" ? (
            <>
              <Given text={match.madeByName} />: <Given text={match.reason} />
            </>
          ) : (
            <>
              {ruleWords(match.rule)} <Given text={match.key} mono />
            </>
          )}
        </dd>
        {match.rule === "person" && (
          <>
            <dt>Counts from</dt>
            <dd>
              <Time at={match.effectiveAt} zone={visitor.preferences.zone} />
            </dd>
          </>
        )}
      </dl>
      {may(visitor, "reconcile:write") && (
        <PostForm
          visitor={visitor}
          action="/receipts/lines/unmatch"
          id={form}
          back={receiptLinePath(line.id)}
        >
          <input type="hidden" name="match" value={String(match.id)} />
          <ReasonField visitor={visitor} form={form} label="Reason for unmatching" />
          <Button kind="danger">Unmatch</Button>
        </PostForm>
      )}
    </>
  );
}

function PayoutLink({ match: { payoutId, payoutRef } }: { match: ReceiptMatchRow }) {
  return <GivenLink href={`/payouts/${payoutId}`} text={payoutRef} mono />;
}

function Parted({ matches, visitor }: { matches: readonly ReceiptMatchRow[]; visitor: Visitor }) {
  return (
    <ListTable
      label="Earlier matches"
      caption="Earlier matches of this line. What a person has unmatched, no rule matches again. A person's match that ended because a file was withdrawn holds again when the file is back."
      rows={matches}
      columns={[
        { title: "Payout", rowName: (match) => <PayoutLink match={match} /> },
        { title: "Amount", money: ({ amount, currency }) => ({ amount, currency }) },
        { title: "Matched by", show: (match) => ruleWords(match.rule) },
        { title: "Parted", show: (match) => <Time at={match.endedAt} zone={visitor.preferences.zone} /> },
        { title: "By", show: (match) => <Given text={match.endedByName} /> },
        { title: "Because", show: (match) => <Given text={endingWords(match)} /> },
      ]}
    />
  );
}
