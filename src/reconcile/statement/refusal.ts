import { TieoutError } from "../../core/errors.ts";
import { type FileRefusalCode, isAcceptable } from "../../core/import-codes.ts";

/** The file as a whole was not taken, and nothing was written. */
export class StatementRefusedError extends TieoutError {
  readonly importCode: FileRefusalCode;
  /** Every reason, where there are several. */
  readonly problems: readonly FileProblem[];

  constructor(fileName: string, problems: readonly [FileProblem, ...FileProblem[]]) {
    super(
      "statement_refused",
      `${fileName}: ${problems.map(({ code, message }) => `${message} (${code})`).join("; ")}${mayBeAccepted(problems) ? acceptIt : ""}`,
    );
    this.name = "StatementRefusedError";
    this.importCode = problems[0].code;
    this.problems = problems;
  }
}

const acceptIt =
  "; to import it all the same, say why: with --accept on the command line, with accept in the API";

/** Whether a person may have the file imported in spite of all that is wrong with it. */
export function mayBeAccepted(problems: readonly FileProblem[]): boolean {
  return problems.length > 0 && problems.every(({ code }) => isAcceptable(code));
}

export interface FileProblem {
  readonly code: FileRefusalCode;
  /** Names the thing and the next step. */
  readonly message: string;
}

/** Thrown where the name of the file is not known yet. */
export class FileProblemError extends Error {
  readonly problem: FileProblem;

  constructor(code: FileRefusalCode, message: string) {
    super(message);
    this.name = "FileProblemError";
    this.problem = { code, message };
  }
}
