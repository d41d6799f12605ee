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

/** A preview shows what is wrong; an import goes on only where a person accepts all of it with a reason. */
export function refuseUnlessAccepted(
  fileName: string,
  problems: readonly FileProblem[],
  { preview, acceptReason }: { readonly preview: boolean; readonly acceptReason: string | null },
): void {
  const [first, ...others] = problems;
  if (!first || preview || (acceptReason !== null && mayBeAccepted(problems))) return;
  throw new StatementRefusedError(fileName, [first, ...others]);
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

export function unreadable(message: string): FileProblemError {
  return new FileProblemError("file_unreadable", message);
}

export async function withFileName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileProblemError) throw new StatementRefusedError(name, [error.problem]);
    throw error;
  }
}
