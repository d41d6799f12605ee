import { TieoutError } from "../core/errors.ts";
import { problem } from "./problem.ts";

/** Why two things could not be matched or parted, as an answer; anything else is thrown on as it is. */
export function throwMatchProblem(error: unknown): never {
  if (error instanceof TieoutError && error.code === "match_not_found")
    throw problem("not_found", sentence(error.message));
  if (error instanceof TieoutError && error.code === "match_refused")
    throw problem("match_refused", sentence(error.message));
  throw error;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
