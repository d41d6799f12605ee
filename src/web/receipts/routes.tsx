import { counted } from "../../core/counted.ts";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { problem } from "../../api/problem.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi, fetchFile } from "../ask-api.ts";
import type { Visitor, Web, WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { choicesFor } from "../fresh-totals.ts";
import { formatCount } from "../format.ts";
import { leaveNotice } from "../notice.ts";
import { plainName } from "../../core/plain-name.ts";
import { chosenFile } from "../chosen-file.ts";
import type { SentForm } from "../read-form.ts";
import { showReceiptLine } from "./line.tsx";
import { addReceiptLineActions } from "./line-actions.ts";
import { showReceipts } from "./list.tsx";
import { showReceiptFile } from "./one.tsx";
import { closedMonthsOf, type ReceiptOutcome, showReceiptPreview } from "./preview.tsx";

/** As over the API. */
const upload = { fileBytesMax: 50 * 1024 * 1024 };

/** Files of banks and wallets, their lines, and which payouts these settle. */
export function addReceipts(web: Web): void {
  addPage(web, "/receipts", ["reconcile:read"], (c, visitor) => showReceipts(web, c, visitor));
  addPage(web, "/receipts/:id", ["reconcile:read"], (c, visitor) => showReceiptFile(web, c, visitor));
  addPage(web, "/receipts/:id/original", ["reconcile:read", "wallets:read"], (c, visitor) =>
    fetchFile(web, c, visitor, `/v1/receipts/rcf_${encodeURIComponent(c.req.param("id") ?? "")}/original`),
  );
  addPage(web, "/receipts/lines/:line", ["reconcile:read"], (c, visitor) => showReceiptLine(web, c, visitor));
  addReceiptLineActions(web);

  addAction(
    web,
    "/receipts/preview",
    ["statements:write"],
    async (c, visitor, form, sent) => {
      const outcome = await send(web, c, visitor, { form, sent, step: "/preview" });
      const { accounts } = await choicesFor(web, visitor);
      return showReceiptPreview(web, c, visitor, { outcome, form, accounts });
    },
    upload,
  );

  addAction(
    web,
    "/receipts/import",
    ["statements:write"],
    async (c, visitor, form, sent) => {
      const outcome = await send(web, c, visitor, { form, sent, step: "" });
      const { state, file } = outcome;
      const closed = closedMonthsOf(outcome).map((text) => ` ${text}.`);
      leaveNotice(
        c,
        state === "already_imported"
          ? "This file was imported before. Nothing changed."
          : `${file.file_name}: ${counted(file.rows.accepted, "row")} accepted, ${formatCount(file.rows.duplicate)} known before, ${formatCount(file.rows.rejected)} rejected.${closed.join("")}`,
      );
      return c.redirect(`/receipts/${(file.id ?? "").replace("rcf_", "")}`, 303);
    },
    upload,
  );

  addAction(web, "/receipts/withdraw", ["statements:write"], async (c, visitor, form) => {
    const id = textOf(form, "id");
    const reason = textOf(form, "reason");
    if (!/^\d{1,15}$/.test(id))
      throw problem("not_found", "This file does not exist, or you have no access to it.");
    if (reason === "")
      throw problem("invalid_parameter", "Give a reason for withdrawing it. It is kept with the file.");
    await askApi(web, c, visitor, `/v1/receipts/rcf_${id}/withdraw`, { json: { reason } });
    leaveNotice(c, "The file is withdrawn. Its lines no longer count; nothing was deleted.");
    return c.redirect(`/receipts/${id}`, 303);
  });
}

/** Our field → the API's parameter. */
const parameters = {
  account: "account",
  format: "format",
  profile: "profile",
  bank_account: "bank_account",
  currency: "currency",
  encoding: "encoding",
  accept_reason: "accept",
} as const;

/** Asked of the API, which checks, limits and notes it as it does for programs. */
async function send(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { form, sent, step }: { form: FormData; sent: SentForm["file"]; step: "" | "/preview" },
): Promise<ReceiptOutcome> {
  const file = chosenFile(sent, "the bank’s file");
  const query = new URLSearchParams({ file_name: plainName(file.name, "receipts") });
  for (const [field, parameter] of Object.entries(parameters)) {
    const text = textOf(form, field);
    if (text !== "") query.set(parameter, text);
  }
  if (!query.has("account")) {
    throw problem("invalid_parameter", "Choose the account that the file belongs to.");
  }
  return askApi<ReceiptOutcome>(web, c, visitor, `/v1/receipts${step}`, {
    query,
    body: Readable.toWeb(createReadStream(file.path)) as ReadableStream,
    headers: { "content-type": "application/octet-stream" },
  });
}
