import type { z } from "zod";
import type { CallOptions, Http, HttpAnswer } from "./http.ts";
import { type ItemList, readItemsAs } from "./lists.ts";
import { readAs } from "./wire.ts";

/** Buy or sell; the aggregator's default is buy. */
export type TransactionType = "buy" | "sell";

/** One of the two surfaces, with the headers that its requests carry. */
export interface Surface {
  readonly http: Http;
  /** The account's public key. */
  readonly headers: Readonly<Record<string, string>>;
}

interface GetRequest<T extends z.ZodType> {
  readonly template: string;
  /** Values of the template's parts in braces. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | boolean | null | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly schema: T;
  /** Its lists whose items are judged one by one, for a caller that asks for it. */
  readonly lists?: readonly ItemList[];
  readonly call?: CallOptions | undefined;
}

/** A GET whose answer is checked against a schema. */
export async function get<T extends z.ZodType>(
  surface: Surface,
  request: GetRequest<T>,
): Promise<HttpAnswer<z.output<T>>> {
  const { template, parts = {}, query = {}, headers = {}, schema, lists = [], call } = request;
  return surface.http.send(
    {
      method: "GET",
      template,
      path: fillTemplate(template, parts),
      query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, queryValue(value)])),
      headers: { ...surface.headers, ...headers },
      call,
    },
    (body, leaveOut) => (leaveOut === null ? readAs(schema) : readItemsAs(schema, lists, leaveOut))(body),
  );
}

/** `/quotes/{fiat}/{crypto}` with its parts put in, each one percent-encoded. */
export function fillTemplate(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts[name] ?? "";
    // An empty part or dots would name another endpoint: without its id, a transaction is the list of all.
    if (value === "" || value === "." || value === "..")
      throw new RangeError(`${template}: ${name} is missing`);
    return encodeURIComponent(value);
  });
}

function queryValue(value: string | boolean | null | undefined): string | null | undefined {
  return typeof value === "boolean" ? String(value) : value;
}
