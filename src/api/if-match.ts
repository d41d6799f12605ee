import { createHash } from "node:crypto";
import type { ApiContext } from "./deps.ts";
import { problem } from "./problem.ts";

/**
 * The tag of an object that several people may change: its version, and a digest of all of it, because some of it changes by
 * itself, such as an age, or a proposal that waits. Only the version decides whether someone else changed it first.
 */
export function versionTag(version: number, json: string): string {
  return `"${version}-${createHash("sha256").update(json).digest("hex").slice(0, 20)}"`;
}

/** The version that the caller has seen. Required, so that two people cannot overwrite each other without noticing. */
export function requireVersion(c: ApiContext): number {
  const given = givenVersion(c);
  if (given !== null) return given;
  throw problem(
    "precondition_required",
    "Say which version you saw: send the object's ETag, unchanged, as If-Match.",
    { param: "If-Match" },
  );
}

/** `null` when none was sent. A tag that is not ours, a weak one, or a star names no version. */
export function givenVersion(c: ApiContext): number | null {
  const header = c.req.header("if-match");
  if (header === undefined) return null;
  const found = /^"(\d{1,9})-\w{1,40}"$/.exec(header.trim());
  if (found) return Number(found[1]);
  throw changedMeanwhile(
    "If-Match is not an ETag of this object. Send the one that came with it, unchanged.",
  );
}

export function changedMeanwhile(
  detail = "Someone changed this since you read it. Read it again, and decide with their change in view.",
) {
  return problem("version_mismatch", detail, { param: "If-Match" });
}
