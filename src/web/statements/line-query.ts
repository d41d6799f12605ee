import { type LineClass, lineClasses, type LineFilters } from "../../store/statements/lines-of-statement.ts";
import type { Tone } from "../parts/show.tsx";

/** The classes of lines, as people read them. */
export const classWords: Record<LineClass, { title: string; tone: Tone; means: string }> = {
  matched: {
    title: "Matched",
    tone: "good",
    means: "it has a transaction, and nothing about it is open",
  },
  pending: { title: "Pending", tone: "calm", means: "not matched, and not late yet" },
  discrepant: { title: "Discrepant", tone: "bad", means: "an error about it is open" },
  excluded: { title: "Excluded", tone: "plain", means: "moved no money, or a person closed its discrepancy" },
  superseded: {
    title: "Not counting",
    tone: "plain",
    means: "another version counts, or its file was withdrawn",
  },
};

export function readLineFilters(address: URLSearchParams): LineFilters {
  const wanted = lineClasses.find((name) => name === address.get("class"));
  const q = address.get("q")?.trim().slice(0, 200);
  return {
    ...(wanted === undefined ? {} : { class: wanted }),
    ...(q === undefined || q === "" ? {} : { q }),
    ...(address.get("suggested") === "true" ? { suggested: true } : {}),
  };
}

/** The filters alone, for links to lines and back. */
export function lineAddress(address: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of ["class", "q", "suggested"]) {
    const value = address.get(name);
    if (value !== null && value !== "") kept.set(name, value);
  }
  return kept.size === 0 ? "" : `?${kept.toString()}`;
}
