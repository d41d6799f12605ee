import { counted } from "../../core/counted.ts";
import {
  type LineClass,
  lineClasses,
  type LineOfStatement,
  type LineTotal,
  linesPaging,
  listLines,
  totalLines,
} from "../../store/statements/lines-of-statement.ts";
import { booksVersion } from "../../store/books/runs.ts";
import { type LinesElsewhere, listLinesElsewhere } from "../../store/statements/lines-elsewhere.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { withoutEmpty } from "../address.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { type ListPage, listPage } from "../list-page.ts";
import { Empty, Pager, Panel } from "../parts/blocks.tsx";
import { codeWords } from "../parts/discrepancy.tsx";
import { Follows, patienceOf } from "../parts/follows.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { linePath } from "../parts/line-place.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Given, GivenLink, Nothing, Time } from "../parts/show.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { TransactionLinks } from "../transactions/links.tsx";
import { ClassTotals, linesIn } from "./class-totals.tsx";
import { classWords, lineAddress, readLineFilters } from "./line-query.ts";

const rowsPerPage = 50;

export interface StatementLines {
  address: URLSearchParams;
  found: ListPage<LineOfStatement>;
  /** Of all lines, whatever is filtered; `null`: still being added up. */
  totals: LineTotal[] | null;
  /** Of a withdrawn statement: where its lines still count. */
  elsewhere: LinesElsewhere[];
  /** Where the totals are waited for, if they are not here. */
  whole: string | null;
}

export async function readLinesScreen(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  statement: StoredStatement,
): Promise<StatementLines> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const patience = patienceOf(c);
  address.delete("wait");
  const path = `/statements/${statement.id}`;
  const filters = readLineFilters(address);
  const [found, sums] = await Promise.all([
    listPage({ path, address, limit: rowsPerPage }, linesPaging, (page) =>
      listLines(visitor.reader, statement, filters, page),
    ),
    keptSums(web, visitor, statement, patience),
  ]);
  const waited = new URLSearchParams([...address, ["wait", "true"]]);
  const isMissing = sums === null && !patience.isLong;
  const { totals, elsewhere } = sums ?? { totals: null, elsewhere: [] };
  return { address, found, totals, elsewhere, whole: isMissing ? `${path}?${waited.toString()}` : null };
}

/** Kept only until something is written or judged: a person who has just matched a line sees it counted. */
async function keptSums(
  web: Web,
  { reader }: Visitor,
  statement: StoredStatement,
  { waitMs }: { waitMs: number },
): Promise<Sums | null> {
  const key = `statement ${statement.id} ${await booksVersion(reader.database)}`;
  return web.figures.get(key, () => sumUp(reader, statement), { waitMs, freshOnly: true });
}

interface Sums {
  totals: LineTotal[];
  elsewhere: LinesElsewhere[];
}

async function sumUp(reader: Visitor["reader"], statement: StoredStatement): Promise<Sums> {
  const totals = await totalLines(reader, statement);
  const isWithdrawn = statement.state === "withdrawn";
  return { totals, elsewhere: isWithdrawn ? await listLinesElsewhere(reader.database, statement.id) : [] };
}

interface LinesPanelProps {
  statement: StoredStatement;
  lines: StatementLines;
  visitor: Visitor;
}

/** A statement is its lines: by class, with sums that tie, and each with an address of its own. */
export function LinesPanel({ statement, lines, visitor }: LinesPanelProps) {
  const { address, found, totals, elsewhere, whole } = lines;
  const path = `/statements/${statement.id}`;
  const suggested = found.rows.some((row) => row.is_suggested);
  return (
    <Panel
      title="Lines"
      id="lines"
      aside={suggested && <a href={`${path}/confirm${lineAddress(address)}`}>Confirm suggested matches …</a>}
    >
      <Follows id="class-tabs" from={whole} along="#class-totals">
        <Tabs label="Lines by class" tabs={classTabs(path, totals, address.get("class"))} />
      </Follows>
      <FilterForm path={path}>
        {address.has("class") && <input type="hidden" name="class" value={address.get("class") ?? ""} />}
        <label class="wide">
          <span>Id, reference, hash, payout or line number</span>
          <input type="search" name="q" value={address.get("q") ?? ""} maxlength={200} />
        </label>
      </FilterForm>
      {found.rows.length === 0 ? (
        <Empty title="No lines match these filters">
          <a href={path}>Show all lines</a>
        </Empty>
      ) : (
        <LineTable rows={found.rows} statement={statement} address={address} visitor={visitor} />
      )}
      <Pager {...found.pager} shown={`${found.rows.length} shown, in the order of the file`} />
      <div id="class-totals">
        <Elsewhere of={elsewhere} />
        {totals === null ? (
          <p class="muted">What the lines come to is still being added up.</p>
        ) : (
          <ClassTotals totals={totals} path={path} />
        )}
      </div>
    </Panel>
  );
}

/** Without it, the classes of a withdrawn statement would read as if it were still in force. */
function Elsewhere({ of }: { of: readonly LinesElsewhere[] }) {
  return of.map(({ statementId, fileName, lines }) => (
    <p>
      {counted(lines, "line still counts", "lines still count")}, because statement {statementId} contains{" "}
      {lines === 1 ? "it" : "them"} too: <GivenLink href={`/statements/${statementId}`} text={fileName} />.
    </p>
  ));
}

export function classTabs(path: string, totals: readonly LineTotal[] | null, chosen: string | null): Tab[] {
  const count = (name: LineClass) => totals && linesIn(totals.filter((one) => one.class === name));
  return [
    { title: "All", href: path, count: totals && linesIn(totals), isCurrent: chosen === null },
    ...lineClasses
      .filter((name) => name !== "superseded" || name === chosen || (count(name) ?? 0) > 0)
      .map((name) => ({
        title: classWords[name].title,
        href: `${path}?class=${name}`,
        count: count(name),
        isCurrent: chosen === name,
      })),
  ];
}

interface LineTableProps {
  rows: readonly LineOfStatement[];
  statement: StoredStatement;
  address: URLSearchParams;
  visitor: Visitor;
}

function LineTable({ rows, statement, address, visitor }: LineTableProps) {
  const query = lineAddress(address);
  return (
    <ListTable
      label="Lines of the statement"
      caption={`Lines in the order of the file. Times in ${visitor.preferences.zone}.`}
      rows={rows}
      data-rows
      columns={[
        {
          title: "Line",
          rowName: (row) => (
            <a class="figure" href={linePath(statement.id, row.line_no) + query}>
              line {row.line_no}
            </a>
          ),
        },
        { title: "Class", show: (row) => <ClassChip line={row} /> },
        { title: "Type", show: (row) => codeWords(row.line_type) },
        { title: "Time", show: (row) => <Time at={row.effective_at} zone={visitor.preferences.zone} /> },
        { title: "Provider’s id", show: (row) => <Given text={row.provider_transaction_id} mono /> },
        { title: "Transaction", show: (row) => <MatchedWith line={row} account={statement.account} /> },
        { title: "Gross", money: (row) => ({ amount: row.fiat_gross, currency: row.fiat_currency }) },
        { title: "Owed to us", money: (row) => ({ amount: row.net_amount, currency: row.net_currency }) },
      ]}
    />
  );
}

export function ClassChip({ line }: { line: LineOfStatement }) {
  const { title, tone } = classWords[line.class];
  const why = line.codes ?? line.pending_code;
  return (
    <>
      <Chip tone={tone}>{title.toLowerCase()}</Chip>{" "}
      {why !== null && <small class="figure">{why.split(" ").map(codeWords).join(", ")}</small>}
      {line.is_suggested && <small> match suggested</small>}
    </>
  );
}

function MatchedWith({ line, account }: { line: LineOfStatement; account: string }) {
  if (line.transaction_ids.length === 0) return <Nothing />;
  return <TransactionLinks account={account} ids={line.transaction_ids} />;
}
