import { problem } from "../../api/problem.ts";
import {
  listPayoutLines,
  type PayoutLine,
  payoutLinePaging,
  type PayoutRow,
  payoutStepNamed,
  readPayout,
} from "../../store/books/payout-reads.ts";
import { listDiscrepancies } from "../../store/books/discrepancy-reads.ts";
import { listReceiptMatches } from "../../store/receipts/receipt-reads.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Pager, Panel } from "../parts/blocks.tsx";
import { DiscrepancyLine } from "../parts/discrepancy.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { isExpected, PayoutChip, shortDay } from "../parts/payout.tsx";
import { LinePlace } from "../parts/line-place.tsx";
import { Day, Given, Money, Time } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";
import { TransactionLinks } from "../transactions/links.tsx";
import { ArrivedChip, ArrivedLines } from "./arrived.tsx";
import { ConversionPanel } from "./conversion.tsx";
import { stepTitles, Waterfall } from "./waterfall.tsx";

const linesPerPage = 50;

/** One payout: from gross to what was declared, step by step, and down to its lines. */
export async function showPayout(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const payout = /^\d{1,15}$/.test(id) ? await readPayout(visitor.reader, Number(id)) : null;
  if (payout === null) throw problem("not_found", "This payout does not exist, or you have no access to it.");
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const step = payoutStepNamed(address.get("step"));
  const wanted = { path: `/payouts/${payout.id}`, address, limit: linesPerPage };
  const { rows, pager } = await listPage(wanted, payoutLinePaging, (page) =>
    listPayoutLines(visitor.reader, payout, page, step),
  );
  const [why, matches] = await Promise.all([
    listDiscrepancies(visitor.reader, { payoutId: payout.id }, { limit: 20, after: null }),
    listReceiptMatches(visitor.reader.database, { payoutId: payout.id }),
  ]);
  const now = web.api.deps.now();
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: `Payout ${payout.payoutRef.slice(0, 40)}`,
    under: "/payouts",
    children: (
      <>
        <div class="title-row">
          <h1>
            <span class="muted">Payout</span> <Given text={payout.payoutRef} mono />
          </h1>
          <PayoutChip payout={payout} now={now} />
          <p class="summary">
            <Given text={payout.provider} />, account <Given text={payout.account} />,{" "}
            <Day at={payout.payoutDate} zone={zone} />
          </p>
        </div>
        {isExpected(payout, now) && payout.netDeclared !== null && (
          <p class="expected">
            Expected {shortDay(payout.payoutDate ?? "")}:{" "}
            <strong>
              <Money amount={payout.netDeclared} currency={payout.currency} />
            </strong>
          </p>
        )}
        {why.rows.length > 0 && (
          <Panel title={payout.status === "not_tied" ? "Why it does not tie" : "Discrepancies"} id="why">
            <ul class="plain-list">
              {why.rows.map((found) => (
                <li>
                  <DiscrepancyLine found={found} visitor={visitor} />
                </li>
              ))}
            </ul>
          </Panel>
        )}
        <Panel title="How the payout adds up" id="waterfall">
          <Waterfall payout={payout} now={now} />
        </Panel>
        <ConversionPanel payout={payout} />
        <Panel title="Received at the bank" id="arrived" aside={<ArrivedChip arrived={payout.arrived} />}>
          <ArrivedLines payout={payout} matches={matches} zone={zone} />
        </Panel>
        <Panel
          title={step === null ? "Lines" : `Lines: ${stepTitles[step].toLowerCase()}`}
          id="lines"
          aside={step !== null && <a href={`/payouts/${payout.id}#lines`}>Show all lines</a>}
        >
          <Lines rows={rows} payout={payout} zone={zone} />
          <Pager {...pager} shown={`${rows.length} shown`} />
        </Panel>
      </>
    ),
  });
}

function Lines({ rows, payout, zone }: { rows: readonly PayoutLine[]; payout: PayoutRow; zone: string }) {
  return (
    <ListTable
      label="Lines of the payout"
      caption={`Lines that make up the payout, each with its file and its transaction. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        {
          title: "Line",
          rowName: (row) => (
            <LinePlace statementId={row.statement_id} lineNo={row.line_no} fileName={row.file_name} />
          ),
        },
        { title: "Type", show: (row) => row.line_type.replaceAll("_", " ") },
        { title: "Time", show: (row) => <Time at={row.effective_at} zone={zone} /> },
        { title: "Transaction", show: (row) => <TransactionOf line={row} account={payout.account} /> },
        {
          title: "Customer paid",
          money: (row) => ({ amount: row.fiat_gross, currency: row.fiat_currency }),
        },
        {
          title: "Provider’s fees",
          money: (row) => ({ amount: row.fee_total, currency: row.fee_currency ?? row.fiat_currency }),
        },
        {
          title: "Owed to us",
          money: (row) => ({ amount: row.net_amount, currency: row.net_currency }),
        },
      ]}
    />
  );
}

function TransactionOf({ line, account }: { line: PayoutLine; account: string }) {
  if (line.line_type === "payout") return <span class="muted">declares the payout</span>;
  if (line.transaction_ids.length === 0) {
    return (
      <>
        <span class="muted">not matched</span> <Given text={line.provider_transaction_id} mono />
      </>
    );
  }
  return <TransactionLinks account={account} ids={line.transaction_ids} />;
}
