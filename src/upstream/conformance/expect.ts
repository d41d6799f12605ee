import { z } from "zod";
import { differ, notApplicable } from "./check.ts";
import type { Answer } from "./target.ts";

/** The answer is a success with a JSON body of this shape; fields that the shape does not name are free. */
export function expectShape<S extends z.ZodType>(answer: Answer, shape: S, expected: string): z.output<S> {
  expectSuccess(answer, expected);
  const parsed = shape.safeParse(answer.json);
  if (!parsed.success) differ(answer, { expected, seen: describeIssues(parsed.error, answer.json, "") });
  return parsed.data;
}

/** Every element has this shape. An empty list proves nothing, so it is not a pass. */
export function expectEach<S extends z.ZodType>(
  answer: Answer,
  list: { at: string; items: readonly unknown[] },
  shape: S,
  expected: string,
): z.output<S>[] {
  if (list.items.length === 0) notApplicable(`${answer.request}: ${list.at || "the array"} is empty`);
  const parsed = z.array(shape).safeParse(list.items);
  if (!parsed.success) differ(answer, { expected, seen: describeIssues(parsed.error, list.items, list.at) });
  return parsed.data;
}

function expectSuccess(answer: Answer, expected: string): void {
  if (!isSuccess(answer)) differ(answer, { expected, seen: describeAnswer(answer) });
  if (answer.json === undefined)
    differ(answer, { expected, seen: `a body that is not JSON: ${cut(answer.text)}` });
}

/** Which status an error has is not shown, so any 4xx will do; a 5xx says that the server failed, not that it refused. */
export function expectRefusal(answer: Answer, expected: string): void {
  if (!isRefusal(answer)) differ(answer, { expected, seen: describeAnswer(answer) });
}

export function expectThat(answer: Answer, holds: boolean, found: { expected: string; seen: string }): void {
  if (!holds) differ(answer, found);
}

/** The same data, whatever the order of keys. */
export function expectSame(
  answers: { given: Answer; other: Answer },
  values: { given: unknown; other: unknown },
  expected: string,
): void {
  if (canonical(values.given) === canonical(values.other)) return;
  differ(answers.other, { expected, seen: firstDifference(values.given, values.other) });
}

export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

export function isRefusal(answer: Answer): boolean {
  return answer.status >= 400 && answer.status < 500;
}

export function describeAnswer(answer: Answer): string {
  return `status ${answer.status}${answer.text === "" ? "" : ` with ${cut(answer.text)}`}`;
}

export function show(value: unknown): string {
  return value === undefined ? "absent" : cut(JSON.stringify(value));
}

export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const seenCharactersMax = 100;

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= seenCharactersMax ? line : `${line.slice(0, seenCharactersMax)}…`;
}

function describeIssues(error: z.ZodError, value: unknown, at: string): string {
  const first = error.issues[0];
  const path = first?.path ?? [];
  const place = path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`),
    at,
  );
  const found = path.reduce<unknown>(
    (inner, part) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
  const more = error.issues.length - 1;
  const others = more === 0 ? "" : `, and ${more} more`;
  return `${place.replace(/^\./, "") || "the body"} is ${show(found)}${others}`;
}

function firstDifference(given: unknown, other: unknown): string {
  if (Array.isArray(given) && Array.isArray(other)) {
    if (given.length !== other.length) return `${other.length} elements instead of ${given.length}`;
    const index = given.findIndex((item, i) => canonical(item) !== canonical(other[i]));
    return `[${index}] ${firstDifference(given[index], other[index])}`;
  }
  if (isObject(given) && isObject(other)) {
    const keys = [...new Set([...Object.keys(given), ...Object.keys(other)])];
    const key = keys.find((k) => canonical(given[k] ?? null) !== canonical(other[k] ?? null)) ?? "";
    return `${key}: ${show(other[key])} instead of ${show(given[key])}`;
  }
  return `${show(other)} instead of ${show(given)}`;
}
