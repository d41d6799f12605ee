import { usageError } from "../../core/errors.ts";

/**
 * What the specification leaves open. Each line is something that servers do differently and a client must cope with; the
 * first word of each is the default.
 */
export const dialectWords = {
  /** The cursor of the last page. `empty-page`: it leads to a page without records; `echo`: that page returns it again. */
  "last-cursor": ["absent", "null", "empty", "empty-page", "echo"],
  /** What startDateTime and endDateTime select by. */
  window: ["status", "creation"],
  start: ["inclusive", "exclusive"],
  end: ["exclusive", "inclusive"],
  order: ["ascending", "descending", "scrambled"],
  /** `short`: any number up to the limit; `single`: one; `empty-between`: every second page has no records. */
  pages: ["full", "short", "single", "empty-between"],
  /** One record for each status, or only the latest of a transaction. */
  rows: ["all", "latest"],
  /** A limit above the maximum. */
  "limit-above": ["refused", "capped"],
  /** A list of ids of which one does not exist: the others are found, or the whole list is refused. */
  "unknown-ids": ["left-out", "refused"],
  /** A time that does not say in which zone it is. */
  "no-zone": ["utc", "refused"],
  /** How records name a crypto asset: by its code in lower case, as specified, or by its id. */
  currency: ["code", "id"],
  /** Ids of assets: asset and network joined everywhere, or bare for coins on their own chain, as some servers do. */
  "asset-ids": ["joined", "bare"],
  /** Whether the endpoints that the specification does not mark need the key as well. */
  key: ["where-marked", "everywhere"],
  /** The body of an error on the current surface. */
  "error-body": ["typed", "code", "oauth"],
  /** Why a gateway is unavailable, when no amount would help: the input to change, or always OTHER. */
  "rate-error": ["named", "other"],
  /** The unit of `expiringTime`. */
  expiring: ["seconds", "milliseconds"],
} as const;

export type DialectName = keyof typeof dialectWords;
export type Dialect = { readonly [Name in DialectName]: (typeof dialectWords)[Name][number] };

export const plainDialect: Dialect = {
  "last-cursor": "absent",
  window: "status",
  start: "inclusive",
  end: "exclusive",
  order: "ascending",
  pages: "full",
  rows: "all",
  "limit-above": "refused",
  "unknown-ids": "left-out",
  "no-zone": "utc",
  currency: "code",
  "asset-ids": "joined",
  key: "where-marked",
  "error-body": "typed",
  "rate-error": "named",
  expiring: "seconds",
};

/** Reads `last-cursor=null,window=creation`; what is not named keeps its default. */
export function parseDialect(text: string): Dialect {
  const dialect: Record<string, string> = { ...plainDialect };
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", word = ""] = part.split("=").map((each) => each.trim());
    const words = (dialectWords as Readonly<Record<string, readonly string[]>>)[name];
    if (!words) {
      throw usageError(`dialect: no switch "${name}"; there are ${listed(Object.keys(dialectWords))}`);
    }
    if (!words.includes(word)) {
      throw usageError(`dialect: ${name} is one of ${listed(words)}, not "${word}"`);
    }
    dialect[name] = word;
  }
  return dialect as Dialect;
}

function listed(words: readonly string[]): string {
  return words.join(", ");
}
