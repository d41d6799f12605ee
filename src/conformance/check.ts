import type { Answer, Target } from "./target.ts";

/** One row of the table: statements of the specification, what to ask, and what must hold of the answer. */
export interface Check {
  /** Stable: `<group>.<what is held>`. Scripts and reports name a check by it. */
  readonly id: string;
  /** The statements it is about, the foremost first, by their numbers in `statements-text.ts`. */
  readonly about: readonly number[];
  /** Returns when the server keeps the sentence; throws `Difference` or `NotApplicable` otherwise. */
  run(target: Target): Promise<void>;
}

/** Asks the server, or takes what another check has asked already. */
export type Read<S> = (target: Target) => Promise<S>;
/** Throws a `Difference` when it does not hold. */
export type Rule<S> = (seen: S, target: Target) => void | Promise<void>;

/** A row: everything `rules` say must hold of what `read` saw. */
export function row<S>(
  id: string,
  about: readonly number[],
  read: Read<S>,
  ...rules: readonly Rule<S>[]
): Check {
  return {
    id,
    about,
    async run(target) {
      const seen = await read(target);
      for (const rule of rules) await rule(seen, target);
    },
  };
}

/** The checks of one endpoint. */
export interface CheckGroup {
  readonly name: string;
  readonly endpoint: string;
  readonly surface: "current" | "legacy";
  /** Leaves something behind on the server, so it runs only where the caller allows writes. */
  readonly writes: boolean;
  /** Needs a second account. */
  readonly twoAccounts: boolean;
  readonly checks: readonly Check[];
}

export function group(
  about: Pick<CheckGroup, "name" | "endpoint"> & Partial<CheckGroup>,
  rows: readonly Check[],
): CheckGroup {
  const checks = rows.map((check) => ({ ...check, id: `${about.name}.${check.id}` }));
  return { surface: "current", writes: false, twoAccounts: false, ...about, checks };
}

/** The server answered, and not as the specification says. */
export class Difference extends Error {
  readonly request: string;
  readonly expected: string;
  readonly seen: string;

  constructor(found: { request: string; expected: string; seen: string }) {
    super(`${found.request}: expected ${found.expected}, saw ${found.seen}`);
    this.name = "Difference";
    this.request = found.request;
    this.expected = found.expected;
    this.seen = found.seen;
  }
}

/** Nothing to judge by: no data of the kind, or a prerequisite that another check already reports. */
export class NotApplicable extends Error {
  constructor(why: string) {
    super(why);
    this.name = "NotApplicable";
  }
}

export function differ(answer: Answer, expected: string, seen: string): never {
  throw new Difference({ request: answer.request, expected, seen });
}

export function notApplicable(why: string): never {
  throw new NotApplicable(why);
}
