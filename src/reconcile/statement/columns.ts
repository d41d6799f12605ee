import { type Field, fields, type Profile } from "./profile.ts";

/** Where a profile's fields stand in a file: by the names in its header, never by position. */
export interface Columns {
  /** Several where the profile names several: the first that has a value in a row counts. */
  readonly indexes: ReadonlyMap<Field, readonly number[]>;
  readonly unmapped: readonly { index: number; header: string }[];
  readonly count: number;
  /** Up to the last one with a name: a delimiter at the end of the header need not be at the end of the rows. */
  readonly namedCount: number;
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

/** A row that may be a header: made once, and held against every profile. */
export interface HeaderNames {
  readonly cells: readonly string[];
  /** Where each name stands first. */
  readonly places: ReadonlyMap<string, number>;
  readonly repeated: ReadonlySet<string>;
}

export function headerNames(cells: readonly string[]): HeaderNames {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  const counts = new Map<string, number>();
  for (const [index, cell] of cells.entries()) {
    const name = normaliseHeader(cell);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count > 1) repeated.add(name);
    else places.set(name, index);
    // `Amount#2` is the second column of that name, if no column is called so itself.
    if (name !== "" && !places.has(`${name}#${count}`)) places.set(`${name}#${count}`, index);
  }
  return { cells, places, repeated };
}

export function fitHeader(profile: Profile, { cells, places, repeated: twice }: HeaderNames): HeaderFit {
  const indexes = new Map<Field, number[]>();
  const used = new Set<number>();
  const repeated = new Set<string>();
  for (const { field, header, name } of wantedBy(profile)) {
    const index = places.get(name);
    if (index === undefined) continue;
    if (twice.has(name)) repeated.add(header);
    indexes.set(field, [...(indexes.get(field) ?? []), index]);
    used.add(index);
  }
  const missing = profile.required.filter((field) => !indexes.has(field));
  let unmapped: Columns["unmapped"] | null = null;
  return {
    columns: {
      indexes,
      // Made when a file is read, and not for every row that might have been its header.
      get unmapped() {
        unmapped ??= cells.flatMap((cell, index) =>
          used.has(index) ? [] : [{ index, header: cell.trim() }],
        );
        return unmapped;
      },
      count: cells.length,
      namedCount: cells.findLastIndex((cell) => cell.trim() !== "") + 1,
    },
    missing: [...missing.map((field) => headersOf(profile, field)[0] ?? field), ...missingParts()],
    repeated: [...repeated],
    known: used.size,
  };

  /** Of what is added up, no column may be missing: the sum would be too small, and nothing would show it. */
  function missingParts(): string[] {
    return (profile.add_up ?? []).flatMap((field) =>
      headersOf(profile, field).filter((header) => !places.has(normaliseHeader(header))),
    );
  }
}

/** Case and spaces are ignored, and a byte order mark that an editor left at the start of the file. */
function normaliseHeader(text: string): string {
  return text.replaceAll(/[\s\uFEFF\u00a0]+/g, "").toLowerCase();
}

interface Wanted {
  readonly field: Field;
  readonly header: string;
  readonly name: string;
}

const wanted = new WeakMap<Profile, readonly Wanted[]>();

/** Kept with its profile: up to fifty rows of a file are held against it. */
function wantedBy(profile: Profile): readonly Wanted[] {
  const known = wanted.get(profile);
  if (known) return known;
  const all = fields.flatMap((field) =>
    headersOf(profile, field).map((header) => ({ field, header, name: normaliseHeader(header) })),
  );
  wanted.set(profile, all);
  return all;
}

function headersOf(profile: Profile, field: Field): readonly string[] {
  const stated = profile.columns[field];
  return stated === undefined ? [] : typeof stated === "string" ? [stated] : stated;
}
