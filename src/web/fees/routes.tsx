import { readFile } from "node:fs/promises";
import { chooseAccount } from "../../api/choose-account.ts";
import { problem, ProblemError } from "../../api/problem.ts";
import { readFeeUpload } from "../../api/fee-schedules/routes.ts";
import { counted } from "../../core/counted.ts";
import { TieoutError } from "../../core/errors.ts";
import { instantAt, notATime, parseDayOrInstant } from "../../core/period.ts";
import { utc } from "../../core/zone.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi } from "../ask-api.ts";
import type { Visitor, Web } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { leaveNotice } from "../notice.ts";
import { chosenFile } from "../chosen-file.ts";
import type { SentForm } from "../read-form.ts";
import { showFees, showFeeSchedule, showFeePreview } from "./screens.tsx";

/** A schedule is a page or two of figures. */
const upload = { fileBytesMax: 5 * 1024 * 1024 };

export function addFees(web: Web): void {
  addPage(web, "/fees", ["reconcile:read"], (c, visitor) => showFees(web, c, visitor));
  addPage(web, "/fees/:id", ["reconcile:read"], (c, visitor) => showFeeSchedule(web, c, visitor));

  addAction(
    web,
    "/fees/preview",
    ["reconcile:write"],
    async (c, visitor, form, sent) =>
      showFeePreview(web, c, visitor, await readSchedule(visitor, form, sent)),
    upload,
  );

  addAction(
    web,
    "/fees/import",
    ["reconcile:write"],
    async (c, visitor, form, sent) => {
      const { fileName: _name, ...json } = await readSchedule(visitor, form, sent);
      const saved = await askApi<{ id: string; version: number }>(web, c, visitor, "/v1/fee-schedules", {
        json,
      });
      leaveNotice(c, `The schedule is version ${saved.version}. Every line is compared with it again.`);
      return c.redirect(`/fees/${saved.id}`, 303);
    },
    upload,
  );
}

/** As the API takes it, with the name of its file. */
async function readSchedule(visitor: Visitor, form: FormData, sent: SentForm["file"]) {
  const name = textOf(form, "account");
  if (name === "") throw problem("invalid_parameter", "Choose the account that the schedule belongs to.");
  const account = await chooseAccount(visitor.reader.database, visitor.caller, name);
  const file = chosenFile(sent, "the file");
  const { terms, ...stated } = await readTerms(file);
  const from = textOf(form, "from") || stated.valid_from || "";
  const day = parseDayOrInstant(from);
  if (day === null) throw problem("invalid_parameter", `Valid from: ${notATime(from)}.`);
  return {
    account: account.name,
    provider: textOf(form, "provider") || stated.provider || "",
    valid_from: instantAt(day, utc),
    reason: textOf(form, "reason"),
    terms,
    fileName: file.name,
  };
}

/** What a file is refused for is for the person to correct, and not a failure of ours. */
async function readTerms(file: NonNullable<SentForm["file"]>) {
  try {
    return readFeeUpload(await readFile(file.path), file.name);
  } catch (error) {
    if (!(error instanceof TieoutError)) throw error;
    const title = "The schedule was not imported";
    const lines = error.message.replace(`${file.name}: `, "").split("\n");
    const { code } = error;
    throw new ProblemError(
      lines.length === 1
        ? { status: 422, code, title, detail: error.message }
        : {
            status: 422,
            code,
            title,
            detail: `${file.name} has ${counted(lines.length, "problem")}:`,
            errors: lines.map((message) => ({ path: "file", code, message })),
          },
      { cause: error },
    );
  }
}
