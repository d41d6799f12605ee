import { TieoutError } from "../core/errors.ts";
import { StatementRefusedError } from "../reconcile/statement/refusal.ts";
import { problem } from "./problem.ts";

export function throwStatementProblem(error: unknown): never {
  throw asStatementProblem(error);
}

/** What went wrong with a statement, as an answer; anything else is thrown on as it is. */
function asStatementProblem(error: unknown): unknown {
  if (error instanceof StatementRefusedError) {
    const errors = error.problems.map(({ code, message }) => ({ path: "", code, message }));
    return problem("statement_refused", error.message, { errors });
  }
  if (!(error instanceof TieoutError)) return error;
  switch (error.code) {
    case "statement_not_found":
    case "profile_not_found":
      return problem("not_found", error.message);
    case "statement_withdrawn":
      return problem("statement_withdrawn", error.message);
    case "profile_invalid":
      return problem("profile_invalid", error.message);
    default:
      return error;
  }
}
