import { counted } from "../../core/counted.ts";
import { ProblemError } from "../../api/problem.ts";
import { SECOND } from "../../core/duration.ts";
import {
  listTransactions,
  type TransactionRow,
  transactionSorts,
} from "../../store/transactions/transaction-reads.ts";
import { withinTime } from "../../store/transactions/bounded.ts";
import { totalTransactions } from "../../store/transactions/transaction-totals.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { type ListPage, listPage } from "../list-page.ts";
import { carriedCharsMax } from "../address.ts";
import { Empty, Pager } from "../parts/blocks.tsx";
import { type ListColumn, ListTable } from "../parts/list-table.tsx";
import { type ColumnName, columnOf } from "./columns.tsx";
import { Filters } from "./filters.tsx";
import { addUpRows } from "./add-up-rows.ts";
import { cleanAddress, type ListQuery, readListQuery } from "./query.ts";
import { budgetFor, Totals, type TotalsState } from "./totals.tsx";

const rowsPerPage = 50;
/** The longest that a person should see an empty screen. */
const patienceMs = 2 * SECOND;

/** The list, its filters and its totals. Everything that was chosen is in the address. */
export async function showTransactions(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const given = new URL(c.req.url).searchParams;
  const address = cleanAddress(given);
  if (address.toString() !== given.toString()) {
    const clean = `/transactions?${address.toString()}`;
    const isCarried = clean.length <= carriedCharsMax;
    if (isCarried && c.req.header("hx-request") !== "true") return c.redirect(clean, 302);
    if (isCarried) c.header("HX-Push-Url", clean);
  }
  const choices = await choicesFor(web, visitor);
  const found = await find(web, visitor, address);
  if ("refused" in found) c.status(400);
  return show(web, c, visitor, {
    title: "Transactions",
    under: "/transactions",
    children: (
      <>
        <div class="title-row">
          <h1>Transactions</h1>
          <p id="summary" class="summary" role="status">
            {summaryOf(found)}
          </p>
        </div>
        <Filters address={address} choices={choices} visitor={visitor} />
        {"refused" in found ? (
          <div id="results">
            <div class="form-error" role="alert">
              <p>{found.refused}</p>
            </div>
          </div>
        ) : (
          <Results found={found} visitor={visitor} />
        )}
      </>
    ),
  });
}

interface Found extends ListPage<TransactionRow> {
  query: ListQuery;
  totals: TotalsState;
}

const look = ["columns", "totals"];

/** A filter that cannot be read, or takes too long, is shown beside the filters, where it can be mended. */
async function find(
  web: Web,
  visitor: Visitor,
  address: URLSearchParams,
): Promise<Found | { refused: string }> {
  try {
    const query = readListQuery(address, visitor);
    const { filters } = query.question;
    const sort = "-status_date";
    const wanted = { path: "/transactions", address, limit: rowsPerPage, sort, look };
    const found = await withinTime(web.api.deps.database, patienceMs, (database) =>
      listPage(wanted, transactionSorts[sort], (page) =>
        listTransactions({ ...visitor.reader, database }, { filters, sort, page }),
      ),
    );
    if (found === "too slow") {
      return {
        refused: "This takes too long to find among all transactions. Choose a period with From and To.",
      };
    }
    return { query, ...found, totals: await totalsOf(visitor, query, found) };
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 400) return { refused: error.message };
    throw error;
  }
}

async function totalsOf(
  visitor: Visitor,
  query: ListQuery,
  { rows, hasMore }: { rows: readonly TransactionRow[]; hasMore: boolean },
): Promise<TotalsState> {
  // All of them are on this page: no second query is needed.
  if (!hasMore && query.parsed.cursor === undefined) return addUpRows(rows);
  const { filters } = query.question;
  const budget = query.allTotals ? null : budgetFor(filters);
  return (await totalTransactions(visitor.reader, filters, budget)) ?? "too many";
}

function summaryOf(found: Found | { refused: string }): string {
  if ("refused" in found) return "The filters cannot be read.";
  if (found.totals === "too many")
    return isFiltered(found.query.address)
      ? "Many transactions, newest first"
      : "All transactions, newest first";
  const { transactions } = found.totals;
  return transactions === 1 ? "1 transaction" : `${counted(transactions, "transaction")}, newest first`;
}

/** Whether anything but the look of the list was chosen. */
function isFiltered(address: URLSearchParams): boolean {
  return [...address.keys()].some((name) => name !== "cursor" && !look.includes(name));
}

function Results({ found, visitor }: { found: Found; visitor: Visitor }) {
  const { query, rows, pager, totals } = found;
  const { address } = query;
  if (rows.length === 0) {
    return (
      <div id="results">
        <Empty title="No transactions match these filters">
          {address.size === 0 ? (
            <>
              Nothing has been read yet. Look at <a href="/sync">Sync</a> to see how much has been read.
            </>
          ) : (
            <>
              Widen the period or remove a filter: <a href="/transactions">show all transactions</a>.
            </>
          )}
        </Empty>
      </div>
    );
  }
  return (
    <div id="results">
      <Totals state={totals} address={address} />
      <ListTable
        label="Transactions"
        caption={`Transactions at their latest status, newest first. Times in ${visitor.preferences.zone}.`}
        rows={rows}
        data-rows
        columns={query.columns.map((name) => shownColumn(name, visitor))}
      />
      <Pager {...pager} shown={`${rows.length} shown`} />
    </div>
  );
}

function shownColumn(name: ColumnName, visitor: Visitor): ListColumn<TransactionRow> {
  const { label: title, money, show: showCell } = columnOf(name);
  const shown = (row: TransactionRow) => showCell(row, visitor);
  if (name === "transaction_id") return { title, rowName: shown };
  if (name === "status_date") return { title, "aria-sort": "descending", show: shown };
  return money === undefined ? { title, show: shown } : { title, money };
}
