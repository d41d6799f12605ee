import { z } from "zod";
import { differ, notApplicable, type Read, type Rule } from "./check.ts";
import type { Answer, Target, TargetRequest } from "./target.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A list out of an answer, and where in it the list stands. */
export interface Seen {
  readonly answer: Answer;
  readonly items: readonly Json[];
  readonly at: string;
}

/** A success with a JSON body of this shape; fields that the shape does not name are free. */
export function body(shape: z.ZodType, expected: string): (answer: Answer) => void {
  return (answer) => {
    if (!isSuccess(answer)) differ(answer, expected, describe(answer));
    if (answer.json === undefined) differ(answer, expected, `a body that is not JSON: ${cut(answer.text)}`);
    const parsed = shape.safeParse(answer.json);
    if (!parsed.success) differ(answer, expected, describeIssues(parsed.error, answer.json, ""));
  };
}

/** Every element has these fields. An empty list proves nothing, so it is not a pass. */
export function fields(shape: z.ZodRawShape, expected?: string): (seen: Seen) => void {
  const names = Object.keys(shape).join("`, `");
  return ({ answer, items, at }) => {
    if (items.length === 0) notApplicable(`${answer.request}: ${at || "the array"} is empty`);
    const parsed = z.array(z.looseObject(shape)).safeParse(items);
    if (parsed.success) return;
    differ(answer, expected ?? `\`${names}\` as specified`, describeIssues(parsed.error, items, at));
  };
}

/** Something holds for every element; `name` says which part of one for which it does not is worth showing. */
export function every(
  expected: string,
  name: string | ((item: Json) => unknown),
  holds: (item: Json) => boolean,
): (seen: Seen) => void {
  return ({ answer, items, at }) => {
    if (items.length === 0) notApplicable(`${answer.request}: ${at || "the array"} is empty`);
    const wrong = items.find((item) => !holds(item));
    if (wrong === undefined) return;
    differ(answer, expected, show(typeof name === "string" ? wrong[name] : name(wrong)));
  };
}

/** Every value of a field is one of those another endpoint lists, whatever its case. */
export function among(name: string, known: Read<ReadonlySet<string>>, expected: string): Rule<Seen> {
  return async (seen, target) => {
    const words = await known(target);
    if (words.size === 0) notApplicable(`nothing to compare \`${name}\` with`);
    const unknown = (item: Json) => [item[name]].flat().find((value) => !words.has(lower(value)));
    every(expected, unknown, (item) => unknown(item) === undefined)(seen);
  };
}

/** No two elements share the value of a field. */
export function distinct(name: string): (seen: Seen) => void {
  return (seen) => {
    const counts = new Map<unknown, number>();
    for (const item of seen.items) counts.set(item[name], (counts.get(item[name]) ?? 0) + 1);
    every(`every \`${name}\` once`, name, (item) => counts.get(item[name]) === 1)(seen);
  };
}

/** Which status an error has is not shown, so any 4xx will do; a 5xx says that the server failed, not that it refused. */
export async function refuses(target: Target, request: TargetRequest, expected: string): Promise<void> {
  const answer = await target.ask(request);
  if (!isRefusal(answer)) differ(answer, expected, describe(answer));
}

/** Two requests get the same data, whatever the order of keys. */
export async function same(target: Target, given: TargetRequest, other: TargetRequest, expected: string) {
  const [one, two] = [await target.ask(given), await target.ask(other)];
  expectSame(two, one.json ?? one.status, two.json ?? two.status, expected);
}

export function expectSame(answer: Answer, given: unknown, other: unknown, expected: string): void {
  if (canonical(given) !== canonical(other)) differ(answer, expected, firstDifference(given, other));
}

export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300;
}

export function isRefusal(answer: Answer): boolean {
  return answer.status >= 400 && answer.status < 500;
}

export function describe(answer: Answer): string {
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

/** The member at a path of names; `undefined` where the path ends early. */
export function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

export function lower(value: unknown): string {
  return String(value).toLowerCase();
}

const seenCharactersMax = 100;

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= seenCharactersMax ? line : `${line.slice(0, seenCharactersMax)}…`;
}

function describeIssues(error: z.ZodError, value: unknown, root: string): string {
  const path = error.issues[0]?.path ?? [];
  const place = path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`),
    root,
  );
  const found = path.reduce<unknown>(
    (inner, part) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
  const more = error.issues.length - 1;
  return `${place.replace(/^\./, "") || "the body"} is ${show(found)}${more === 0 ? "" : `, and ${more} more`}`;
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
