import { problem } from "./problem.ts";

/** One end of a range, as it was asked for. */
export interface RangeEnd<Value> {
  parameter: string;
  value: Value;
}

/**
 * A range that ends before it begins holds nothing. An empty list would look like an answer; whoever typed it is told instead.
 * Both ends may be given twice, as "at least" and "more than".
 */
export function refuseReversed<Value>(
  { starts, ends }: { starts: RangeEnd<Value>[]; ends: RangeEnd<Value>[] },
  isAfter: (start: Value, end: Value) => boolean,
): void {
  for (const start of starts) {
    const end = ends.find(({ value }) => isAfter(start.value, value));
    if (end === undefined) continue;
    const message = `${start.parameter} lies after ${end.parameter}, so nothing can match: swap the two.`;
    throw problem("invalid_parameter", message, {
      param: end.parameter,
      errors: [{ path: end.parameter, code: "reversed_range", message }],
    });
  }
}
