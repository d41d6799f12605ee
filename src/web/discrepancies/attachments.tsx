import { counted } from "../../core/counted.ts";
import { readFile } from "node:fs/promises";
import { problem } from "../../api/problem.ts";
import { authorOf, dispositionOf } from "../../api/send-file.ts";
import { addAttachment, type Attachment, readAttachment } from "../../store/books/attachments.ts";
import { readDiscrepancy } from "../../store/books/discrepancy-reads.ts";
import { addAction, addPage } from "../add-page.tsx";
import { localPath } from "../address.ts";
import { may, type Visitor, type Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { FormToken } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { FileInput } from "../parts/file-input.tsx";
import { Given, Time } from "../parts/show.tsx";
import { plainName } from "../../core/plain-name.ts";
import { chosenFile } from "../chosen-file.ts";
import { sniffKind } from "./sniff-kind.ts";

const fileBytesMax = 5 * 1024 * 1024;

/** Files about a discrepancy: handed out as files, never shown. */
export function addAttachments(web: Web): void {
  addPage(web, "/attachments/:id", ["reconcile:read"], async (c, visitor) => {
    const id = c.req.param("id") ?? "";
    const author = authorOf(c, visitor.caller);
    const found = /^\d{1,15}$/.test(id)
      ? await readAttachment(web.api.deps.database, visitor.reader, Number(id), author)
      : null;
    if (found === null) throw problem("not_found", "This file does not exist, or you have no access to it.");
    return c.body(new Uint8Array(found.content), 200, {
      // Whatever it is: nothing that a browser would open here.
      "Content-Type": "application/octet-stream",
      "Content-Disposition": dispositionOf(found.fileName),
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    });
  });

  addAction(
    web,
    "/discrepancies/attach",
    ["reconcile:write"],
    async (c, visitor, form, sent) => {
      const id = textOf(form, "id");
      const about = /^\d{1,15}$/.test(id) ? await readDiscrepancy(visitor.reader, Number(id)) : null;
      if (about === null)
        throw problem("not_found", "This discrepancy does not exist, or you have no access to it.");
      const file = chosenFile(sent, "a file");
      const content = await readFile(file.path);
      const kind = sniffKind(content);
      if (kind === null) {
        throw problem(
          "invalid_parameter",
          "Only PDF, PNG, JPEG, spreadsheet, zip and plain text files can be attached.",
        );
      }
      const { accountId, id: discrepancyId } = about;
      const outcome = await addAttachment(
        web.api.deps.database,
        {
          accountId,
          discrepancyId,
          fileName: plainName(file.name, "attachment"),
          kind,
          byteCount: content.length,
          sha256: Buffer.from(file.sha256, "hex"),
          content,
        },
        authorOf(c, visitor.caller),
      );
      if (outcome === "too many") {
        throw problem(
          "invalid_parameter",
          "This discrepancy has 20 files already, which is the most it can have.",
        );
      }
      leaveNotice(c, outcome === "known" ? "This file is attached already." : "File attached.");
      return c.redirect(localPath(textOf(form, "back")), 303);
    },
    { fileBytesMax },
  );
}

interface AttachmentsProps {
  files: readonly Attachment[];
  discrepancyId: number;
  back: string;
  visitor: Visitor;
}

export function Attachments({ files, discrepancyId, back, visitor }: AttachmentsProps) {
  const refused = visitor.refused?.form === "attach" ? visitor.refused.message : null;
  return (
    <>
      {files.length > 0 && (
        <>
          <h3>Files</h3>
          <ul class="plain-list">
            {files.map((file) => (
              <li>
                <a href={`/attachments/${file.id}`} download>
                  <Given text={file.fileName} />
                </a>{" "}
                <small>
                  {file.kind}, {counted(file.byteCount, "byte")}, <Given text={file.addedByName} />,{" "}
                  <Time at={file.addedAt} zone={visitor.preferences.zone} />
                </small>
              </li>
            ))}
          </ul>
        </>
      )}
      {may(visitor, "reconcile:write") && (
        <details open={refused !== null}>
          <summary>Attach a file</summary>
          <form method="post" action="/discrepancies/attach" enctype="multipart/form-data">
            <FormToken csrf={visitor.csrf} />
            <input type="hidden" name="form" value="attach" />
            <input type="hidden" name="back" value={back} />
            <input type="hidden" name="id" value={String(discrepancyId)} />
            {refused !== null && (
              <div class="form-error" role="alert">
                <p>{refused}</p>
              </div>
            )}
            <FileInput
              label="A mail, a picture or a document about this"
              hint="PDF, PNG, JPEG, spreadsheet, zip or text, up to 5 MB."
            />
            <Button kind="secondary">Attach</Button>
          </form>
        </details>
      )}
    </>
  );
}
