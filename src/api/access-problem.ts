import type { Caller } from "../access/caller.ts";
import type { Refusal } from "../access/decide.ts";
import { TieoutError } from "../core/errors.ts";
import { problem, type ProblemError } from "./problem.ts";

/** A decision against someone, in words; `what` names the thing where it is not the route itself. */
export function refusalProblem(
  refusal: Refusal,
  { keyId }: Pick<Caller, "keyId">,
  what = "This",
): ProblemError {
  const isKey = keyId !== null;
  if (refusal.kind === "limited") {
    return problem(
      "key_limited",
      isKey
        ? `${what} concerns all accounts, and the key is limited to some. Use a key without a limit.`
        : `${what} concerns all accounts, and you see only some of them. Ask an admin.`,
    );
  }
  const { missing } = refusal;
  const scopes = missing.join(" and ");
  const detail = isKey
    ? `${what} needs the scope ${scopes}, and this key lacks it. Use a key whose role has it, or make one with --scope.`
    : `${what} needs ${scopes}, and none of your roles has it. Ask an admin for a role that does.`;
  return problem("scope_missing", detail, { scopes: missing });
}

/** What the room of people refuses, as a problem; `null`: it is something else. */
export function accessProblem(error: unknown): ProblemError | null {
  if (!(error instanceof TieoutError)) return null;
  const detail = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
  switch (error.code) {
    case "not_allowed":
      return problem("not_allowed", detail);
    case "person_not_found":
    case "approval_not_found":
      return problem("not_found", detail);
    case "person_conflict":
    case "approval_conflict":
      return problem("state_conflict", detail);
    case "person_invalid":
      return problem("invalid_body", detail);
    default:
      return null;
  }
}
