import { counted } from "../../core/counted.ts";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { withoutEmpty } from "../address.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi, fetchFile } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { bookedAtOf, textOf } from "../form-text.ts";
import { formatCount } from "../format.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { codeWords } from "../parts/discrepancy.tsx";
import { FileInput } from "../parts/file-input.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { PreviewButton } from "../parts/preview-button.tsx";
import { Given } from "../parts/show.tsx";
import { chosenFile } from "../chosen-file.ts";
import type { SentForm } from "../read-form.ts";
import { filterWords, toApiQuery } from "./query.ts";

/** As over the API. */
const fileBytesMax = 20 * 1024 * 1024;

interface Review {
  rows: { read: number; changed: number; unchanged: number; refused: number };
  changed: {
    row: number;
    id: string;
    actions: string[];
    code: string;
    value: string | null;
    value_currency: string | null;
    note: string | null;
    needs_approval: boolean;
  }[];
  refused: { row: number; id: string | null; reason: string }[];
}

export function addWorkbookActions(web: Web): void {
  addPage(web, "/discrepancies.xlsx", ["reconcile:read"], (c, visitor) =>
    fetchFile(web, c, visitor, `/v1/discrepancies.xlsx?${toApiQuery(addressOf(c)).toString()}`),
  );
  const upload = { fileBytesMax };
  addAction(
    web,
    "/discrepancies/workbook/preview",
    ["reconcile:write"],
    async (c, visitor, form, sent) => {
      const review = await send(web, c, visitor, { form, sent, step: "/preview" });
      return showReview(web, c, visitor, { review, isDone: false, bookedAt: textOf(form, "booked_at") });
    },
    upload,
  );
  addAction(
    web,
    "/discrepancies/workbook",
    ["reconcile:write"],
    async (c, visitor, form, sent) => {
      const review = await send(web, c, visitor, { form, sent, step: "" });
      if (review.rows.refused > 0) return showReview(web, c, visitor, { review, isDone: true });
      const { changed, unchanged } = review.rows;
      leaveNotice(
        c,
        `Workbook imported: ${formatCount(changed)} changed, ${formatCount(unchanged)} unchanged.`,
      );
      return c.redirect("/discrepancies", 303);
    },
    upload,
  );
}

/** Asked of the API, which checks, limits and notes it as it does for programs. */
async function send(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { form, sent, step }: { form: FormData; sent: SentForm["file"]; step: "" | "/preview" },
): Promise<Review> {
  const { path } = chosenFile(sent, "the workbook");
  return askApi<Review>(web, c, visitor, `/v1/discrepancies/workbook${step}`, {
    query: new URLSearchParams(bookedAtOf(form)),
    body: Readable.toWeb(createReadStream(path)) as ReadableStream,
    headers: { "content-type": "application/octet-stream" },
  });
}

const addressOf = (c: WebContext) => withoutEmpty(new URL(c.req.url).searchParams);

/** Under the queue: the way out to a spreadsheet and back. The workbook holds what the queue shows, on all its pages. */
export function WorkbookPanel({ visitor, address }: { visitor: Visitor; address: URLSearchParams }) {
  const query = new URLSearchParams(address);
  query.delete("cursor");
  return (
    <details class="workbook">
      <summary>Work in a spreadsheet</summary>
      <p>
        <a href={`/discrepancies.xlsx${query.size === 0 ? "" : `?${query.toString()}`}`} download>
          Download these discrepancies (XLSX)
        </a>
        : {filterWords(query)}. Fill in decision, owner and note, and send the workbook back. A row that
        someone else has changed since is refused.
      </p>
      {may(visitor, "reconcile:write") && (
        <>
          <WorkbookForm visitor={visitor} />
          <div id="preview" aria-live="polite"></div>
        </>
      )}
    </details>
  );
}

/** One form with two buttons, as that of statements: the second one comes with the preview. */
function WorkbookForm({ visitor, bookedAt = "" }: { visitor: Visitor; bookedAt?: string | undefined }) {
  return (
    <form
      id="workbook-form"
      method="post"
      action="/discrepancies/workbook/preview"
      enctype="multipart/form-data"
    >
      <FormToken csrf={visitor.csrf} />
      <FileInput
        label="Filled-in workbook: drop it here, or choose it"
        hint="XLSX, up to 20 MB. Nothing is changed until you have seen what it would do."
        accept=".xlsx"
      />
      <div class="filter-row">
        <BookedAtField visitor={visitor} form="workbook" begin={bookedAt} />
        <PreviewButton action="/discrepancies/workbook/preview" />
      </div>
    </form>
  );
}

interface Shown {
  review: Review;
  isDone: boolean;
  bookedAt?: string;
}

function showReview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { review, isDone, bookedAt }: Shown,
): Promise<Response> | Response {
  return show(web, c, visitor, {
    title: "Workbook of discrepancies",
    under: "/discrepancies",
    children: (
      <>
        <TitleRow title={isDone ? "Workbook imported" : "Workbook preview"}>
          <a href="/discrepancies">All discrepancies</a>
        </TitleRow>
        <div id="preview" aria-live="polite">
          <ReviewPanels review={review} isDone={isDone} />
        </div>
        {!isDone && (
          <Panel title="Choose the workbook again to import it" id="again">
            <WorkbookForm visitor={visitor} bookedAt={bookedAt} />
          </Panel>
        )}
      </>
    ),
  });
}

function ReviewPanels({ review: { rows, changed, refused }, isDone }: Omit<Shown, "bookedAt">) {
  const proposed = changed.filter((one) => one.needs_approval).length;
  return (
    <>
      <p role="status">
        {counted(rows.read, "row")}: {formatCount(rows.changed)} {isDone ? "changed" : "would be changed"},{" "}
        {formatCount(rows.unchanged)} unchanged, {formatCount(rows.refused)} refused.
        {!isDone && " Nothing has been changed yet."}
      </p>
      {proposed > 0 && (
        <p class="warning">
          {counted(proposed, "write-off is", "write-offs are")} above your limit: another person must approve{" "}
          {proposed === 1 ? "it" : "them"} on <a href="/approvals">Approvals</a>.
        </p>
      )}
      {refused.length > 0 && (
        <Panel title="Refused" id="refused">
          <ListTable
            label="Refused rows"
            caption={`Rows that were not taken${cutAt(refused)}`}
            rows={refused.slice(0, rowsShown)}
            columns={[
              { title: "Row", rowName: ({ row }) => `row ${row}` },
              { title: "Discrepancy", show: ({ id }) => <Given text={id} mono /> },
              { title: "Why", show: ({ reason }) => <Given text={reason} whole /> },
            ]}
          />
        </Panel>
      )}
      {changed.length > 0 && (
        <Panel title={isDone ? "Changed" : "To be changed"} id="changed">
          <ListTable
            label="Rows with a decision"
            caption={`Rows with a decision, an owner or a note${cutAt(changed)}`}
            rows={changed.slice(0, rowsShown)}
            columns={[
              { title: "Row", rowName: ({ row }) => `row ${row}` },
              {
                title: "Discrepancy",
                show: ({ id, code }) => (
                  <a href={`/discrepancies/${id.replace("dis_", "")}`}>{codeWords(code)}</a>
                ),
              },
              { title: "Value", money: (one) => ({ amount: one.value, currency: one.value_currency }) },
              {
                title: "Decision",
                show: (one) =>
                  `${one.actions.map(codeWords).join(", ")}${one.needs_approval ? ": needs approval" : ""}`,
              },
              { title: "Note", show: ({ note }) => <Given text={note} whole /> },
            ]}
          />
        </Panel>
      )}
      {!isDone && rows.changed > 0 && (
        <button type="submit" form="workbook-form" formaction="/discrepancies/workbook">
          Import {counted(rows.changed, "decision")}
        </button>
      )}
    </>
  );
}

const rowsShown = 500;

const cutAt = (rows: readonly unknown[]) =>
  rows.length > rowsShown ? `; the first ${rowsShown} of ${formatCount(rows.length)}` : "";
