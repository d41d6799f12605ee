import type { TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { Panel } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { compareLine } from "../parts/compare-line.ts";
import { ListTable } from "../parts/list-table.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { GivenLink, Status } from "../parts/show.tsx";
import { SideBySide } from "../parts/side-by-side.tsx";
import { transactionPath } from "../transactions/columns.tsx";
import { TransactionLinks } from "../transactions/links.tsx";
import type { LineAtWork } from "./line-at-work.ts";
import { swapWorkspace } from "./work-list.tsx";

/** The transaction that a line stands for, or those that a person split it over, and the way to part them. */
export function Matched({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { line, parts, matchedWith, here, next } = work;
  const [first] = matchedWith;
  const isSplit = parts.length > 0;
  return (
    <Panel title={isSplit ? "Split over" : "Matched with"} id="candidates">
      {isSplit ? <Parts work={work} /> : first && <Whole row={first} work={work} visitor={visitor} />}
      {may(visitor, "reconcile:write") && (
        <PostForm
          visitor={visitor}
          action="/statements/lines/unmatch"
          id="unmatch"
          back={here}
          hx-post="/statements/lines/unmatch"
          {...swapWorkspace}
        >
          <input type="hidden" name="match" value={String(line.match_id)} />
          <input type="hidden" name="next" value={next} />
          <ReasonField
            visitor={visitor}
            form="unmatch"
            label={isSplit ? "Reason to undo the split" : "Reason to unmatch"}
            hotkey="u"
          />
          <Button kind="danger">{isSplit ? "Unmatch all" : "Unmatch"}</Button>
        </PostForm>
      )}
    </Panel>
  );
}

function Whole({ row, work, visitor }: { row: TransactionRow; work: LineAtWork; visitor: Visitor }) {
  return (
    <>
      <p>
        <GivenLink
          href={transactionPath({ account: work.statement.account, transaction_id: row.transaction_id })}
          text={row.transaction_id}
          mono
        />{" "}
        <Status status={row.status} />
      </p>
      <SideBySide
        caption="Our record and this line"
        fields={compareLine(work.detail, row, visitor, { found: work.discrepancies })}
      />
    </>
  );
}

function Parts({ work }: { work: LineAtWork }) {
  const { parts, detail, statement } = work;
  const currency = detail.fiatCurrency;
  return (
    <ListTable
      label="The parts of this line"
      caption={`Each part beside the amount of its transaction. Reason: ${parts[0]?.reason ?? ""}`}
      class="keep"
      rows={parts}
      columns={[
        {
          title: "Transaction",
          rowName: (part) => <TransactionLinks account={statement.account} ids={[part.transactionId]} />,
        },
        { title: "Part", money: (part) => ({ amount: part.partAmount, currency }) },
        { title: "Ours", money: (part) => ({ amount: part.inExpected ?? part.outExpected, currency }) },
        {
          title: "Difference",
          money: (part) => ({ amount: part.inDifference ?? part.outDifference, currency }),
        },
      ]}
    />
  );
}
