import type { Child } from "hono/jsx";
import { parseDecimal } from "../core/decimal.ts";
import { findDiscrepanciesOf, findLines, findPayouts, findPeople, findStatements } from "../store/find.ts";
import { readDiscrepancy } from "../store/books/discrepancy-reads.ts";
import { readPayout } from "../store/books/payout-reads.ts";
import { findReceiptFiles, findReceiptLines } from "../store/receipts/find-receipts.ts";
import { findReceiptFile } from "../store/receipts/receipt-files.ts";
import { readReceiptLine } from "../store/receipts/receipt-reads.ts";
import { readLine } from "../store/statements/statement-rows.ts";
import { findStatement } from "../store/statements/statements.ts";
import { listTransactions } from "../store/transactions/transaction-reads.ts";
import { addPage } from "./add-page.tsx";
import { may, type Visitor, type Web } from "./deps.ts";
import { choicesFor } from "./fresh-totals.ts";
import { show } from "./layout.tsx";
import { Empty, TitleRow } from "./parts/blocks.tsx";
import { codeWords } from "./parts/discrepancy.tsx";
import { linePath } from "./parts/line-place.tsx";
import { Given, Money, Status, Time } from "./parts/show.tsx";
import { receiptLinePath, signedAmount } from "./receipts/lines.tsx";
import { transactionPath } from "./transactions/columns.tsx";

interface Hit {
  kind: string;
  href: string;
  title: string;
  note: Child;
}

const hitsPerKind = 10;

/** One search over everything that has a name. A single hit is opened at once. */
export function addFind(web: Web): void {
  addPage(web, "/find", ["transactions:read"], async (c, visitor) => {
    const text = (c.req.query("q") ?? "").replaceAll("\0", "").trim().slice(0, 200);
    const hits = text === "" ? [] : await findAll(web, visitor, text);
    const [only] = hits;
    const isPartial = c.req.header("hx-request") === "true";
    if (only !== undefined && hits.length === 1 && !isPartial) return c.redirect(only.href, 303);
    return show(web, c, visitor, {
      title: "Find",
      under: "/find",
      children: (
        <>
          <TitleRow title={text === "" ? "Find" : `Results for “${text}”`} />
          <div id="found">
            {hits.length === 0 ? (
              <Empty title={text === "" ? "Type what you are looking for" : "Nothing found"}>
                Any id, hash, reference or wallet, whole or by its first 8 characters; a provider or a file,
                by the beginning of its name; a payout; a person; or an amount of a payout, a bank line or a
                discrepancy. Upper and lower case are treated the same.
              </Empty>
            ) : (
              <Hits hits={hits} />
            )}
          </div>
        </>
      ),
    });
  });
}

function Hits({ hits }: { hits: readonly Hit[] }) {
  return (
    <ul class="hits" data-rows>
      {hits.map(({ kind, href, title, note }) => (
        <li>
          <a href={href} data-row-link>
            <small>{kind}</small> <Given text={title} mono />
          </a>{" "}
          <span class="muted">{note}</span>
        </li>
      ))}
    </ul>
  );
}

async function findAll(web: Web, visitor: Visitor, text: string): Promise<Hit[]> {
  const found = await Promise.all([
    byReference(visitor, text),
    providersNamed(web, visitor, text),
    transactionsNamed(visitor, text),
    ...(may(visitor, "reconcile:read")
      ? [
          linesNamed(visitor, text),
          payoutsNamed(visitor, text),
          bankLinesNamed(visitor, text),
          filesNamed(visitor, text),
          bankFilesNamed(visitor, text),
        ]
      : []),
    ...(may(visitor, "reconcile:read") ? [discrepanciesOf(visitor, text)] : []),
    ...(may(visitor, "people:read") ? [peopleNamed(visitor, text)] : []),
  ]);
  return found.flatMap((hits) => hits.slice(0, hitsPerKind));
}

/** Our own numbers, as the API and the audit log write them: dis_17, po_4, lin_2. */
async function byReference(visitor: Visitor, text: string): Promise<Hit[]> {
  const [, kind = "", digits = ""] = /^([a-z]{2,3})_(\d{1,15})$/.exec(text.toLowerCase()) ?? [];
  if (kind === "" || !may(visitor, "reconcile:read")) return [];
  const { reader } = visitor;
  const id = Number(digits);
  const hit = (what: string, href: string, found: object | null): Hit[] =>
    found === null ? [] : [{ kind: what, href, title: text, note: "" }];
  switch (kind) {
    case "dis":
      return hit("discrepancy", `/discrepancies/${id}`, await readDiscrepancy(reader, id));
    case "po":
      return hit("payout", `/payouts/${id}`, await readPayout(reader, id));
    case "stm":
      return hit(
        "statement",
        `/statements/${id}`,
        await findStatement(reader.database, id, reader.accountIds),
      );
    case "lin": {
      const line = await readLine(reader, id);
      return line === null ? [] : hit("line", linePath(line.statementId, line.lineNo), line);
    }
    case "rcf":
      return hit(
        "bank file",
        `/receipts/${id}`,
        await findReceiptFile(reader.database, id, reader.accountIds),
      );
    case "rcl":
      return hit("bank line", receiptLinePath(id), await readReceiptLine(reader, id));
    default:
      return [];
  }
}

async function transactionsNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const { rows } = await listTransactions(visitor.reader, {
    filters: { ranges: [], q: { text, wallets: may(visitor, "wallets:read") } },
    sort: "-status_date",
    page: { limit: hitsPerKind, after: null },
  });
  return rows.map((row) => ({
    kind: "transaction",
    href: transactionPath(row),
    title: row.transaction_id,
    note: (
      <>
        <Status status={row.status} /> <Money amount={row.in_amount} currency={row.source_currency} />{" "}
        <Given text={row.provider} />, <Time at={row.status_date} zone={visitor.preferences.zone} />
      </>
    ),
  }));
}

async function linesNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findLines(visitor.reader, text);
  return rows.map((row) => ({
    kind: "line",
    href: linePath(row.statement_id, row.line_no),
    title: `${row.file_name} line ${row.line_no}`,
    note: (
      <>
        {codeWords(row.line_type)} <Money amount={row.net_amount} currency={row.net_currency} />{" "}
        <Given text={row.name} mono />
      </>
    ),
  }));
}

async function payoutsNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findPayouts(visitor.reader, text, amountIn(text));
  return rows.map((row) => ({
    kind: "payout",
    href: `/payouts/${row.id}`,
    title: row.payout_ref,
    note: (
      <>
        <Given text={row.provider} />{" "}
        <Money amount={row.net_declared ?? row.net_computed} currency={row.currency} />
      </>
    ),
  }));
}

async function filesNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findStatements(visitor.reader, text);
  return rows.map((row) => ({
    kind: "statement",
    href: `/statements/${row.id}`,
    title: row.file_name,
    note: `${row.provider}, ${row.state}`,
  }));
}

async function bankLinesNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findReceiptLines(visitor.reader, text, amountIn(text));
  return rows.map((row) => ({
    kind: "bank line",
    href: receiptLinePath(row.id),
    title: `${row.file_name} line ${row.line_no}`,
    note: (
      <>
        <Money amount={signedAmount(row)} currency={row.currency} /> {row.value_date}
      </>
    ),
  }));
}

async function bankFilesNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findReceiptFiles(visitor.reader, text);
  return rows.map((row) => ({
    kind: "bank file",
    href: `/receipts/${row.id}`,
    title: row.file_name,
    note: row.state,
  }));
}

async function providersNamed(web: Web, visitor: Visitor, text: string): Promise<Hit[]> {
  const { providers } = await choicesFor(web, visitor);
  const named = providers.filter((name) => name.toLowerCase().startsWith(text.toLowerCase()));
  return named.map((name) => ({
    kind: "provider",
    href: `/transactions?${new URLSearchParams({ provider: name }).toString()}`,
    title: name,
    note: "its transactions",
  }));
}

async function discrepanciesOf(visitor: Visitor, text: string): Promise<Hit[]> {
  const amount = amountIn(text);
  const rows = amount === null ? [] : await findDiscrepanciesOf(visitor.reader, amount);
  return rows.map((row) => ({
    kind: "discrepancy",
    href: `/discrepancies/${row.id}`,
    title: codeWords(row.code),
    note: (
      <>
        {codeWords(row.state)}, <Given text={row.provider} />{" "}
        <Money amount={row.value} currency={row.value_currency} />
      </>
    ),
  }));
}

async function peopleNamed(visitor: Visitor, text: string): Promise<Hit[]> {
  const rows = await findPeople(visitor.reader, text);
  return rows.map(({ name, email }) => ({ kind: "person", href: "/people", title: name, note: email }));
}

/** `1,204.50` and `1204.5` are one amount. */
function amountIn(text: string): string | null {
  return parseDecimal(/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text);
}
