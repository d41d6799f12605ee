import { counted } from "../../core/counted.ts";
import { chooseAccount } from "../../api/choose-account.ts";
import { problem, ProblemError } from "../../api/problem.ts";
import { authorOf } from "../../api/send-file.ts";
import { whileWaited } from "../../api/while-waited.ts";
import { TieoutError } from "../../core/errors.ts";
import { addAction, addPage } from "../add-page.tsx";
import { askApi, fetchFile } from "../ask-api.ts";
import { may, type Visitor, type Web, type WebContext } from "../deps.ts";
import { textOf } from "../form-text.ts";
import { choicesFor } from "../fresh-totals.ts";
import { formatCount } from "../format.ts";
import { closedMonthWords } from "../parts/import-preview.tsx";
import { leaveNotice } from "../notice.ts";
import { plainName } from "../../core/plain-name.ts";
import { chosenFile } from "../chosen-file.ts";
import type { SentForm } from "../read-form.ts";
import type { StatementActions, StatementFile, StatementRequest } from "./actions.ts";
import { showStatements } from "./list.tsx";
import { showConfirm } from "./confirm.tsx";
import { showLine } from "./line.tsx";
import { addLineActions } from "./line-actions.ts";
import { showStatement } from "./one.tsx";
import { createProgress } from "./progress.ts";
import { statementOf } from "./statement-of.ts";
import { showPreview } from "./preview.tsx";

/** As over the API. */
const fileBytesMax = 50 * 1024 * 1024;

export function addStatements(web: Web): void {
  addPage(web, "/statements", ["reconcile:read"], (c, visitor) => showStatements(web, c, visitor));
  addPage(web, "/statements/:id", ["reconcile:read"], (c, visitor) => showStatement(web, c, visitor));
  addPage(web, "/statements/:id/lines/:line", ["reconcile:read"], async (c, visitor) =>
    showLine(web, c, visitor, await statementOf(c, visitor)),
  );
  addPage(web, "/statements/:id/confirm", ["reconcile:write"], async (c, visitor) =>
    showConfirm(web, c, visitor, await statementOf(c, visitor)),
  );
  addLineActions(web);
  // Rows as they stand in the file hold wallet addresses in full.
  for (const [path, file] of [
    ["rejected.csv", "rejects.csv?preset=excel"],
    ["original", "original"],
  ]) {
    addPage(web, `/statements/:id/${path}`, ["reconcile:read", "wallets:read"], (c, visitor) =>
      fetchFile(web, c, visitor, `/v1/statements/stm_${encodeURIComponent(c.req.param("id") ?? "")}/${file}`),
    );
  }
  const actions = web.deps.statements;
  if (actions === undefined) return;
  const upload = { fileBytesMax };
  const progress = createProgress();

  addPage(web, "/statements/progress/:form", ["statements:write"], (c, visitor) =>
    c.text(progress.of(visitor, c.req.param("form") ?? "")),
  );

  addAction(
    web,
    "/statements/preview",
    ["statements:write"],
    async (c, visitor, form, sent) => {
      const file = readFile(sent);
      const request = await readRequest(c, visitor, form);
      return whileWaited(c, async (signal) => {
        const outcome = await progress.during(visitor, textOf(form, "progress"), (tell) =>
          refusable(() => actions.preview(file, { ...request, signal, tell })),
        );
        const [profiles, choices] = await Promise.all([
          actions.profiles(visitor.reader.accountIds),
          choicesFor(web, visitor),
        ]);
        return showPreview(web, c, visitor, { outcome, form, profiles, choices });
      });
    },
    upload,
  );

  addAction(
    web,
    "/statements/import",
    ["statements:write"],
    (c, visitor, form, sent) =>
      progress.during(visitor, textOf(form, "progress"), (tell) =>
        take(actions, c, visitor, { form, sent, tell }),
      ),
    upload,
  );

  addAction(web, "/statements/withdraw", ["statements:write"], async (c, visitor, form) => {
    const id = textOf(form, "id");
    const reason = textOf(form, "reason");
    if (!/^\d{1,15}$/.test(id)) throw problem("not_found", "There is no such statement.");
    if (reason === "")
      throw problem("invalid_parameter", "Give a reason for withdrawing it. It is kept with the file.");
    // Asked of the API, which looks for it among the accounts of the key.
    await askApi(web, c, visitor, `/v1/statements/stm_${id}/withdraw`, { json: { reason } });
    leaveNotice(
      c,
      "The statement is withdrawn. Its lines no longer count, unless another statement contains them too; nothing was deleted.",
    );
    return c.redirect(`/statements/${id}`, 303);
  });
}

async function take(
  actions: StatementActions,
  c: WebContext,
  visitor: Visitor,
  { form, sent, tell }: { form: FormData; sent: SentForm["file"]; tell: (words: string) => void },
): Promise<Response> {
  const file = readFile(sent);
  const request = await readRequest(c, visitor, form);
  const outcome = await whileWaited(c, (signal) =>
    refusable(() => actions.take(file, { ...request, signal, tell })),
  );
  const { statement } = outcome;
  const closed = closedMonthWords(outcome.closedMonths)
    .map((text) => ` ${text}.`)
    .join("");
  leaveNotice(
    c,
    outcome.state === "already_imported"
      ? "This file was imported before. Nothing changed."
      : `${statement.fileName}: ${counted(statement.rowsAccepted, "row")} accepted, ${formatCount(statement.rowsDuplicate)} known before, ${formatCount(statement.rowsRejected)} rejected.${closed}`,
  );
  return c.redirect(`/statements/${statement.id}`, 303);
}

/** What a statement is refused for is for the person to correct, and not a failure of ours. */
async function refusable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TieoutError && /^(statement_|profile_|usage)/.test(error.code)) {
      throw new ProblemError(
        { status: 422, code: error.code, title: "This file was not taken", detail: error.message },
        { cause: error },
      );
    }
    throw error;
  }
}

function readFile(sent: SentForm["file"]): StatementFile {
  const { name, path } = chosenFile(sent, "the provider’s file");
  return { name: plainName(name, "statement.csv"), path };
}

async function readRequest(c: WebContext, visitor: Visitor, form: FormData): Promise<StatementRequest> {
  const name = textOf(form, "account");
  if (name === "") throw problem("invalid_parameter", "Choose the account that the statement belongs to.");
  const account = await chooseAccount(visitor.reader.database, visitor.caller, name);
  const replaces = textOf(form, "replaces");
  return {
    account,
    provider: textOf(form, "provider") || null,
    profileName: textOf(form, "profile") || null,
    replaces: /^\d{1,15}$/.test(replaces) ? Number(replaces) : null,
    acceptReason: textOf(form, "accept_reason") || null,
    wallets: may(visitor, "wallets:read"),
    ...authorOf(c, visitor.caller),
  };
}
