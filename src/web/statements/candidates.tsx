import type { CandidateReason } from "../../store/books/match-candidates.ts";
import { may, type Visitor } from "../deps.ts";
import { formatAge, formatAmount } from "../format.ts";
import { Empty, Panel } from "../parts/blocks.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { Button } from "../parts/button.tsx";
import { compareLine } from "../parts/compare-line.ts";
import { linePath } from "../parts/line-place.tsx";
import { kept, PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Chip, Given, Money, Time } from "../parts/show.tsx";
import { type ComparedField, SideBySide, verdictOf } from "../parts/side-by-side.tsx";
import { transactionPath } from "../transactions/columns.tsx";
import { type CandidateRow, type LineAtWork, mayBeMatched } from "./line-at-work.ts";
import { Matched } from "./matched.tsx";
import { SplitForm } from "./split-form.tsx";
import { swapWorkspace } from "./work-list.tsx";

/** What stands against the line, or could: with what agrees and what differs. */
export function CandidatesPanel({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { line, matchedWith } = work;
  if (line.match_id !== null && matchedWith.length > 0) return <Matched work={work} visitor={visitor} />;
  if (!mayBeMatched(line)) {
    return (
      <Panel title="Transaction" id="candidates">
        <Empty title="This line has no transaction to match">
          {line.class === "superseded"
            ? "It does not count: another version took its place, or its file was withdrawn."
            : "A payout is tied with its lines, and a balance with the one before it."}
        </Empty>
      </Panel>
    );
  }
  return <Candidates work={work} visitor={visitor} />;
}

function Candidates({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { candidates, asked, here } = work;
  const free = candidates.filter(({ settled_statement: settled }) => settled === null);
  const wanted = kept(visitor, "match", "transaction_id");
  const chosen = free.find(({ row }) => row.transaction_id === wanted) ?? free[0];
  return (
    <Panel title="Candidates" id="candidates">
      <form method="get" action={here.split("?")[0]} class="row-form">
        {[...new URLSearchParams(here.split("?")[1] ?? "")].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <label class="grow">
          <span>Another transaction, by id, reference or hash</span>
          <input type="search" name="find" value={asked ?? ""} maxlength={200} />
        </label>
        <Button kind="secondary">Find</Button>
      </form>
      {candidates.length === 0 ? (
        <Empty title={asked === null ? "No similar transaction" : "No transaction with this name"}>
          Candidates share an id with the line, or have its amount within two days. Search for another one
          above, or exclude the line with a reason.
        </Empty>
      ) : (
        <MatchForm work={work} visitor={visitor} chosen={chosen} />
      )}
      {may(visitor, "reconcile:write") && <SplitForm work={work} visitor={visitor} />}
    </Panel>
  );
}

interface MatchFormProps {
  work: LineAtWork;
  visitor: Visitor;
  chosen: CandidateRow | undefined;
}

function MatchForm({ work, visitor, chosen }: MatchFormProps) {
  const { candidates, detail, line, hereAsked, next } = work;
  const compared = candidates.map((candidate) => ({
    candidate,
    fields: compareLine(detail, candidate.row, visitor),
  }));
  const agreeing = compared.find(({ candidate }) => candidate === chosen)?.fields ?? [];
  const list = (
    <ul class="candidates">
      {compared.map(({ candidate, fields }) => (
        <li>
          <CandidateCard
            candidate={candidate}
            fields={fields}
            isChosen={candidate === chosen}
            work={work}
            visitor={visitor}
          />
        </li>
      ))}
    </ul>
  );
  if (!may(visitor, "reconcile:write")) return list;
  return (
    <PostForm
      visitor={visitor}
      action="/statements/lines/match"
      id="match"
      back={hereAsked}
      class="match-form"
      hx-post="/statements/lines/match"
      {...swapWorkspace}
    >
      <input type="hidden" name="line" value={String(line.line_id)} />
      <input type="hidden" name="next" value={next} />
      {list}
      {chosen !== undefined && (
        <div class="row-form">
          <BookedAtField visitor={visitor} form="match" />
          <ReasonField visitor={visitor} form="match" begin={reasonFor(agreeing)} />
          <Button data-key="m">{chosen.why === "suggested" ? "Confirm" : "Match"}</Button>
        </div>
      )}
    </PostForm>
  );
}

/** A reason to begin with: what agrees. */
function reasonFor(fields: readonly ComparedField[]): string {
  const agree = fields.filter((field) => verdictOf(field) === "agrees").map(({ name }) => name.toLowerCase());
  return agree.length === 0 ? "" : `by hand: ${agree.join(", ")} agree`;
}

const reasons: Record<CandidateReason, string> = {
  suggested: "suggested: the only one whose side, currency, amount and time agree",
  provider_id: "has the provider’s id",
  reference: "has our reference",
  hash: "has the chain hash",
  amount: "close in amount and time",
  asked: "found by name",
};

interface CandidateCardProps {
  candidate: CandidateRow;
  fields: readonly ComparedField[];
  isChosen: boolean;
  work: LineAtWork;
  visitor: Visitor;
}

function CandidateCard({ candidate, fields, isChosen, work, visitor }: CandidateCardProps) {
  const { row } = candidate;
  const { statement } = work;
  const id = `candidate-${row.transaction_id}`;
  const { settled_statement: settledIn, settled_line_no: settledAt } = candidate;
  const isFree = settledIn === null;
  return (
    <div class="candidate">
      <div class="candidate-head">
        {may(visitor, "reconcile:write") && (
          <input
            type="radio"
            name="transaction_id"
            value={row.transaction_id}
            id={id}
            checked={isChosen}
            disabled={!isFree}
            required
          />
        )}
        <label for={id}>
          <Given text={row.transaction_id} mono />
          <small>{reasons[candidate.why]}</small>
        </label>
        <Money amount={row.in_amount} currency={row.source_currency} />
      </div>
      <p class="verdicts">
        {fields.map((field) => (
          <FieldVerdict field={field} />
        ))}
        <Apart line={work.detail.effectiveAt} transaction={row.status_date} />
      </p>
      {settledIn !== null && settledAt !== null && (
        <p class="warning">
          Settled already: <a href={linePath(settledIn, settledAt)}>unmatch line {settledAt} first</a>.
        </p>
      )}
      <details open={isChosen}>
        <summary>
          Compare with the record of <Time at={row.status_date} zone={visitor.preferences.zone} />
        </summary>
        <SideBySide caption={`Our record ${row.transaction_id} and this line`} fields={fields} />
        <p>
          <a href={transactionPath({ account: statement.account, transaction_id: row.transaction_id })}>
            Open the transaction
          </a>
        </p>
      </details>
    </div>
  );
}

/** Only what was compared: what is missing on one side neither agrees nor differs. */
function FieldVerdict({ field }: { field: ComparedField }) {
  const verdict = verdictOf(field);
  if (verdict === "not compared") return null;
  const by =
    verdict === "differs" && field.kind === "money" && field.difference !== null
      ? ` by ${formatAmount(field.difference, field.theirs.currency)}`
      : "";
  return (
    <Chip tone={verdict === "agrees" ? "good" : "bad"}>
      {field.name.toLowerCase()} {verdict}
      {by}
    </Chip>
  );
}

function Apart({ line, transaction }: { line: string; transaction: string }) {
  const seconds = Math.abs(secondsOf(line) - secondsOf(transaction));
  return <Chip tone="plain">{seconds === 0 ? "same second" : `${formatAge(seconds)} apart`}</Chip>;
}

function secondsOf(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`) / 1000;
}
