import { counted } from "../../core/counted.ts";
import { sidesOf } from "../../api/discrepancies/schema.ts";
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
import { Chip, Given, GivenLink, Money, Nothing, Period, Time } from "../parts/show.tsx";
import { transactionPath } from "../transactions/columns.tsx";
import { explain, nextStep } from "./advice.ts";
import { Attachments } from "./attachments.tsx";
import { ChangeForms } from "./change-forms.tsx";
import { Fact } from "../parts/blocks.tsx";

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

interface DetailPaneProps {
  detail: DiscrepancyDetail;
  /** Where this screen is, and the next item of the same view. */
  here: string;
  next: string;
  people: readonly string[];
  visitor: Visitor;
}

/** Everything the provider needs to answer, in one place: its id, hash, amount and date. */
export function DetailPane({ detail, here, next, people, visitor }: DetailPaneProps) {
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
      <NextStep row={row} />
      <Sides row={row} texts={sidesOf(row, visitor.caller)} />
      <dl class="facts">
        <Fact name="Value" value={<Money amount={row.value} currency={row.valueCurrency} />} />
        <dt>Since</dt>
        <dd>
          <Time at={row.since} zone={zone} />, {counted(row.ageDays, "day")}
          {row.nearPeriodEdge && <small> close to the end of a period</small>}
        </dd>
        <dt>Account, provider</dt>
        <dd>
          <Given text={row.account} />, <Given text={row.provider} />
        </dd>
        <Subject row={row} line={line} zone={zone} />
        <Fact name="Owner" value={<Given text={row.owner} />} />
        {row.pendingApprovalId !== null && (
          <>
            <dt>Write-off</dt>
            <dd>
              waiting for another person: <a href="/approvals">Approvals</a>
            </dd>
          </>
        )}
        {row.reason !== null && (
          <>
            <dt>Closed</dt>
            <dd>
              <Given text={row.reason} />, <By name={row.resolvedByName} approvedBy={row.approvedByName} /> on{" "}
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

function NextStep({ row }: { row: DiscrepancyRow }) {
  const step = nextStep(row.code);
  if (step === null || row.resolvedAt !== null) return null;
  return (
    <p>
      <strong>What to do:</strong> {step}.
    </p>
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
        {isText ? (
          <Actual row={row} text={texts.actualText} />
        ) : (
          <Money amount={row.actual} currency={row.currency} />
        )}
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

/** In a conflict of references both sides are transactions. */
function Actual({ row, text }: { row: DiscrepancyRow; text: string | null }) {
  if (row.code !== "reference_conflict" || text === null) return <Given text={text} />;
  return (
    <GivenLink href={transactionPath({ account: row.account, transaction_id: text })} text={text} mono />
  );
}

function Subject({ row, line, zone }: { row: DiscrepancyRow; line: LineWithFile | null; zone: string }) {
  return (
    <>
      {row.transactionId !== null && (
        <>
          <dt>Transaction</dt>
          <dd>
            <GivenLink
              href={transactionPath({ account: row.account, transaction_id: row.transactionId })}
              text={row.transactionId}
              mono
            />
          </dd>
        </>
      )}
      {line !== null && (
        <>
          <dt>Statement line</dt>
          <dd>
            <LinePlace {...line} />, {codeWords(line.lineType)} of <Time at={line.effectiveAt} zone={zone} />
          </dd>
          <Fact name="Provider’s id" value={<Given text={line.providerTransactionId} mono />} />
          <dt>Chain hash</dt>
          <dd>{line.transactionHash === null ? <Nothing /> : <Given text={line.transactionHash} mono />}</dd>
        </>
      )}
      {row.payoutId !== null && (
        <Fact name="Payout" value={<a href={`/payouts/${row.payoutId}`}>po_{row.payoutId}</a>} />
      )}
      {row.periodFrom !== null && (
        <Fact name="Period" value={<Period from={row.periodFrom} to={row.periodTo} zone={zone} />} />
      )}
    </>
  );
}

/** One person, or the two that it took. */
function By({ name, approvedBy }: { name: string | null; approvedBy: string | null }) {
  if (approvedBy === null) {
    return (
      <>
        by <Given text={name} />
      </>
    );
  }
  return (
    <>
      proposed by <Given text={name} />, approved by <Given text={approvedBy} />
    </>
  );
}

function Event({ event, zone }: { event: DiscrepancyEvent; zone: string }) {
  return (
    <li>
      <p>
        <strong>{codeWords(event.event)}</strong> <Time at={event.at} zone={zone} />{" "}
        <By name={event.actorName} approvedBy={event.approvedByName} />
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
