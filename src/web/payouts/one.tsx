import { writeCursor } from "../../api/cursor.ts";
import { cursorList, wantedPage } from "../../api/list.ts";
import { problem } from "../../api/problem.ts";
import {
  listPayoutLines,
  type PayoutLine,
  payoutLinePaging,
  type PayoutRow,
  readPayout,
} from "../../store/payout-reads.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Pager, Panel, TableFrame } from "../parts/blocks.tsx";
import { PayoutChip } from "../parts/payout.tsx";
import { Day, Given, Money, Time } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";
import { transactionPath } from "../transactions/columns.tsx";
import { Waterfall } from "./waterfall.tsx";

const linesPerPage = 50;

/** One payout: from gross to what was declared, step by step, and down to its lines. */
export async function showPayout(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const id = c.req.param("id") ?? "";
  const payout = /^\d{1,15}$/.test(id) ? await readPayout(visitor.reader, id) : null;
  if (payout === null) throw problem("not_found", "There is no such payout that your key may see.");
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const list = cursorList(c, payoutLinePaging.keyset, "default");
  const page = wantedPage(list, { limit: linesPerPage, cursor: address.get("cursor") ?? undefined });
  const { rows, hasMore } = await listPayoutLines(visitor.reader, payout, page);
  const last = rows.at(-1);
  const nextCursor = hasMore && last ? writeCursor(list, payoutLinePaging.positionOf(last)) : null;
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: `Payout ${payout.payout_ref.slice(0, 40)}`,
    under: "/payouts",
    children: (
      <>
        <div class="title-row">
          <h1>
            <span class="muted">Payout</span> <Given text={payout.payout_ref} mono />
          </h1>
          <PayoutChip status={payout.status} />
          <p class="summary">
            <Given text={payout.provider} />, account <Given text={payout.account} />,{" "}
            <Day at={payout.payout_date} zone={zone} />
          </p>
        </div>
        <Panel title="From gross to declared" id="waterfall">
          <Waterfall payout={payout} />
        </Panel>
        <Panel title="Lines" id="lines">
          <Lines rows={rows} payout={payout} zone={zone} />
          <Pager
            path={`/payouts/${payout.id}`}
            query={address}
            nextCursor={nextCursor}
            shown={`${rows.length} shown`}
          />
        </Panel>
      </>
    ),
  });
}

function Lines({ rows, payout, zone }: { rows: readonly PayoutLine[]; payout: PayoutRow; zone: string }) {
  return (
    <TableFrame label="Lines of the payout">
      <table class="list" data-rows>
        <caption>
          Lines that make up the payout, each with its file and its transaction. Times in {zone}.
        </caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Type</th>
            <th scope="col">Time</th>
            <th scope="col">Transaction</th>
            <th scope="col" class="figures">
              Gross
            </th>
            <th scope="col" class="figures">
              Fees
            </th>
            <th scope="col" class="figures">
              Owed to us
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">
                <a href={`/statements/${row.statement_id}`}>
                  <Given text={row.file_name} />
                </a>{" "}
                <span class="muted">line {row.line_no}</span>
              </th>
              <td>{row.line_type.replaceAll("_", " ")}</td>
              <td>
                <Time at={row.effective_at} zone={zone} />
              </td>
              <td>
                {row.line_type === "payout" ? (
                  <span class="muted">declares the payout</span>
                ) : row.transaction_id === null ? (
                  <>
                    <span class="muted">not matched</span> <Given text={row.provider_transaction_id} mono />
                  </>
                ) : (
                  <a href={transactionPath({ account: payout.account, transaction_id: row.transaction_id })}>
                    <Given text={row.transaction_id} mono />
                  </a>
                )}
              </td>
              <td class="figures">
                <Money amount={row.fiat_gross} currency={row.fiat_currency} />
              </td>
              <td class="figures">
                <Money amount={row.fee_total} currency={row.fee_currency ?? row.fiat_currency} />
              </td>
              <td class="figures">
                <Money amount={row.net_amount} currency={row.net_currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
