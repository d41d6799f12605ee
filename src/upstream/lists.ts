/** Lists whose items are judged one by one: an item that is not as specified costs nothing but itself. */
import type { z } from "zod";
import { quote } from "../core/quote.ts";
import { numberText } from "./exact-json.ts";
import { isTooDeep } from "./nesting.ts";
import { pathText, readAs } from "./wire.ts";

/** A list in an answer, or an object with an item for each key. */
export interface ItemList {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  readonly item: z.ZodType;
  /** The field in which an item says what it is. */
  readonly id: string;
}

/** In words, such as `message.crypto[3] "usdc_base": chainId: expected an integer`. */
export type LeaveOut = (item: string) => void;

/**
 * Checks an answer against its schema after leaving out the items that do not pass, and reports each of them. An answer
 * that is not a list still fails, and so does a list in which no item passes: it has another shape, and reading it as
 * empty would hide that.
 */
export function readItemsAs<T extends z.ZodType>(
  schema: T,
  lists: readonly ItemList[],
  leaveOut: LeaveOut,
): (body: unknown) => z.output<T> {
  const read = readAs(schema);
  return (body) => {
    const leftOut: string[] = [];
    const rest = lists.reduce(
      (value, list) => changeAt(value, list.path, (items) => readableOf(items, list, leftOut)),
      body,
    );
    const value = read(rest);
    // Reported last: if the answer fails, its error says what is wrong.
    for (const item of leftOut) leaveOut(item);
    return value;
  };
}

function readableOf(items: unknown, list: ItemList, leftOut: string[]): unknown {
  if (typeof items !== "object" || items === null) return items;
  const entries = Object.entries(items);
  const problems = new Map(
    entries.flatMap(([key, item]) => {
      const problem = problemOf(item, list.item);
      return problem === null ? [] : [[key, problem] as const];
    }),
  );
  if (problems.size === 0 || problems.size === entries.length) return items;
  const isList = Array.isArray(items);
  for (const [key, item] of entries) {
    const problem = problems.get(key);
    const path = pathText([...list.path, isList ? Number(key) : key]) ?? "";
    if (problem !== undefined) leftOut.push(`${path}${idOf(item, list.id)}: ${problem}`);
  }
  const readable = entries.filter(([key]) => !problems.has(key));
  return isList ? readable.map(([, item]) => item) : Object.fromEntries(readable);
}

function problemOf(item: unknown, schema: z.ZodType): string | null {
  if (isTooDeep(item)) return "nested too deep";
  const [issue] = schema.safeParse(item).error?.issues ?? [];
  if (issue === undefined) return null;
  const field = pathText(issue.path);
  return field === null ? issue.message : `${field}: ${issue.message}`;
}

function idOf(item: unknown, field: string): string {
  const id: unknown = (item as Record<string, unknown> | null)?.[field];
  const text = typeof id === "string" ? id : numberText(id);
  return text === null ? "" : ` ${quote(text)}`;
}

function changeAt(value: unknown, path: readonly string[], change: (inner: unknown) => unknown): unknown {
  const [key, ...deeper] = path;
  if (key === undefined) return change(value);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: changeAt((value as Record<string, unknown>)[key], deeper, change) };
}
