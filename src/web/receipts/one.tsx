import { problem } from "../../api/problem.ts";
import { listReceiptLines, receiptLinePaging } from "../../store/receipts/receipt-reads.ts";
import {
  findReceiptFile,
  listRejectedReceipts,
  type RejectedReceipt,
  type StoredReceiptFile,
} from "../../store/receipts/receipt-files.ts";
import { chosenIn, withoutEmpty } from "../address.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { listPage } from "../list-page.ts";
import { Choice, Empty, Fact, Pager, Panel } from "../parts/blocks.tsx";
import { FilterForm } from "../parts/filter-form.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { OriginalLink } from "../parts/original-link.tsx";
import { RowCounts } from "../parts/row-counts.tsx";
import { Given, Time } from "../parts/show.tsx";
import { WithdrawPanel } from "../parts/withdraw-panel.tsx";
import { Balances, seenAccount } from "./balances.tsx";
import { ReceiptLines } from "./lines.tsx";
import { Days, FileState } from "./list.tsx";
import { formatWords } from "./words.ts";

const linesPerPage = 50;
const rejectsShown = 100;

/** One bank file: its lines and what each settled, its balances, and the way to take it back. */
export async function showReceiptFile(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  const file = await fileOf(c, visitor);
  const address = withoutEmpty(new URL(c.req.url).searchParams);
  const path = `/receipts/${file.id}`;
  const filters = { fileId: file.id, matched: matchedIn(address) };
  const [{ rows, pager }, rejects] = await Promise.all([
    listPage({ path, address, limit: linesPerPage }, receiptLinePaging, (page) =>
      listReceiptLines(visitor.reader, filters, page),
    ),
    listRejectedReceipts(visitor.reader.database, { fileId: file.id, after: 0, limit: rejectsShown }),
  ]);
  const { zone } = visitor.preferences;
  return show(web, c, visitor, {
    title: `Bank file ${file.fileName.slice(0, 60)}`,
    under: "/receipts",
    children: (
      <>
        <div class="title-row">
          <h1>
            <Given text={file.fileName} />
          </h1>
          <FileState file={file} />
          <p class="summary">
            {formatWords(file.format)}, account <Given text={file.account} />
          </p>
        </div>
        {file.withdrawnAt !== null && (
          <p class="warning">
            Withdrawn on <Time at={file.withdrawnAt} zone={zone} /> by <Given text={file.withdrawnByName} />:{" "}
            <Given text={file.withdrawnReason} />. Its lines no longer count, unless another file carries them
            too.
          </p>
        )}
        <Panel title="Lines" id="lines">
          <FilterForm path={path}>
            <Choice
              name="matched"
              label="Lines"
              any="All"
              options={["true", "false"]}
              chosen={chosenIn(address)("matched")}
              words={(value) => (value === "true" ? "Matched" : "Unmatched")}
            />
          </FilterForm>
          {rows.length === 0 ? (
            <Empty title="No lines match this filter">
              {address.size > 0 ? <a href={path}>Show all its lines</a> : "Every row was rejected."}
            </Empty>
          ) : (
            <ReceiptLines
              label="Lines of the file"
              caption="Lines of the file, newest first, and how much of each is matched."
              rows={rows}
              visitor={visitor}
            />
          )}
          <Pager {...pager} shown={`${rows.length} shown`} />
        </Panel>
        <div class="columns-2">
          <Panel title="The file" id="file" aside={<OriginalLink of={path} visitor={visitor} />}>
            <Facts file={file} visitor={visitor} />
          </Panel>
          <Panel title="Its rows" id="rows">
            <RowCounts of={file} />
          </Panel>
        </div>
        {file.balances.length > 0 && (
          <Panel title="Balances" id="balances">
            <Balances balances={file.balances} format={file.format} visitor={visitor} />
          </Panel>
        )}
        {rejects.length > 0 && <Rejected file={file} rejects={rejects} visitor={visitor} />}
        {may(visitor, "statements:write") && file.state === "imported" && (
          <WithdrawPanel visitor={visitor} under="/receipts" id={file.id} what="file" />
        )}
      </>
    ),
  });
}

/** The file that the address names, among those that the visitor may see. */
async function fileOf(c: WebContext, { reader }: Visitor): Promise<StoredReceiptFile> {
  const id = c.req.param("id") ?? "";
  const file = /^\d{1,15}$/.test(id)
    ? await findReceiptFile(reader.database, Number(id), reader.accountIds)
    : null;
  if (file === null)
    throw problem("not_found", "This bank file does not exist, or you have no access to it.");
  return file;
}

function matchedIn(address: URLSearchParams): boolean | undefined {
  const text = address.get("matched");
  return text === null ? undefined : text === "true";
}

function Facts({ file, visitor }: { file: StoredReceiptFile; visitor: Visitor }) {
  return (
    <dl class="facts">
      <dt>Number</dt>
      <dd>rcf_{file.id}</dd>
      <dt>Bank account</dt>
      <dd>
        <Given text={seenAccount(file.bankAccount, file.format, visitor)} mono />
      </dd>
      <Fact name="Days" value={<Days file={file} />} />
      <Fact name="SHA-256" value={<code class="hash">{file.sha256.toString("hex")}</code>} />
      <dt>Imported</dt>
      <dd>
        <Time at={file.importedAt} zone={visitor.preferences.zone} /> by <Given text={file.importedByName} />
      </dd>
      {file.acceptedReason !== null && (
        <>
          <dt>Accepted despite</dt>
          <dd>
            {file.acceptedCodes?.join(", ")}: <Given text={file.acceptedReason} />
          </dd>
        </>
      )}
    </dl>
  );
}

interface RejectedProps {
  file: StoredReceiptFile;
  rejects: readonly RejectedReceipt[];
  visitor: Visitor;
}

/** Rows as they stand in the file may hold wallets in full. */
function Rejected({ file, rejects, visitor }: RejectedProps) {
  const withText = may(visitor, "wallets:read");
  const cut = file.rowsRejected > rejects.length ? `, the first of ${formatCount(file.rowsRejected)}` : "";
  return (
    <Panel title="Rejected rows" id="rejected">
      <ListTable
        label="Rejected rows"
        caption={`Rows that were not imported${cut}. Importing a corrected file does not change rows that are already known.`}
        rows={rejects}
        columns={[
          { title: "Line", rowName: ({ lineNo }) => lineNo },
          { title: "Problem", show: ({ code }) => <code>{code}</code> },
          { title: "Why", show: ({ reason }) => <Given text={reason} /> },
          { title: "Field", show: ({ field }) => <Given text={field} /> },
          { title: "Row", show: ({ originalText }) => <Given text={withText ? originalText : null} mono /> },
        ]}
      />
    </Panel>
  );
}
