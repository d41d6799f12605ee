import { type FieldProblem, ProblemError, problem } from "../../../api/problem.ts";
import { TieoutError } from "../../../core/errors.ts";
import { addAction, addPage } from "../../add-page.tsx";
import { askApi } from "../../ask-api.ts";
import type { Visitor, Web, WebContext } from "../../deps.ts";
import { textOf } from "../../form-text.ts";
import { choicesFor } from "../../fresh-totals.ts";
import { leaveNotice } from "../../notice.ts";
import { plainName } from "../../../core/plain-name.ts";
import { chosenFile } from "../../chosen-file.ts";
import type { SentForm } from "../../read-form.ts";
import type { StatementActions } from "../../statements/actions.ts";
import { profilePath, showProfile, showProfiles } from "./list.tsx";
import { profileFrom, proposeTexts, type Sample, sampleSchema, type Texts } from "./make-profile.ts";
import { showMaker, showSampleUpload, type TriedRow } from "./maker.tsx";

/** A sample is the start of a file; a whole file may be sent as well. */
const upload = { fileBytesMax: 50 * 1024 * 1024 };
const scopes = ["statements:write"] as const;

/** How files are read: looked at, retired, and made from a sample by pointing at its columns. */
export function addProfiles(web: Web): void {
  addPage(web, "/settings/profiles", ["reconcile:read"], (c, visitor) => showProfiles(web, c, visitor));
  addPage(web, "/settings/profiles/:name", ["reconcile:read"], (c, visitor) => showProfile(web, c, visitor));

  addAction(web, "/settings/profiles/retire", scopes, async (c, visitor, form) => {
    const [name, account] = [textOf(form, "name"), textOf(form, "account")];
    await askApi(web, c, visitor, `/v1/profiles/${encodeURIComponent(name)}/retire`, {
      query: new URLSearchParams(account === "" ? {} : { account }),
      json: { reason: textOf(form, "reason") },
    });
    leaveNotice(c, `${name} is retired: it is not used for any new file.`);
    return c.redirect(`/settings/profiles?${new URLSearchParams({ account }).toString()}`, 303);
  });

  const actions = web.deps.statements;
  if (actions === undefined) return;
  addPage(web, "/settings/profile-maker", scopes, (c, visitor) => showSampleUpload(web, c, visitor));

  addAction(
    web,
    "/settings/profile-maker/sample",
    scopes,
    async (c, visitor, form, sent) => {
      const { sample, proposed } = await takeSample(actions, form, sent);
      const { accounts } = await choicesFor(web, visitor);
      const texts = { ...proposeTexts(sample, proposed), account: accounts[0] ?? "" };
      const tried = await trySample(web, c, visitor, { sample, texts });
      const maker = { sample, accounts, form: { texts, errors: [] }, tried: tried.rows };
      return showMaker(web, c, visitor, maker);
    },
    upload,
  );

  addAction(web, "/settings/profile-maker/check", scopes, async (c, visitor, form) => {
    const work = readWork(form);
    const { rows, errors } = await trySample(web, c, visitor, work);
    return showMaker(web, c, visitor, await makerOf(web, visitor, work, { rows, errors }));
  });

  addAction(web, "/settings/profile-maker/save", scopes, async (c, visitor, form) => {
    const work = readWork(form);
    const { rows, errors } = await trySample(web, c, visitor, work, { named: true });
    const missing = work.texts["reason"] === "" ? [noReason] : [];
    const found = [...errors, ...missing];
    const refused = found.length > 0 ? found : await save(web, c, visitor, work);
    if (refused.length > 0) {
      return showMaker(web, c, visitor, await makerOf(web, visitor, work, { rows, errors: refused }));
    }
    const [name = "", account = ""] = [work.texts["name"], work.texts["account"]];
    leaveNotice(c, `The profile ${name} is saved: the next file with these columns is read with it.`);
    return c.redirect(profilePath({ name, account }), 303);
  });
}

const noReason = { path: "reason", code: "invalid_value", message: "reason: say why it is made" };

interface Work {
  sample: Sample;
  texts: Texts;
}

interface Tried {
  rows: readonly TriedRow[];
  errors: readonly FieldProblem[];
}

async function makerOf(web: Web, visitor: Visitor, { sample, texts }: Work, { rows, errors }: Tried) {
  const { accounts } = await choicesFor(web, visitor);
  return { sample, accounts, form: { texts, errors }, tried: rows };
}

function readWork(form: FormData): Work {
  const texts: Texts = {};
  for (const name of form.keys()) if (name !== "sample" && name !== "csrf") texts[name] = textOf(form, name);
  // A space is a sign of its own here.
  texts["grouping"] = form.get("grouping") === " " ? " " : (texts["grouping"] ?? "");
  return { sample: readSample(form), texts };
}

/** Carried along in the form, and so text from outside like any other. */
function readSample(form: FormData): Sample {
  const sent = form.get("sample");
  try {
    return sampleSchema.parse(JSON.parse(typeof sent === "string" ? sent : ""));
  } catch {
    throw problem("invalid_parameter", "The sample was not uploaded completely. Choose the file again.");
  }
}

/** Cells of a sample are only shown and tried, so long ones are cut. */
const cellCharsMax = 300;
const columnsMax = 200;
/** Of a wide file fewer rows are shown: a form holds 64 kB, and every mark takes three bytes of it. */
const rowsCharsMax = 20_000;

async function takeSample(actions: StatementActions, form: FormData, sent: SentForm["file"]) {
  const file = chosenFile(sent, "a sample file");
  const fileName = plainName(file.name, "sample.csv");
  const encoding = textOf(form, "encoding");
  const found = await actions
    .sample(
      { name: fileName, path: file.path },
      /^(windows-1252|iso-8859-2|shift_jis)$/.test(encoding) ? { encoding } : {},
    )
    .catch(refuseFile);
  const columns = found.columns.slice(0, columnsMax);
  return {
    sample: {
      fileName,
      encoding: found.encoding,
      delimiter: found.delimiter,
      header: columns.map(({ header }) => header.slice(0, cellCharsMax)),
      rows: asManyAsFit(
        found.rows.map((row) => row.slice(0, columnsMax).map((cell) => cell.slice(0, cellCharsMax))),
      ),
    },
    proposed: columns.map(({ proposed }) => proposed),
  };
}

function asManyAsFit(rows: readonly string[][]): string[][] {
  let chars = 0;
  return rows.filter((row, at) => {
    chars += JSON.stringify(row).length;
    return at === 0 || chars <= rowsCharsMax;
  });
}

/** What a file is refused for is the reader's to mend, and not a failure of ours. */
function refuseFile(error: unknown): never {
  if (!(error instanceof TieoutError)) throw error;
  throw new ProblemError(
    { status: 422, code: error.code, title: "The sample was not read", detail: error.message },
    { cause: error },
  );
}

/** Reads the rows of the sample as an import would; a name is needed only when it is saved. */
async function trySample(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { sample, texts }: Work,
  { named = false } = {},
): Promise<Tried> {
  const whole = profileFrom(texts, sample);
  const profile = named ? whole : { ...whole, name: "sample" };
  try {
    const json = { profile, header: sample.header, rows: sample.rows };
    const tried = await askApi<{ repeated: string[]; rows: TriedRow[] }>(
      web,
      c,
      visitor,
      "/v1/profiles/preview",
      { json },
    );
    const errors = tried.repeated.map((header) => ({
      path: "",
      code: "repeated",
      message: `The file has the column ${header} twice: which of them counts would be a guess`,
    }));
    return { rows: tried.rows, errors };
  } catch (error) {
    return { rows: [], errors: problemsIn(error) };
  }
}

async function save(
  web: Web,
  c: WebContext,
  visitor: Visitor,
  { sample, texts }: Work,
): Promise<readonly FieldProblem[]> {
  try {
    await askApi(web, c, visitor, "/v1/profiles", {
      query: new URLSearchParams({ account: texts["account"] ?? "" }),
      json: { profile: profileFrom(texts, sample), reason: texts["reason"] ?? "" },
    });
    return [];
  } catch (error) {
    return problemsIn(error);
  }
}

/** Each problem beside the field that it is about: `time.format: …` beside `time_format`. */
function problemsIn(error: unknown): FieldProblem[] {
  if (!(error instanceof ProblemError)) throw error;
  const { code, errors, detail, param } = error.problem;
  if (code === "profile_invalid") {
    const said = detail.replace("the profile cannot be used: ", "");
    return said.split("; ").map((message) => {
      const [, path = ""] = /^([a-z_.]+): /.exec(message) ?? [];
      return { path: path.startsWith("statuses") ? "statuses" : path.replaceAll(".", "_"), code, message };
    });
  }
  if (code !== "invalid_body" || errors === undefined) throw error;
  return errors.map((each) => ({ ...each, path: each.path || (param ?? "") }));
}
