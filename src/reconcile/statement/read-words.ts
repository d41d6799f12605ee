import type { LineStatus, LineType } from "../../core/statement-line.ts";
import { type CellReader, quoted } from "./cell-reader.ts";
import { aliasIn, type Profile } from "./profile.ts";

export type Side = "buy" | "sell";

/** A file is of one provider; a row that names another belongs into another file. */
export function createProviderCheck(
  profile: Profile,
  cells: CellReader,
  { isProvider, provider }: { isProvider: (word: string) => boolean; provider: string },
): () => void {
  const read = cells.text("provider");
  return () => {
    const word = read();
    if (word === null || isProvider(aliasIn(profile, word))) return;
    const reason = `${quoted(word)} is not ${provider}: import it as a file of its own`;
    cells.reject("unknown_provider", "provider", reason);
  };
}

export function createTypeReader(profile: Profile, cells: CellReader): () => LineType | null {
  const types = inLowerCase(profile.line_types);
  const read = cells.text("line_type");
  return () => {
    const word = read();
    if (word === null) return profile.line_type_default;
    const type = types.get(word.toLowerCase());
    if (type === undefined) {
      const reason = `${quoted(word)} is not a line type that the profile knows`;
      cells.reject("unknown_line_type", "line_type", reason);
    }
    return type ?? null;
  };
}

/** From the order of the legs or from the status word, where the profile says so; else from a column. */
export function createSideReader(profile: Profile, cells: CellReader) {
  const { side } = profile;
  const words = typeof side === "string" ? new Map<string, Side>() : inLowerCase(side);
  const read = cells.text("side");
  return (ofLegs: Side | null, status: string | null): Side | null => {
    if (side === "buy" || side === "sell") return side;
    if (side === "by_currency") return ofLegs;
    if (side === "by_status") return sideOfStatus(profile, status);
    if (side === "unknown") return null;
    const word = read();
    if (word === null) return null;
    const found = words.get(word.toLowerCase());
    if (found === undefined) {
      const reason = `${quoted(word)} is neither ${[...words.keys()].join(" nor ")}`;
      cells.reject("row_unparseable", "side", reason);
    }
    return found ?? null;
  };
}

/** Words are compared without regard to case; one that no map has is data, and shows up as a discrepancy. */
export function createStatusMap({
  statuses,
}: Profile): (word: string | null, side: Side | null) => LineStatus {
  const maps = {
    any: inLowerCase(statuses.any),
    buy: inLowerCase(statuses.buy),
    sell: inLowerCase(statuses.sell),
  };
  return (word, side) => {
    if (word === null) return "unknown";
    const key = word.toLowerCase();
    const ofSide = side === null ? onlyOne(maps.buy.get(key), maps.sell.get(key)) : maps[side].get(key);
    return ofSide ?? maps.any.get(key) ?? "unknown";
  };
}

/** The known word for what a movement is, whatever its case, spaces and hyphens; `null` where it explains nothing. */
export function createCategoryMap({ categories }: Profile): (word: string | null) => string | null {
  const known = new Map(categories.map((category) => [folded(category), category]));
  return (word) => (word === null ? null : (known.get(folded(word)) ?? null));
}

function folded(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "_");
}

/** Where the side is not known, a word that means two things means nothing. */
function onlyOne(a: LineStatus | undefined, b: LineStatus | undefined): LineStatus | undefined {
  return a === undefined || b === undefined || a === b ? (a ?? b) : undefined;
}

function sideOfStatus({ statuses }: Profile, status: string | null): Side | null {
  if (status === null) return null;
  if (Object.hasOwn(statuses.buy, status)) return "buy";
  return Object.hasOwn(statuses.sell, status) ? "sell" : null;
}

function inLowerCase<Value>(words: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]));
}
