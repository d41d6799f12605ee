import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { problem } from "../../api/problem.ts";
import { authorOf, sendFile } from "../../api/send-file.ts";
import { untilGone } from "../../api/while-waited.ts";
import { plainCell, textCell } from "../../core/csv-cell.ts";
import { MINUTE } from "../../core/duration.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { withSnapshot } from "../../store/exports/copy-report.ts";
import { auditExport } from "../../store/exports/exports.ts";
import {
  countTransactions,
  listTransactions,
  type TransactionRow,
  transactionSorts,
} from "../../store/transactions/transaction-reads.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { columnOf, columns } from "./columns.tsx";
import { cleanAddress, type ListQuery, readListQuery } from "./query.ts";

/** As for reports that are sent at once; what is longer is an export, and never a part. */
const rowsMax = 100_000;
const rowsPerPage = 1_000;

/** The list as a file: the same filters, the same columns, the same order; all pages of it, and all of one moment. */
export function sendTransactionsCsv(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = cleanAddress(new URL(c.req.url).searchParams);
  const query = readListQuery(address, visitor);
  const { database } = web.api.deps;
  const options = { statementTimeoutMs: MINUTE, signal: untilGone(c) };
  return new Promise((resolve, reject) => {
    withSnapshot(database, options, async (snapshot) => {
      const reader = { ...visitor.reader, database: snapshot };
      const rows = await countTransactions(reader, query.question.filters, rowsMax + 1);
      if (rows > rowsMax) {
        throw problem(
          "report_too_large",
          `The list has more than ${formatCount(rowsMax)} transactions. Choose a shorter period, or make an export.`,
        );
      }
      await auditExport(database, {
        ...authorOf(c, visitor.caller),
        id: "transactions list",
        action: "report.exported",
        after: { parameters: Object.fromEntries(address), format: "csv", rows },
      });
      const body = new PassThrough();
      resolve(sendFile(c, body, { fileName: fileName(address) }));
      await pipeline(Readable.from(lines(reader, visitor, query)), body);
    }).catch(reject);
  });
}

function fileName(address: URLSearchParams): string {
  const day = (name: string) => /^\d{4}-\d\d-\d\d/.exec(address.get(name) ?? "")?.[0];
  const words = ["transactions", day("status_date[gte]") ?? "start", day("status_date[lte]") ?? "now"];
  return `${words.join("_")}.csv`;
}

/** With a mark and line ends as Excel wants them: who downloads from a page opens the file with it. */
async function* lines(reader: AccountReader, visitor: Visitor, query: ListQuery): AsyncGenerator<string> {
  const cells = query.columns.flatMap((name) => Object.entries(columnOf(name).file));
  yield `\uFEFF${cells.map(([name]) => name).join(",")}\r\n`;
  const { filters } = query.question;
  const { positionOf } = transactionSorts["-status_date"];
  let after: readonly string[] | null = null;
  for (;;) {
    const page: { rows: TransactionRow[]; hasMore: boolean } = await listTransactions(reader, {
      filters,
      sort: "-status_date",
      page: { limit: rowsPerPage, after },
    });
    const last = page.rows.at(-1);
    if (last === undefined) return;
    yield page.rows
      .map((row) => {
        const written = cells.map(([name, read]) => {
          const cell = typed.has(name) ? plainCell : textCell;
          return cell(read(row, visitor));
        });
        return `${written.join(",")}\r\n`;
      })
      .join("");
    if (!page.hasMore) return;
    after = positionOf(last);
  }
}

/** Numbers and times that we typed ourselves. */
const typed = new Set([
  ...Object.keys(columns.in_amount.file).slice(0, 1),
  ...Object.keys(columns.out_amount.file).slice(0, 1),
  "status_at",
  "first_seen_at",
  "last_changed_at",
  "missing_since",
]);
