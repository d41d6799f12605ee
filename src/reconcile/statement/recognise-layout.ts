import type { JsonForm } from "../json/cut-records.ts";
import { type Columns, fitHeader, type HeaderFit, headerNames } from "./columns.ts";
import { headerCharsMax, headerLinesMax, linesPerRowMax } from "./limits.ts";
import type { Profile } from "./profile.ts";
import { createRowReader, type Row } from "./read-rows.ts";
import { FileProblemError } from "./refusal.ts";
import { wildcard } from "./wildcard.ts";

/** Which profile a file is read with, and where its header is. */
export interface Layout {
  readonly profile: Profile;
  readonly delimiter: string;
  readonly lineBreak: "\n" | "\r";
  readonly headerLineNo: number;
  /** The header as it stands in the file: below, the same text is a header again. */
  readonly headerText: string;
  readonly columns: Columns;
  /** Of a workbook: the sheet with the statement. */
  readonly sheet?: string;
  /** Of JSON: how its objects become rows. */
  readonly json?: JsonForm;
  /** Of a workbook: columns with numbers of more digits than a spreadsheet keeps, so none of them was rounded by one. */
  readonly exactColumns?: ReadonlySet<number>;
}

export interface LayoutQuestion {
  /** The start of the file. */
  readonly head: string;
  readonly fileName: string;
  readonly profiles: readonly Profile[];
  /** Named at import; otherwise the header decides among all. */
  readonly provider: string | null;
  readonly profileName: string | null;
  /** The text was made of cells, so whatever delimiter a profile names for its files is not in it. */
  readonly isMadeOfCells?: true;
}

/**
 * Finds the header by its names. Of the profiles that fit, the one that knows most columns reads the file; among equals the
 * most specific one, and one that extends another before that other. No profile, or several that are left: refused,
 * because it would be a guess.
 */
export function recogniseLayout(question: LayoutQuestion): Layout {
  const candidates = question.profiles.filter((profile) => isCandidate(profile, question));
  const tries = tryAll(question, candidates);
  const fitting = tries
    .filter(({ fit }) => fit.missing.length === 0)
    .toSorted((a, b) => b.fit.known - a.fit.known || compareSpecific(a.layout.profile, b.layout.profile));
  const [first] = fitting;
  if (!first) throw explainMisfit(question, tries);
  const equals = fitting.filter(
    ({ fit, layout }) =>
      fit.known === first.fit.known && compareSpecific(layout.profile, first.layout.profile) === 0,
  );
  const [best = first, ...others] = equals.filter(
    ({ layout }) =>
      !equals.some((other) => isBasedOn(other.layout.profile, layout.profile.name, question.profiles)),
  );
  const rival = others.find(({ layout }) => layout.profile !== best.layout.profile);
  if (rival) {
    const names = `${best.layout.profile.name} and ${rival.layout.profile.name}`;
    throw new FileProblemError(
      "file_profile_unknown",
      `the header fits the profiles ${names}: choose one of them, or retire the other`,
    );
  }
  if (best.fit.repeated.length > 0) {
    const names = best.fit.repeated.join(", ");
    throw new FileProblemError(
      "file_layout_changed",
      `line ${best.layout.headerLineNo} has the column ${names} twice: say which in a profile, as ${names}#1 or ${names}#2`,
    );
  }
  return best.layout;
}

interface Try {
  readonly layout: Layout;
  readonly fit: HeaderFit;
}

function isCandidate(profile: Profile, { provider, profileName, fileName }: LayoutQuestion): boolean {
  if (profileName !== null) return profile.name === profileName;
  if (profile.recognise === "only_when_named") return false;
  if (profile.file_name !== undefined && !wildcard(profile.file_name)(fileName)) return false;
  return provider === null || profile.provider === null || profile.provider === provider;
}

/** What a profile says about the files it is for, the strongest first: more of it goes before less. */
function compareSpecific(a: Profile, b: Profile): number {
  const signs = ({ file_name, required, delimiter, encoding }: Profile) => [
    file_name === undefined ? 0 : 1,
    required.length,
    delimiter === undefined ? 0 : 1,
    encoding === undefined ? 0 : 1,
  ];
  const ofA = signs(a);
  return signs(b).reduce((order, sign, at) => order || sign - (ofA[at] ?? 0), 0);
}

function isBasedOn({ based_on }: Profile, name: string, profiles: readonly Profile[], depth = 0): boolean {
  if (based_on === undefined || depth > profiles.length) return false;
  if (based_on === name) return true;
  const base = profiles.find((each) => each.name === based_on);
  return base !== undefined && isBasedOn(base, name, profiles, depth + 1);
}

/** Every line of the head as a header, split in every way, for every profile: a few thousand short comparisons. */
function tryAll({ head, isMadeOfCells }: LayoutQuestion, profiles: readonly Profile[]): Try[] {
  const lineBreak = !head.includes("\n") && head.includes("\r") ? "\r" : "\n";
  return (isMadeOfCells ? [","] : delimiters).flatMap((delimiter) => {
    const readers = profiles.filter(
      (profile) => isMadeOfCells || (profile.delimiter ?? delimiter) === delimiter,
    );
    const rows = firstRows(head, { delimiter, lineBreak }).map((row) => ({
      row,
      names: headerNames(row.cells),
    }));
    return readers.flatMap((profile) =>
      rows.map(({ row, names }) => {
        const fit = fitHeader(profile, names);
        const { lineNo: headerLineNo, text: headerText } = row;
        const layout = {
          profile,
          delimiter,
          lineBreak,
          headerLineNo,
          headerText,
          columns: fit.columns,
        } as const;
        return { layout, fit };
      }),
    );
  });
}

const delimiters = [",", ";", "\t", "|"];

function firstRows(head: string, form: { delimiter: string; lineBreak: "\n" | "\r" }): Row[] {
  const reader = createRowReader(form);
  const rows = [...reader.push(headLines(head, form.lineBreak)), ...reader.end()];
  return rows.filter(({ lineNo, problem }) => lineNo <= headerLinesMax && problem === null);
}

/** What is looked at for a header. A row that begins on the last of its lines may go on for some more. */
export function headLines(head: string, lineBreak: "\n" | "\r"): string {
  const lines = firstLines(head, lineBreak, headerLinesMax + linesPerRowMax);
  if (lines.length <= headerCharsMax) return lines;
  return lines.slice(0, lines.lastIndexOf(lineBreak, headerCharsMax) + 1);
}

/** So many lines of a text, without splitting the rest. */
export function firstLines(text: string, lineBreak: "\n" | "\r", count: number): string {
  let end = -1;
  for (let lines = 0; lines < count; lines += 1) {
    end = text.indexOf(lineBreak, end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end + 1);
}

function explainMisfit(question: LayoutQuestion, tries: readonly Try[]): FileProblemError {
  const { profiles } = question;
  const others = profiles.filter((profile) => !isCandidate(profile, question));
  const fitting = tryAll(question, others)
    .filter(({ fit }) => fit.missing.length === 0)
    .map(({ layout }) => layout.profile);
  const other = fitting.find((profile) => readsUnasked(profile, question)) ?? fitting[0];
  if (other) {
    const message = `the header is that of ${other.name}: ${howToChoose(other, question)}`;
    return new FileProblemError("file_profile_unknown", message);
  }
  const near = nearest(tries);
  if (near && near.fit.missing.length * 2 <= near.layout.profile.required.length) {
    const missing = near.fit.missing.join(", ");
    return new FileProblemError(
      "file_layout_changed",
      `line ${near.layout.headerLineNo} is like the header of ${near.layout.profile.name} but has no ${missing}: ` +
        `if the provider renamed it, add the new name to a profile${byHashOnly(near)}`,
    );
  }
  return new FileProblemError(
    "file_profile_unknown",
    `no profile fits any of the first ${headerLinesMax} lines: check the file, or write a profile for it`,
  );
}

function readsUnasked(profile: Profile, question: LayoutQuestion): boolean {
  return isCandidate(profile, { ...question, provider: null, profileName: null });
}

/** A profile may want to be named, or be for files of another name, so leaving out what was asked may not be enough. */
function howToChoose(profile: Profile, question: LayoutQuestion): string {
  const { name } = profile;
  const { provider, profileName } = question;
  if (readsUnasked(profile, question)) {
    return `leave out ${profileName === null ? `the provider ${provider}` : `the profile ${profileName}`}`;
  }
  if (profileName !== null) return `choose the profile ${name} instead of ${profileName}`;
  const isOfAnother = provider !== null && profile.provider !== null && profile.provider !== provider;
  return `choose the profile ${name} yourself${isOfAnother ? `, and leave out the provider ${provider}` : ""}`;
}

function nearest(tries: readonly Try[]): Try | undefined {
  return tries.toSorted(
    (a, b) => a.fit.missing.length - b.fit.missing.length || b.fit.known - a.fit.known,
  )[0];
}

/** A file that names its orders by nothing but the chain's hash can be matched by it. */
function byHashOnly({ layout: { profile, columns }, fit }: Try): string {
  const headers = new Set([profile.columns.provider_transaction_id ?? []].flat());
  const hasNoId = fit.missing.some((header) => headers.has(header));
  if (!hasNoId || !columns.indexes.has("transaction_hash")) return "";
  const required = profile.required.filter((field) => columns.indexes.has(field));
  const own = { name: `own-${profile.name}`, version: 1, extends: profile.name, required };
  const sample = { ...own, recognise: "only_when_named", identity: { mode: "counted" } };
  return `; if it names orders by their hash alone, import it with a profile such as ${JSON.stringify(sample)}`;
}
