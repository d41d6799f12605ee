import type { FileMade, RestatedRow } from "../../store/statements/statement-rows.ts";

/** Why the value of this file counts, or does not, in words for the person who corrects a file. */
export function whyItCounts({ stands, made, other }: RestatedRow): string {
  if (other === null) return "the file with the other value is withdrawn";
  if (made.isStated && other.isStated && made.at === other.at)
    return `${other.fileName} states the same time of making, ${made.at}: state when each was made, or which one replaces the other`;
  if (!made.isStated && !other.isStated)
    return `it was imported after ${other.fileName}, and neither file says when it was made`;
  const order = stands ? "later than" : "earlier than";
  const next = stands
    ? ""
    : "; if it is the correction, state when it was made, or that it replaces the other";
  return `this file was ${momentOf(made)}, ${order} ${other.fileName}, ${momentOf(other)}${next}`;
}

function momentOf({ at, isStated }: FileMade): string {
  return isStated ? `made at ${at}` : `imported at ${at} without saying when it was made`;
}

/** Each value that differs: the one that counts, and the one that does not. */
export function describeChanges({ changes, stands }: Pick<RestatedRow, "changes" | "stands">): string {
  return Object.entries(changes)
    .map(([column, { before, after }]) =>
      stands
        ? `${column} was ${before ?? "empty"}, is ${after ?? "empty"}`
        : `${column} stays ${before ?? "empty"}, not ${after ?? "empty"}`,
    )
    .join("; ");
}
