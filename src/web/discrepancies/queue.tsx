import { counted } from "../../core/counted.ts";
import { problem } from "../../api/problem.ts";
import {
  type DiscrepancyFilters,
  discrepancyPaging,
  type DiscrepancyRow,
  listDiscrepancies,
  readDiscrepancy,
  totalDiscrepancies,
  type ValueTotal,
} from "../../store/books/discrepancy-reads.ts";
import { anyCompared } from "../../store/books/overview-reads.ts";
import { listActiveNames } from "../../store/people/people.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Empty, NothingCompared, Pager } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { codeWords, stateTone } from "../parts/discrepancy.tsx";
import { keptTicks, PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Chip, Given, Money } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";
import { ViewsMenu, viewsOf } from "../views.tsx";
import { swapQueue } from "./change-forms.tsx";
import { DetailPane, readDetail } from "./detail.tsx";
import { QueueFilters } from "./filters.tsx";
import { readDiscrepancyFilters } from "./query.ts";
import { WorkbookPanel } from "./workbook.tsx";

const rowsPerPage = 50;
/** In the title row; All that match these filters shows every one. */
const currenciesMax = 4;

/** The work queue: what waits longest first; the list on the left, the one that is open on the right. */
export async function showQueue(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  id: string | null,
): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const filters = readDiscrepancyFilters(address);
  const sort = filters.sort ?? (filters.open ? "since" : "-last_changed_at");
  const wanted = { path: "/discrepancies", address, limit: rowsPerPage, sort };
  const [{ rows, pager }, totals, choices, compared, people, views] = await Promise.all([
    listPage(wanted, discrepancyPaging(filters), (page) => listDiscrepancies(visitor.reader, filters, page)),
    totalDiscrepancies(visitor.reader, filters),
    choicesFor(web, visitor),
    anyCompared(visitor.reader),
    listActiveNames(visitor.reader),
    viewsOf(visitor, "/discrepancies"),
  ]);
  const opened = id === null ? (rows[0] ?? null) : await find(visitor, id);
  const [detail, owners] =
    opened === null
      ? [null, []]
      : await Promise.all([
          readDetail(visitor, opened),
          listActiveNames(visitor.reader, { seeing: [opened.account] }),
        ]);
  return show(web, c, visitor, {
    title: id === null ? "Discrepancies" : `Discrepancy ${id}`,
    under: "/discrepancies",
    children: (
      <>
        <div class="title-row">
          <h1>Discrepancies</h1>
          <p class="summary" id="summary" role="status">
            <Totals totals={totals} filters={filters} />
          </p>
          <ViewsMenu
            views={views}
            screen="/discrepancies"
            address={address}
            canSave={may(visitor, "reconcile:write")}
            visitor={visitor}
          />
        </div>
        <QueueFilters
          address={address}
          choices={choices}
          visitor={visitor}
          people={people.map(({ name }) => name)}
        />
        {rows.length === 0 && opened === null && address.size === 0 && !compared ? (
          <NothingCompared />
        ) : (
          <div id="queue" class="split">
            {rows.length === 0 && opened === null ? (
              <NothingFound address={address} />
            ) : (
              <>
                <div class="split-list">
                  <Queue
                    rows={rows}
                    openedId={opened?.id ?? null}
                    count={totals.reduce((sum, row) => sum + row.discrepancies, 0)}
                    address={address}
                    visitor={visitor}
                  />
                  <Pager {...pager} shown={`${rows.length} shown`} />
                </div>
                <div class="split-detail" id="detail" aria-live="polite">
                  {detail === null ? (
                    <Empty title="None is open">Choose one on the left.</Empty>
                  ) : (
                    <DetailPane
                      detail={detail}
                      here={pathOf(detail.row.id, address)}
                      next={nextAfter(rows, detail.row.id, address)}
                      people={owners.map(({ name }) => name)}
                      visitor={visitor}
                    />
                  )}
                </div>
              </>
            )}
          </div>
        )}
        <WorkbookPanel visitor={visitor} address={address} />
      </>
    ),
  });
}

function NothingFound({ address }: { address: URLSearchParams }) {
  const isNarrowed = [...address.keys()].some((name) => name !== "show" && name !== "sort");
  if (isNarrowed) {
    return (
      <Empty title="No discrepancies match these filters">
        <a href="/discrepancies">Clear the filters</a>
      </Empty>
    );
  }
  if (address.get("show") === "closed") {
    return <Empty title="Nothing has been closed yet">What people resolve or write off appears here.</Empty>;
  }
  return (
    <Empty title="Nothing disagrees">
      Everything that could be compared agrees. Import a statement to compare more.
    </Empty>
  );
}

function pathOf(id: number, address: URLSearchParams): string {
  const query = address.toString();
  return `/discrepancies/${id}${query === "" ? "" : `?${query}`}`;
}

/** The one below in the list; at its end the one above; alone in it, the list. */
function nextAfter(rows: readonly DiscrepancyRow[], id: number, address: URLSearchParams): string {
  const at = rows.findIndex((row) => row.id === id);
  const next = rows[at + 1] ?? rows[at - 1];
  return next === undefined ? `/discrepancies?${address.toString()}` : pathOf(next.id, address);
}

async function find(visitor: Visitor, id: string): Promise<DiscrepancyRow> {
  const found = /^\d{1,15}$/.test(id) ? await readDiscrepancy(visitor.reader, Number(id)) : null;
  if (found === null)
    throw problem("not_found", "This discrepancy does not exist, or you have no access to it.");
  return found;
}

function Totals({ totals, filters }: { totals: readonly ValueTotal[]; filters: DiscrepancyFilters }) {
  const count = totals.reduce((sum, row) => sum + row.discrepancies, 0);
  const worth = totals.filter(({ value }) => value !== null && value !== "0");
  const more = worth.length - currenciesMax;
  return (
    <>
      {formatCount(count)} {filters.open ? "open" : "closed"}
      {worth.slice(0, currenciesMax).map(({ value, currency }) => (
        <>
          {" · "}
          <Money amount={value} currency={currency} />
        </>
      ))}
      {more > 0 && ` · and ${counted(more, "more currency", "more currencies")}`}
    </>
  );
}

interface QueueProps {
  rows: readonly DiscrepancyRow[];
  openedId: number | null;
  /** How many match the filter, on all list pages. */
  count: number;
  address: URLSearchParams;
  visitor: Visitor;
}

function Queue({ rows, openedId, count, address, visitor }: QueueProps) {
  const canChange = may(visitor, "reconcile:write");
  const back = `/discrepancies?${address.toString()}`;
  // With its version: what someone else has changed meanwhile is to be looked at again.
  const ticked = keptTicks(visitor, "ticked", "seen");
  const items = (
    <ol class="queue" data-rows>
      {rows.map((row) => (
        <li class={row.id === openedId ? "queue-open" : undefined}>
          {canChange && (
            <input
              type="checkbox"
              name="seen"
              value={`${row.id}:${row.version}`}
              checked={ticked.includes(`${row.id}:${row.version}`)}
              aria-label={`Choose dis_${row.id}`}
            />
          )}
          <QueueItem row={row} isOpen={row.id === openedId} address={address} />
        </li>
      ))}
    </ol>
  );
  if (!canChange) return items;
  return (
    <PostForm
      visitor={visitor}
      action="/discrepancies/change"
      id="ticked"
      back={back}
      class="bulk"
      hx-post="/discrepancies/change"
      {...swapQueue}
    >
      <details class="bulk-actions" open={visitor.refused?.form === "ticked"}>
        <summary>
          Bulk actions <output data-ticked="seen"></output>
        </summary>
        <div class="row-form">
          <label>
            <input type="checkbox" data-check-all="seen" /> all on this page
          </label>
          <ReasonField visitor={visitor} form="ticked" optional />
          <Button name="action" value="resolve">
            Resolve ticked
          </Button>
          <Button name="action" value="take" kind="secondary">
            Assign to me
          </Button>
          {address.get("show") === "closed" && (
            <Button name="action" value="reopen" kind="secondary">
              Reopen
            </Button>
          )}
        </div>
        <p>
          <a href={`/discrepancies/bulk?${address.toString()}`}>
            All {formatCount(count)} that match these filters …
          </a>
        </p>
      </details>
      {items}
    </PostForm>
  );
}

interface QueueItemProps {
  row: DiscrepancyRow;
  isOpen: boolean;
  address: URLSearchParams;
}

function QueueItem({ row, isOpen, address }: QueueItemProps) {
  const href = pathOf(row.id, address);
  return (
    <a
      class="queue-item"
      href={href}
      hx-get={href}
      hx-target="#detail"
      hx-select="#detail"
      hx-swap="outerHTML"
      hx-push-url="true"
      data-current={isOpen ? true : undefined}
      data-row-link
      aria-current={isOpen ? "true" : undefined}
    >
      <span class="queue-head">
        <strong>{codeWords(row.code)}</strong>
        <Money amount={row.value} currency={row.valueCurrency} />
      </span>
      <span class="queue-foot">
        <Chip tone={stateTone(row.state)}>{codeWords(row.state)}</Chip>
        <Given text={row.provider} />
        <span>{row.ageDays} d</span>
        {row.level === "warning" && <span>warning</span>}
        {row.owner !== null && <Given text={row.owner} />}
        {row.pendingApprovalId !== null && <span>awaiting approval</span>}
      </span>
    </a>
  );
}
