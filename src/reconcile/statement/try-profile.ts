import type { StatementLine } from "../../core/statement-line.ts";
import { fitHeader, headerNames } from "./columns.ts";
import type { Profile } from "./profile.ts";
import { createLineReader } from "./read-line.ts";

export interface TriedProfile {
  /** Headers that the profile needs and the sample does not have. */
  readonly missing: readonly string[];
  /** Headers that the profile reads and the sample has twice. */
  readonly repeated: readonly string[];
  readonly rows: readonly TriedRow[];
}

type TriedRow =
  | { readonly line: StatementLine; readonly rejection: null }
  | { readonly line: null; readonly rejection: { code: string; field: string | null; reason: string } };

/** What a profile makes of some rows, read as an import reads them. */
export function tryProfile(
  profile: Profile,
  { header, rows }: { header: readonly string[]; rows: readonly (readonly string[])[] },
): TriedProfile {
  const { columns, missing, repeated } = fitHeader(profile, headerNames(header));
  const read = createLineReader(profile, columns, () => true, profile.provider ?? "");
  return {
    missing,
    repeated,
    rows: rows.map((row) => {
      const found = read(row);
      return found.kind === "line"
        ? { line: found.line, rejection: null }
        : { line: null, rejection: found.rejection };
    }),
  };
}
