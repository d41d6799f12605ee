/**
 * What a question about the books is asked of: which accounts and provider, as at which instant, and as known when. The
 * same statements answer for the live state and for the past; only where they find transactions, lines and matches
 * differs, and that is said in `sources.ts`.
 */
export interface Frame {
  /** `live` reads the latest rows, `past` finds what was latest then. */
  mode: "live" | "past";
  /** `touched`: only what the temporary tables of the run name. Live runs only. */
  scope: "all" | "touched";
  /** SQL expressions, each a bound value: an array of account numbers, and the rest as named. */
  accounts: string;
  /** `null`: every provider of these accounts. */
  provider: string | null;
  asAt: string;
  knownAt: string;
}

/** The live state of one account and provider; its statements take these four values first. */
export function liveFrame(scope: Frame["scope"]): Frame {
  return {
    mode: "live",
    scope,
    accounts: "array[$1::int]",
    provider: "$2::text",
    asAt: "$3::timestamptz",
    knownAt: "$4::timestamptz",
  };
}

/** One named part of a statement. */
export interface Part {
  name: string;
  sql: string;
  /** Left out, Postgres decides: what is used once becomes part of the whole. */
  materialized?: boolean;
}

export function withParts(parts: readonly Part[]): string {
  const written = parts.map(({ name, sql, materialized }) => {
    const how = materialized === undefined ? "" : materialized ? "materialized " : "not materialized ";
    return `${name} as ${how}(${sql}\n)`;
  });
  return `with recursive ${written.join(", ")}`;
}
