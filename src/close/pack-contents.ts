import type { Instant } from "../core/instant.ts";
import { reports } from "../report/catalogue.ts";
import { reportId } from "../report/report.ts";
import { packTables } from "../store/periods/pack-sql.ts";
import type { Checklist } from "./checklist.ts";
import type { Period } from "./period.ts";

/**
 * What a pack is made of, kept with the signature: a report that gets another column, or a new report, changes no pack that
 * was signed before.
 */
export interface PackContents {
  reports: { report: string; columns: string[] }[];
  tables: string[];
  /** What was known when the month before was closed: the opening of receivable and journal. */
  prior_known_at: Instant | null;
}

/** What was signed, of which the pack is the evidence. */
export interface PackOrder {
  period: Period;
  knownAt: Instant;
  contents: PackContents;
  checklist: Checklist;
  accepted: readonly AcceptedLine[];
}

/** A red line that someone takes on, and why. */
export interface AcceptedLine {
  line: string;
  reason: string;
}

/** Every report that can be asked by what was known at a time: the others would be different tomorrow. */
export function currentContents({ priorKnownAt }: Pick<Period, "priorKnownAt">): PackContents {
  return {
    reports: reports
      .filter(({ moment, account }) => moment !== undefined && account !== null)
      .map((report) => ({ report: reportId(report), columns: report.columns.map(({ name }) => name) })),
    tables: Object.keys(packTables),
    prior_known_at: priorKnownAt,
  };
}

const openErrorsNote = `                 open-errors.csv has the errors that the checklist counts, row by row. Some were not
                 known at the end of the month: an order that is missing from a statement is
                 pending in the other reports until the day that the statement was made
`;

/** Part of what is signed: what it says of later additions stands only in packs that have them. */
export const readMe = ({
  reports: listed,
}: PackContents) => `This is the evidence of one closed month, as tieout made it.

reports/         every report of the month: as at its end, by what was known when it was signed
${listed.some(({ report }) => report === "open-errors.v1") ? openErrorsNote : ""}summary.xlsx     the checklist and the reports that add up, on a few sheets
source-files.csv the providers' and the banks' files behind it, with their SHA-256
settings.csv     the settings in force: of providers and of the account, and the fee schedules
decisions.csv    what people decided, with their names
checklist.json   the checklist as it was signed, and the reasons for what was accepted
manifest.json    every file above with its length and SHA-256
sign-off.json    who prepared and who approved it
signature.json   the service's Ed25519 signature over manifest.json and sign-off.json

To check it on any machine, without a database:

  tieout close verify PACK --key signing-key.pem

The public key is at /signing-key.pem of the service. The same month gives the same bytes again, on any machine and any
day: nothing in it is compressed, and no file carries the time at which it was written.
`;
