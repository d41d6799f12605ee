import { NotInOrder } from "../../close/prepare.ts";
import { TieoutError } from "../../core/errors.ts";
import { problem } from "../problem.ts";

/** What the rules of closing refuse, in the words of the API. */
export async function withPeriodProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asPeriodProblem(error);
  }
}

function asPeriodProblem(error: unknown): unknown {
  if (!(error instanceof TieoutError)) return error;
  const told = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`;
  const sentence = told.endsWith(".") ? told : `${told}.`;
  if (error.code === "period_not_found") return problem("not_found", sentence);
  if (error.code === "person_not_found") return problem("invalid_body", sentence, { param: "owner" });
  if (error instanceof NotInOrder) {
    const errors = error.lines.map(({ line, says }) => ({ path: line, code: "red", message: says }));
    return problem("period_refused", sentence, { errors });
  }
  const isRefused = error.code === "period_refused" || error.code === "pack_invalid";
  return isRefused ? problem("period_refused", sentence) : error;
}
