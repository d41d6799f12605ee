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
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Empty, FormToken, NothingCompared, Pager } from "../parts/blocks.tsx";
import { codeWords, stateTone } from "../parts/discrepancy.tsx";
import { Chip, Given, Money } from "../parts/show.tsx";
import { withoutEmpty } from "../address.ts";
import { DetailPane, readDetail } from "./detail.tsx";
import { QueueFilters } from "./filters.tsx";
import { readDiscrepancyFilters } from "./query.ts";
import { WorkbookPanel } from "./workbook.tsx";

const rowsPerPage = 50;

/** The work queue: what waits longest first; the list on the left, the one that is open on the right. */
export async function showQueue(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  id: string | null,
): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const filters = readDiscrepancyFilters(address);
  const sort = filters.open ? "since" : "-last_changed_at";
  const wanted = { path: "/discrepancies", address, limit: rowsPerPage, sort };
  const [{ rows, pager }, totals, choices, compared] = await Promise.all([
    listPage(wanted, discrepancyPaging(filters), (page) => listDiscrepancies(visitor.reader, filters, page)),
    totalDiscrepancies(visitor.reader, filters),
    choicesFor(web, visitor),
    anyCompared(visitor.reader),
  ]);
  const opened = id === null ? (rows[0] ?? null) : await find(visitor, id);
  const detail = opened === null ? null : await readDetail(visitor, opened);
  return show(web, c, visitor, {
    title: "Discrepancies",
    under: "/discrepancies",
    children: (
      <>
        <div class="title-row">
          <h1>Discrepancies</h1>
          <p class="summary" id="summary" role="status">
            <Totals totals={totals} filters={filters} />
          </p>
        </div>
        <QueueFilters address={address} choices={choices} visitor={visitor} />
        {rows.length === 0 && opened === null && address.size === 0 && !compared ? (
          <NothingCompared />
        ) : rows.length === 0 && opened === null ? (
          <Empty title={filters.open ? "Nothing disagrees" : "Nothing has been closed yet"}>
            {address.size === 0
              ? "Everything that could be compared agrees. Import a statement to compare more."
              : "Take a filter away to see more."}
          </Empty>
        ) : (
          <div class="split">
            <div class="split-list">
              <Queue rows={rows} openedId={opened?.id ?? null} address={address} visitor={visitor} />
              <Pager {...pager} shown={`${rows.length} shown`} />
            </div>
            <div class="split-detail" id="detail" aria-live="polite">
              {detail === null ? (
                <Empty title="None is open">Choose one on the left.</Empty>
              ) : (
                <DetailPane detail={detail} address={address} visitor={visitor} />
              )}
            </div>
          </div>
        )}
        <WorkbookPanel visitor={visitor} />
      </>
    ),
  });
}

async function find(visitor: Visitor, id: string): Promise<DiscrepancyRow> {
  const found = /^\d{1,15}$/.test(id) ? await readDiscrepancy(visitor.reader, Number(id)) : null;
  if (found === null) throw problem("not_found", "There is no such discrepancy that you may see.");
  return found;
}

function Totals({ totals, filters }: { totals: readonly ValueTotal[]; filters: DiscrepancyFilters }) {
  const count = totals.reduce((sum, row) => sum + row.discrepancies, 0);
  const worth = totals.filter(({ value }) => value !== null && value !== "0").slice(0, 4);
  return (
    <>
      {formatCount(count)} {filters.open ? "open" : "closed"}
      {worth.map(({ value, currency }) => (
        <>
          {" · "}
          <Money amount={value} currency={currency} />
        </>
      ))}
    </>
  );
}

interface QueueProps {
  rows: readonly DiscrepancyRow[];
  openedId: number | null;
  address: URLSearchParams;
  visitor: Visitor;
}

function Queue({ rows, openedId, address, visitor }: QueueProps) {
  const canChange = may(visitor, "reconcile:write");
  const back = `/discrepancies?${address.toString()}`;
  const items = (
    <ol class="queue" data-rows>
      {rows.map((row) => (
        <li class={row.id === openedId ? "queue-open" : undefined}>
          {canChange && (
            <input
              type="checkbox"
              name="seen"
              value={`${row.id}:${row.version}`}
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
    <form method="post" action="/discrepancies/change" class="bulk">
      <FormToken csrf={visitor.csrf} />
      <input type="hidden" name="back" value={back} />
      <details class="bulk-actions">
        <summary>Several at once</summary>
        <div class="row-form">
          <label>
            <input type="checkbox" data-check-all="seen" /> all on this page
          </label>
          <label class="grow">
            <span>Reason</span>
            <input type="text" name="reason" maxlength={500} />
          </label>
          <button name="action" value="resolve">
            Resolve
          </button>
          <button name="action" value="take" class="secondary">
            Take
          </button>
          <button name="action" value="reopen" class="secondary">
            Reopen
          </button>
        </div>
      </details>
      {items}
    </form>
  );
}

function QueueItem({
  row,
  isOpen,
  address,
}: {
  row: DiscrepancyRow;
  isOpen: boolean;
  address: URLSearchParams;
}) {
  const href = `/discrepancies/${row.id}?${address.toString()}`;
  return (
    <a
      class="queue-item"
      href={href}
      hx-get={href}
      hx-target="#detail"
      hx-select="#detail"
      hx-swap="outerHTML"
      hx-push-url="true"
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
      </span>
    </a>
  );
}
