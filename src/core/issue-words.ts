import type { z } from "zod";
import { counted } from "./counted.ts";
import { shorten } from "./quote.ts";

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** What is wrong with a field and what to write instead, to follow its name: the library's own words are for programmers. */
export function issueWords(issue: z.core.$ZodIssue): string {
  // Words of our own, written beside the rule.
  if (!librarysOwn.test(issue.message)) return issue.message;
  switch (issue.code) {
    case "invalid_type": {
      // The issue keeps no value; only its message says what was found.
      const found = /received (\w+)$/.exec(issue.message)?.[1] ?? "";
      if (found === "undefined") return "is missing";
      const tellsNothing = kinds[found] === undefined || (issue.expected === "int" && found === "number");
      const not = tellsNothing ? "" : `, not ${kinds[found]}`;
      return `must be ${kinds[issue.expected] ?? issue.expected}${not}`;
    }
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_union":
      return "options" in issue && issue.options !== undefined
        ? `must be one of ${issue.options.map(String).join(", ")}`
        : "is not valid";
    case "too_small":
      return bound(issue.origin, "at least", Number(issue.minimum));
    case "too_big":
      return bound(issue.origin, "at most", Number(issue.maximum));
    case "invalid_format":
      return issue.format === "datetime"
        ? "must be a time such as 2026-11-14T09:30:00Z"
        : "does not have the documented form";
    case "unrecognized_keys":
      return `has no field ${issue.keys.map(shorten).join(", ")}`;
    default:
      return "is not valid";
  }
}

/** Every problem of a file that someone wrote, each with its field; `whole` stands for the file. */
export function issuesInWords(issues: readonly z.core.$ZodIssue[], whole: string): string {
  return issues.map((issue) => `${issue.path.join(".") || whole}: ${issueWords(issue)}`).join("; ");
}

const librarysOwn = /^(Invalid|Too (small|big)|Unrecognized)\b/;

function bound(origin: string, words: string, limit: number): string {
  if (origin === "string" && words === "at least" && limit === 1) return "is empty";
  if (origin === "string") return `must have ${words} ${counted(limit, "character")}`;
  if (origin === "array" || origin === "set") return `must have ${words} ${counted(limit, "item")}`;
  return `must be ${words} ${limit}`;
}
