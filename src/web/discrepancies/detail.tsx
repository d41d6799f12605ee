import { sidesOf } from "../../api/discrepancies/schema.ts";
import { discrepancyCodes, type DiscrepancyCode } from "../../core/discrepancy-codes.ts";
import {
  listEvents,
  type DiscrepancyEvent,
  type DiscrepancyRow,
} from "../../store/books/discrepancy-reads.ts";
import { type Attachment, listAttachments } from "../../store/books/attachments.ts";
import { type LineWithFile, readLine } from "../../store/statements/statement-rows.ts";
import { may, type Visitor } from "../deps.ts";
import { codeWords, stateTone } from "../parts/discrepancy.tsx";
import { LinePlace } from "../parts/line-place.tsx";
import { Chip, Given, Money, Nothing, Period, Time } from "../parts/show.tsx";
import { transactionPath } from "../transactions/columns.tsx";
import { Attachments } from "./attachments.tsx";
import { ChangeForms } from "./change-forms.tsx";

export interface DiscrepancyDetail {
  row: DiscrepancyRow;
  events: DiscrepancyEvent[];
  line: LineWithFile | null;
  files: Attachment[];
}

export async function readDetail(visitor: Visitor, row: DiscrepancyRow): Promise<DiscrepancyDetail> {
  const [events, line, files] = await Promise.all([
    listEvents(visitor.reader, row.id, { limit: 500, after: null }),
    row.lineId === null ? null : readLine(visitor.reader, row.lineId),
    listAttachments(visitor.reader, row.id),
  ]);
  return { row, events: events.rows, line, files };
}

/** Everything the provider needs to answer, in one place: its id, hash, amount and date. */
export function DetailPane({
  detail,
  here,
  next,
  people,
  visitor,
}: {
  detail: DiscrepancyDetail;
  /** Where this screen is, and the next item of the same view. */
  here: string;
  next: string;
  people: readonly string[];
  visitor: Visitor;
}) {
  const { row, events, line, files } = detail;
  const { zone } = visitor.preferences;
  return (
    <section class="panel" aria-labelledby="discrepancy-title">
      <header class="panel-head">
        <h2 id="discrepancy-title">
          {codeWords(row.code)} <small class="mono">dis_{row.id}</small>
        </h2>
        <div class="panel-aside">
          <Chip tone={stateTone(row.state)}>{codeWords(row.state)}</Chip>
        </div>
      </header>
      <p>{explain(row.code)}</p>
      <Sides row={row} texts={sidesOf(row, visitor.caller)} />
      <dl class="facts">
        <dt>Value</dt>
        <dd>
          <Money amount={row.value} currency={row.valueCurrency} />
        </dd>
        <dt>Since</dt>
        <dd>
          <Time at={row.since} zone={zone} />, {row.ageDays} days
          {row.nearPeriodEdge && <small> close to the end of a period</small>}
        </dd>
        <dt>Account, provider</dt>
        <dd>
          <Given text={row.account} />, <Given text={row.provider} />
        </dd>
        <Subject row={row} line={line} zone={zone} />
        <dt>Owner</dt>
        <dd>
          <Given text={row.owner} />
        </dd>
        {row.pendingApprovalId !== null && (
          <>
            <dt>Write-off</dt>
            <dd>
              waits for another person: <a href="/approvals">Approvals</a>
            </dd>
          </>
        )}
        {row.reason !== null && (
          <>
            <dt>Closed</dt>
            <dd>
              <Given text={row.reason} />, by <Given text={row.resolvedByName} /> on{" "}
              <Time at={row.resolvedAt} zone={zone} />
            </dd>
          </>
        )}
      </dl>
      {may(visitor, "reconcile:write") && (
        <ChangeForms row={row} here={here} next={next} people={people} visitor={visitor} />
      )}
      <Attachments files={files} discrepancyId={row.id} back={here} visitor={visitor} />
      <h3>What happened</h3>
      <ol class="timeline">
        {events.map((event) => (
          <Event event={event} zone={zone} />
        ))}
      </ol>
    </section>
  );
}

function Sides({ row, texts }: { row: DiscrepancyRow; texts: ReturnType<typeof sidesOf> }) {
  const isText = texts.expectedText !== null || texts.actualText !== null;
  return (
    <div class="sides">
      <div>
        <span class="muted">Expected, our side</span>
        {isText ? (
          <Given text={texts.expectedText} />
        ) : (
          <Money amount={row.expected} currency={row.currency} />
        )}
      </div>
      <div>
        <span class="muted">Actual, their side</span>
        {isText ? <Given text={texts.actualText} /> : <Money amount={row.actual} currency={row.currency} />}
      </div>
      {!isText && (
        <div>
          <span class="muted">Difference</span>
          <strong>
            <Money amount={row.delta} currency={row.currency} />
          </strong>
        </div>
      )}
    </div>
  );
}

function Subject({ row, line, zone }: { row: DiscrepancyRow; line: LineWithFile | null; zone: string }) {
  return (
    <>
      {row.transactionId !== null && (
        <>
          <dt>Transaction</dt>
          <dd>
            <a href={transactionPath({ account: row.account, transaction_id: row.transactionId })}>
              <Given text={row.transactionId} mono />
            </a>
          </dd>
        </>
      )}
      {line !== null && (
        <>
          <dt>Statement line</dt>
          <dd>
            <LinePlace {...line} />, {codeWords(line.lineType)} of <Time at={line.effectiveAt} zone={zone} />
          </dd>
          <dt>Provider’s id</dt>
          <dd>
            <Given text={line.providerTransactionId} mono />
          </dd>
          <dt>Chain hash</dt>
          <dd>{line.transactionHash === null ? <Nothing /> : <Given text={line.transactionHash} mono />}</dd>
        </>
      )}
      {row.payoutId !== null && (
        <>
          <dt>Payout</dt>
          <dd>
            <a href={`/payouts/${row.payoutId}`}>po_{row.payoutId}</a>
          </dd>
        </>
      )}
      {row.periodFrom !== null && (
        <>
          <dt>Period</dt>
          <dd>
            <Period from={row.periodFrom} to={row.periodTo} zone={zone} />
          </dd>
        </>
      )}
    </>
  );
}

function Event({ event, zone }: { event: DiscrepancyEvent; zone: string }) {
  return (
    <li>
      <p>
        <strong>{codeWords(event.event)}</strong> <Time at={event.at} zone={zone} /> by{" "}
        <Given text={event.actorName} />
        {event.event === "assigned" && (
          <>
            {" "}
            to <Given text={event.owner} />
          </>
        )}
      </p>
      {event.comment !== null && (
        <p class="said">
          <bdi>{event.comment}</bdi>
        </p>
      )}
      {event.reason !== null && (
        <p class="said">
          <bdi>{event.reason}</bdi>
        </p>
      )}
    </li>
  );
}

/** One sentence for the people who have not learnt the codes; a code of a later version explains itself. */
function explain(code: string): string {
  const level = discrepancyCodes[code as DiscrepancyCode]?.level;
  const words = meanings[code as DiscrepancyCode] ?? "Two facts that should agree do not.";
  return level === "warning" ? `${words} A warning: it does not change the class of the transaction.` : words;
}

const meanings: Record<DiscrepancyCode, string> = {
  missing_from_statement: "Completed with us, but not on the statement that covers its day.",
  missing_from_records: "On a statement, but no record of the aggregator belongs to it.",
  in_amount_mismatch: "What the customer paid differs by more than the tolerance.",
  out_amount_mismatch: "What the customer received differs by more than the tolerance.",
  currency_mismatch: "The two sides name different currencies.",
  network_mismatch: "The two sides name different networks of one coin.",
  direction_mismatch: "A buy on one side, a sell on the other.",
  status_mismatch: "The two statuses contradict each other.",
  duplicate_settlement: "A second line settles a transaction that another line has settled.",
  unlinked_reversal: "A refund or chargeback that belongs to no transaction we know.",
  reversal_exceeds_original: "More was taken back than was ever charged.",
  refunded_after_completed:
    "Completed with us; the provider says refunded, and no line moves the money back yet.",
  charged_back: "Completed with us; the provider says charged back, and no line moves the money back yet.",
  reference_conflict: "The line’s id names one transaction, its reference or hash another.",
  hash_mismatch: "The two sides name different chain transactions.",
  address_mismatch: "The two sides name different wallet addresses.",
  hash_reused: "Two completed transactions share hash, address, coin and amount.",
  hash_missing: "A completed buy without a chain hash after a day.",
  split_amount_mismatch: "The parts that a person gave to the transactions do not come to the line’s amount.",
  split_crypto_mismatch: "The coins of the line are not those of the transactions that it is split over.",
  ambiguous: "A line that could belong to several transactions. Choose one, or leave it.",
  line_arithmetic_mismatch: "The line’s own figures do not add up.",
  rate_variance: "The line’s rate times its amount does not give its crypto amount.",
  unknown_status: "A status that is not mapped.",
  status_regressed: "The status went backwards.",
  status_reversed: "Failed or canceled after it had been completed.",
  status_recovered: "Open or completed again after it had failed.",
  record_conflict: "Records of one moment contradict each other.",
  dates_apart: "The two dates lie further apart than this provider’s statements take.",
  stale_open: "Open for longer than its payment method should take.",
  fee_variance: "The customer’s fees differ from what the fee schedule says.",
  commission_short: "Our share is less than the fee schedule says.",
  commission_over: "Our share is more than the fee schedule says.",
  commission_sum_mismatch: "The share stated for a month is not what its lines add up to.",
  payout_sum_mismatch: "The payout’s lines do not add up to what the provider declared.",
  payout_declared_twice: "Two lines declare different sums for one payout.",
  payout_conversion_unexplained: "Lines and payout are in different currencies, and no rate is stated.",
  unexplained_movement: "An adjustment or reserve without a transaction or a known category.",
  statement_overdue: "Completed transactions whose statement should be here by now.",
  payout_overdue: "More is owed than the minimum, its date is over, and nothing was declared.",
  position_unexplained: "The provider’s closing position is not opening plus activity less payouts.",
  payout_short: "Less has arrived at the bank than the provider declared.",
  payout_over: "More has arrived at the bank than the provider declared.",
  payout_not_received: "Nothing of this payout has arrived at the bank by its due date.",
  receipt_without_payout: "Money has arrived that names no payout we know.",
};
