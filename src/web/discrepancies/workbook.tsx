import { counted } from "../../core/counted.ts";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { addAction, addPage } from "../add-page.tsx";
import { askApi, fetchFile } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { bookedAtOf, textOf } from "../form-text.ts";
import { show } from "../layout.tsx";
import { leaveNotice } from "../notice.ts";
import { FormToken, Panel, TitleRow } from "../parts/blocks.tsx";
import { BookedAtField } from "../parts/booked-at-field.tsx";
import { chosenFile } from "../chosen-file.ts";
import type { SentForm } from "../read-form.ts";

/** As over the API. */
const fileBytesMax = 20 * 1024 * 1024;

interface Review {
  rows: { read: number; changed: number; unchanged: number; refused: number };
  changed: { row: number; id: string; actions: string[] }[];
  refused: { row: number; id: string | null; reason: string }[];
}

export function addWorkbookActions(web: Web): void {
  addPage(web, "/discrepancies.xlsx", ["reconcile:read"], (c, visitor) =>
    fetchFile(web, c, visitor, "/v1/discrepancies.xlsx"),
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
      leaveNotice(c, `Workbook imported: ${changed} changed, ${unchanged} unchanged.`);
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

/** Under the queue: the way out to a spreadsheet and back. */
export function WorkbookPanel({ visitor }: { visitor: Visitor }) {
  return (
    <details class="workbook">
      <summary>Work in a spreadsheet</summary>
      <p>
        <a href="/discrepancies.xlsx" download>
          Download the open discrepancies (XLSX)
        </a>
        , fill in decision, owner and note, and send the workbook back. A row that someone else has changed
        since is refused.
      </p>
      {may(visitor, "reconcile:write") && <WorkbookForm visitor={visitor} />}
    </details>
  );
}

function WorkbookForm({ visitor, bookedAt = "" }: { visitor: Visitor; bookedAt?: string | undefined }) {
  return (
    <form method="post" action="/discrepancies/workbook/preview" enctype="multipart/form-data">
      <FormToken csrf={visitor.csrf} />
      <label>
        <span>Filled-in workbook</span>
        <input type="file" name="file" required accept=".xlsx" />
      </label>
      <BookedAtField visitor={visitor} form="workbook" begin={bookedAt} />
      <p class="actions">
        <button type="submit">Preview</button>
        <button type="submit" formaction="/discrepancies/workbook" class="secondary">
          Import
        </button>
      </p>
    </form>
  );
}

function showReview(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { review, isDone, bookedAt }: { review: Review; isDone: boolean; bookedAt?: string },
): Promise<Response> | Response {
  const { rows, changed, refused } = review;
  return show(web, c, visitor, {
    title: "Workbook of discrepancies",
    under: "/discrepancies",
    children: (
      <>
        <TitleRow title={isDone ? "Workbook imported" : "Workbook preview"}>
          <a href="/discrepancies">All discrepancies</a>
        </TitleRow>
        <p role="status">
          {counted(rows.read, "row")}: {rows.changed} {isDone ? "changed" : "would be changed"},{" "}
          {rows.unchanged} unchanged, {rows.refused} refused.{!isDone && " Nothing has been changed yet."}
        </p>
        {refused.length > 0 && (
          <Panel title="Refused" id="refused">
            <table>
              <thead>
                <tr>
                  <th scope="col">Row</th>
                  <th scope="col">Discrepancy</th>
                  <th scope="col">Why</th>
                </tr>
              </thead>
              <tbody>
                {refused.map(({ row, id, reason }) => (
                  <tr>
                    <td>{row}</td>
                    <td>{id}</td>
                    <td>{reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Panel>
        )}
        {changed.length > 0 && (
          <Panel title={isDone ? "Changed" : "To be changed"} id="changed">
            <ul>
              {changed.map(({ row, id, actions }) => (
                <li>
                  Row {row}, {id}: {actions.join(", ")}
                </li>
              ))}
            </ul>
          </Panel>
        )}
        {!isDone && <WorkbookForm visitor={visitor} bookedAt={bookedAt} />}
      </>
    ),
  });
}
