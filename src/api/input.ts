import type { z } from "@hono/zod-openapi";
import { nearestWord } from "../core/nearest-word.ts";
import { shorten } from "../core/quote.ts";
import { issueWords } from "../core/issue-words.ts";
import { type FieldProblem, problem, type ProblemError } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** What may be there instead; `null`: that depends on the rest of it. */
type Known = readonly string[] | null;

/** All problems of a request at once, so that they can be corrected in one go. */
export function refuseInput(
  issues: { place: "path" | "query" | "body"; issue: Issue; known: Known }[],
): ProblemError {
  const errors = issues.flatMap(({ place, issue, known }) => describe(place, issue, known));
  const [first = { path: "", code: "invalid_value", message: "is not valid" }] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  const code = codeOf(
    issues.map(({ place }) => place),
    errors,
  );
  return problem(code, first.message + more, { param: first.path, errors });
}

function codeOf(places: string[], errors: FieldProblem[]) {
  if (errors.every(({ code }) => code === "unknown_parameter")) return "unknown_parameter";
  return places.every((place) => place === "body") ? "invalid_body" : "invalid_parameter";
}

function describe(place: string, issue: Issue, known: Known): FieldProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, shorten(key)].join("."),
      code: place === "body" ? "unknown_field" : "unknown_parameter",
      message: unknownMessage(place, shorten(key), known),
    }));
  }
  const path = issue.path.join(".");
  const given = issue.code === "custom" ? (issue.params?.["code"] as string | undefined) : undefined;
  const name = path === "" ? `The ${place}` : path;
  return [
    {
      path,
      code: given ?? "invalid_value",
      message: path === "" && issue.code === "custom" ? issue.message : `${name} ${issueWords(issue)}`,
    },
  ];
}

function unknownMessage(place: string, key: string, known: Known): string {
  const what = place === "body" ? "field" : "parameter";
  if (known === null) return `${key} is not a ${what} here.`;
  if (known.length === 0) return `${key} is not a ${what} here; there are none.`;
  const nearest = nearestWord(key, known);
  const hint = nearest === null ? "" : ` Did you mean ${nearest}?`;
  return `${key} is not a ${what} here.${hint} There are ${known.join(", ")}.`;
}
