import { receiptFormats } from "../../core/receipt-line.ts";
import { describeGap, listBalanceGaps } from "../../store/receipts/balance-gaps.ts";
import {
  listReceiptFiles,
  receiptFilePaging,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import { listReceiptLines } from "../../store/receipts/receipt-reads.ts";
import { chosenIn, filtersIn, withoutEmpty } from "../address.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { choicesFor } from "../fresh-totals.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Pager, Panel, TitleRow } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Chip, Count, Given, GivenLink, Time } from "../parts/show.tsx";
import { seenAccount } from "./balances.tsx";
import { ReceiptLines } from "./lines.tsx";
import { ReceiptUpload } from "./upload-form.tsx";
import { formatWords } from "./words.ts";

const rowsPerPage = 25;
const openShown = 20;

/** Drop a bank's file, see what it would do, import it; unmatched lines; and every file before. */
export async function showReceipts(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const chosen = chosenIn(address);
  const filters = filtersIn(address, "account", "format", "state");
  const { account } = filters;
  const [{ rows, pager }, open, gaps, { accounts }] = await Promise.all([
    listPage({ path: "/receipts", address, limit: rowsPerPage }, receiptFilePaging, (page) =>
      listReceiptFiles(visitor.reader, filters, page),
    ),
    listReceiptLines(visitor.reader, { account, matched: false }, { limit: openShown, after: null }),
    listBalanceGaps(visitor.reader, { account }),
    choicesFor(web, visitor),
  ]);
  const canImport = may(visitor, "statements:write");
  return show(web, c, visitor, {
    title: "Receipts",
    under: "/receipts",
    children: (
      <>
        <TitleRow title="Receipts" />
        {canImport && (
          <Panel title="Import bank file" id="upload">
            <ReceiptUpload accounts={accounts} visitor={visitor} />
            <div id="preview" aria-live="polite"></div>
          </Panel>
        )}
        {gaps.length > 0 && (
          <Panel title="Missing statements" id="gaps">
            <ul class="warning">
              {gaps.map((gap) => (
                <li>
                  <Given text={describeGap(gap)} />
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {open.rows.length > 0 && (
          <Panel title="Unmatched" id="open">
            <ReceiptLines
              label="Unmatched lines"
              caption={
                open.hasMore
                  ? `The newest ${openShown} unmatched lines; there are more.`
                  : "All unmatched lines, newest first."
              }
              rows={open.rows}
              visitor={visitor}
              withFile
            />
          </Panel>
        )}
        <Panel title="Imported" id="imported">
          <FilterForm path="/receipts">
            <Choice name="account" label="Account" options={accounts} chosen={chosen("account")} />
            <Choice
              name="format"
              label="Format"
              options={receiptFormats}
              chosen={chosen("format")}
              words={formatWords}
            />
            <Choice name="state" label="State" options={["imported", "withdrawn"]} chosen={chosen("state")} />
          </FilterForm>
          {rows.length === 0 ? (
            <Empty title={address.size > 0 ? "No bank files match these filters" : "No bank files yet"}>
              {canImport
                ? "Drop the first file above: nothing is saved until you have seen the preview."
                : "Bank files are imported by people who may import statements."}
            </Empty>
          ) : (
            <FileTable rows={rows} visitor={visitor} />
          )}
          <Pager {...pager} shown={`${rows.length} shown, newest first`} />
        </Panel>
      </>
    ),
  });
}

function FileTable({ rows, visitor }: { rows: readonly StoredReceiptFile[]; visitor: Visitor }) {
  const { zone } = visitor.preferences;
  return (
    <ListTable
      label="Bank files"
      caption={`Imported bank files, newest first. Times in ${zone}.`}
      rows={rows}
      data-rows
      columns={[
        { title: "File", rowName: (row) => <GivenLink href={`/receipts/${row.id}`} text={row.fileName} /> },
        { title: "Format", show: (row) => formatWords(row.format) },
        { title: "Account", show: (row) => <Given text={row.account} /> },
        {
          title: "Bank account",
          show: (row) => <Given text={seenAccount(row.bankAccount, row.format, visitor)} mono />,
        },
        { title: "Days", show: (row) => <Days file={row} /> },
        { title: "State", show: (row) => <FileState file={row} /> },
        { title: "Accepted", figures: (row) => <Count of={row.rowsAccepted} /> },
        { title: "Known", figures: (row) => <Count of={row.rowsDuplicate} /> },
        { title: "Rejected", figures: (row) => <Count of={row.rowsRejected} /> },
        { title: "Imported", show: (row) => <Time at={row.importedAt} zone={zone} /> },
      ]}
    />
  );
}

export function FileState({ file: { state } }: { file: StoredReceiptFile }) {
  return <Chip tone={state === "imported" ? "good" : "plain"}>{state}</Chip>;
}

/** From the first to the last, as the bank dates them. */
export function Days({ file: { periodFrom, periodTo } }: { file: StoredReceiptFile }) {
  if (periodFrom === null || periodTo === null) return <Given text={null} />;
  return (
    <span class="period">
      {periodFrom} – {periodTo}
    </span>
  );
}
