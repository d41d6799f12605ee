import { type Field, fields, type Profile } from "./profile.ts";

/** Where a profile's fields stand in a file: by the names in its header, never by position. */
export interface Columns {
  /** Several where the profile names several: the first that has a value in a row counts. */
  readonly indexes: ReadonlyMap<Field, readonly number[]>;
  readonly unmapped: readonly { index: number; header: string }[];
  readonly count: number;
}

export interface HeaderFit {
  readonly columns: Columns;
  /** Headers that the profile needs and the file does not have. */
  readonly missing: readonly string[];
  /** Headers that the profile reads and the file has twice: which of them counts would be a guess. */
  readonly repeated: readonly string[];
  /** Columns of the file that the profile knows. */
  readonly known: number;
}

export function fitHeader(profile: Profile, header: readonly string[]): HeaderFit {
  const names = header.map(normaliseHeader);
  const indexes = new Map<Field, number[]>();
  const used = new Set<number>();
  const repeated = new Set<string>();
  for (const field of fields) {
    for (const wanted of headersOf(profile, field)) {
      const index = names.indexOf(normaliseHeader(wanted));
      if (index < 0) continue;
      if (names.includes(normaliseHeader(wanted), index + 1)) repeated.add(wanted);
      indexes.set(field, [...(indexes.get(field) ?? []), index]);
      used.add(index);
    }
  }
  const missing = profile.required.filter((field) => !indexes.has(field));
  return {
    columns: {
      indexes,
      unmapped: header.flatMap((name, index) => (used.has(index) ? [] : [{ index, header: name.trim() }])),
      count: header.length,
    },
    missing: missing.map((field) => headersOf(profile, field)[0] ?? field),
    repeated: [...repeated],
    known: used.size,
  };
}

/** Case and spaces are ignored, and a mark that an editor left at the begin of the file. */
function normaliseHeader(text: string): string {
  return text.replaceAll(/[\s\uFEFF\u00a0]+/g, "").toLowerCase();
}

function headersOf(profile: Profile, field: Field): readonly string[] {
  const stated = profile.columns[field];
  return stated === undefined ? [] : typeof stated === "string" ? [stated] : stated;
}
