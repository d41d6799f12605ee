import { maskWallet } from "../../api/present.ts";
import { explorerUrl } from "../../core/explorer.ts";
import { findTransactions, type TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { problem } from "../../api/problem.ts";
import { askApi } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { show } from "../layout.tsx";
import { Fact, Panel } from "../parts/blocks.tsx";
import { Given, GivenLink, Money, Nothing, Status, Time } from "../parts/show.tsx";
import { transactionPath } from "./columns.tsx";
import { receivedRecords, ReceivedRecords } from "./received.tsx";
import { reconciliationOf, ReconciliationPanel } from "./reconciliation.tsx";
import type { Story } from "./story.ts";
import { StoryPanel, Timeline } from "./timeline.tsx";

/** Everything that is known of one transaction, and where each fact came from. */
export async function showTransaction(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const id = c.req.query("id") ?? "";
  const account = c.req.query("account");
  const rows = id.includes("\0") ? [] : await findTransactions(visitor.reader, id, account);
  const [row] = rows;
  if (row === undefined)
    throw problem("not_found", "This transaction does not exist, or you have no access to it.");
  if (rows.length > 1) return showAccounts(web, c, visitor, rows);
  const key = { account: row.account };
  const story = await askApi<Story>(web, c, visitor, `/v1/transactions/${encodeURIComponent(id)}/story`, {
    query: new URLSearchParams(key),
  });
  const records = await receivedRecords(visitor, row);
  const reconciliation = may(visitor, "reconcile:read") ? await reconciliationOf(visitor, row) : null;
  return show(web, c, visitor, {
    title: `Transaction ${id.slice(0, 40)}`,
    under: "/transactions",
    children: (
      <>
        <div class="title-row">
          <h1>
            <span class="muted">Transaction</span> <Given text={row.transaction_id} mono />
          </h1>
          <p class="summary">
            <Status status={row.status} /> since{" "}
            <Time at={row.status_date} zone={visitor.preferences.zone} exact />
          </p>
        </div>
        {row.missing_since !== null && (
          <p class="warning">
            The aggregator has not served this transaction since{" "}
            <Time at={row.missing_since} zone={visitor.preferences.zone} />. It stays here as it was last
            read.
          </p>
        )}
        <div class="columns-2">
          <Panel title="Facts" id="facts">
            <Facts row={row} visitor={visitor} />
          </Panel>
          <Timeline events={story.events} visitor={visitor} />
        </div>
        {reconciliation !== null && (
          <ReconciliationPanel row={row} reconciliation={reconciliation} visitor={visitor} />
        )}
        <StoryPanel events={story.events} visitor={visitor} />
        <ReceivedRecords records={records} />
      </>
    ),
  });
}

/** One id may exist in several accounts; then the reader chooses. */
function showAccounts(web: Web, c: WebContext, visitor: Visitor, rows: TransactionRow[]) {
  return show(web, c, visitor, {
    title: "Which account?",
    under: "/transactions",
    children: (
      <Panel title="This id exists in several accounts" id="accounts">
        <ul>
          {rows.map((row) => (
            <li>
              <GivenLink href={transactionPath(row)} text={row.account} /> <Status status={row.status} />
            </li>
          ))}
        </ul>
      </Panel>
    ),
  });
}

function Facts({ row, visitor }: { row: TransactionRow; visitor: Visitor }) {
  const wallets = may(visitor, "wallets:read");
  const { zone } = visitor.preferences;
  return (
    <dl class="facts">
      <Fact name="Account" value={<Given text={row.account} />} />
      <Fact name="Type" value={<Given text={row.transaction_type} />} />
      <dt>Customer paid</dt>
      <dd>
        <Money amount={row.in_amount} currency={row.source_currency} full />
      </dd>
      <dt>Customer received</dt>
      <dd>
        <Money amount={row.out_amount} currency={row.target_currency} full />
        {row.status !== "completed" && row.out_amount !== null && (
          <small class="muted"> an estimate until completed</small>
        )}
      </dd>
      <Fact name="Provider" value={<Given text={row.provider} />} />
      <Fact name="Provider’s id" value={<Given text={row.provider_transaction_id} mono />} />
      <Fact name="Payment method" value={<Given text={row.payment_method} />} />
      <Fact name="Country" value={<Given text={row.country} />} />
      <Fact name="Chain hash" value={<ChainHash row={row} />} />
      <dt>Wallet</dt>
      <dd>
        <Given text={wallets ? row.wallet_address : maskWallet(row.wallet_address)} mono />
        {!wallets && row.wallet_address !== null && <small class="muted"> in full with wallets:read</small>}
      </dd>
      <Fact name="First read" value={<Time at={row.first_seen_at} zone={zone} exact />} />
      <Fact name="Last changed here" value={<Time at={row.last_changed_at} zone={zone} exact />} />
      <dt>Record hash</dt>
      <dd>
        <Given text={row.record_hash} mono /> <small class="muted">version {row.hash_version}</small>
      </dd>
    </dl>
  );
}

/** Crypto comes in on a sell and goes out on a buy. */
function ChainHash({ row }: { row: TransactionRow }) {
  if (row.transaction_hash === null || row.transaction_hash === "") return <Nothing />;
  const currency = row.transaction_type === "sell" ? row.source_currency : row.target_currency;
  const url = currency === null ? null : explorerUrl(currency, row.transaction_hash);
  return (
    <>
      <Given text={row.transaction_hash} mono />
      {url !== null && (
        <>
          {" "}
          <a href={url} target="_blank" rel="noopener noreferrer" class="outside">
            {new URL(url).host}
          </a>
        </>
      )}
    </>
  );
}
