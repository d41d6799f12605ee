import type { Answer, Target } from "./target.ts";

/** One sentence of the specification, and the requests that show whether a server keeps it. */
export interface Check {
  /** Stable: `<group>.<what is held>`. Scripts and reports name a check by it. */
  readonly id: string;
  /** Word for word from the interface specification. */
  readonly sentence: string;
  /** Returns when the server keeps the sentence; throws `Difference` or `NotApplicable` otherwise. */
  run(target: Target): Promise<void>;
}

/** The checks of one endpoint. */
export interface CheckGroup {
  readonly name: string;
  readonly endpoint: string;
  readonly surface: "current" | "earlier";
  /** Leaves something behind on the server, so it runs only where the caller allows writes. */
  readonly writes: boolean;
  readonly checks: readonly Check[];
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

export function differ(answer: Answer, found: { expected: string; seen: string }): never {
  throw new Difference({ request: answer.request, ...found });
}

export function notApplicable(why: string): never {
  throw new NotApplicable(why);
}
