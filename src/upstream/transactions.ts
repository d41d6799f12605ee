/** The transaction records of the account: the part of the aggregator that tieout exists for. */
import type { Instant } from "../core/instant.ts";
import { UnexpectedBody } from "./errors.ts";
import { numberText } from "./exact-json.ts";
import type { CallOptions } from "./http.ts";
import { isTooDeep } from "./nesting.ts";
import { isUnstorable, normaliseRecord, type RecordOutcome } from "./normalise.ts";
import { fillTemplate, type Surface } from "./surface.ts";

/** The specification's maximum, and its default. */
const recordsPerPageMax = 50;
/** A 51st id may be refused or dropped silently, and we could not tell which. */
export const idsPerRequestMax = 50;
/** A server may send somewhat more than asked; ten times as much is not a page any more. */
const recordsPerPageFactorMax = 10;

export interface PageQuery {
  readonly from?: Instant;
  readonly to?: Instant;
  readonly limit?: number;
  readonly ids?: readonly string[];
  /** As the previous page returned it. */
  readonly cursor?: string | null;
}

export interface TransactionPage {
  /** As received, for `normalisePage`. */
  readonly rawRecords: readonly unknown[];
  /** `null` is the only end: an absent, a null and an empty cursor have all been made into it. */
  readonly nextCursor: string | null;
  readonly echoedLimit: number | null;
  /** The server's clock when it answered, in milliseconds since 1970. */
  readonly serverDateMs: number | null;
}

export function transactionEndpoints(surface: Surface, secretHeaders: Readonly<Record<string, string>>) {
  const headers = { ...surface.headers, ...secretHeaders };
  return {
    async fetchPage(asked: PageQuery = {}, call?: CallOptions): Promise<TransactionPage> {
      const template = "/transactions";
      const limit = checkLimit(asked.limit ?? recordsPerPageMax);
      const { value, serverDateMs } = await surface.http.send(
        {
          method: "GET",
          template,
          path: template,
          query: {
            startDateTime: asked.from,
            endDateTime: asked.to,
            limit: String(limit),
            transactionIds: asked.ids && joinIds(asked.ids),
            cursor: asked.cursor,
          },
          headers,
          call,
        },
        (body) => readPage(body, limit),
      );
      return { ...value, serverDateMs };
    },

    async fetchTransaction(transactionId: string, call?: CallOptions): Promise<RecordOutcome> {
      const template = "/transactions/{transactionId}";
      const path = fillTemplate(template, { transactionId });
      const answer = await surface.http.send(
        { method: "GET", template, path, headers, call },
        normaliseRecord,
      );
      return answer.value;
    },
  };
}

/** A server may refuse any other limit, cut it, or use its default, and we could not tell which. */
function checkLimit(limit: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= recordsPerPageMax) return limit;
  throw new RangeError(`GET /transactions takes a limit of 1 to ${recordsPerPageMax}, not ${limit}`);
}

function joinIds(ids: readonly string[]): string {
  if (ids.length === 0 || ids.length > idsPerRequestMax) {
    throw new RangeError(`GET /transactions takes 1 to ${idsPerRequestMax} ids, not ${ids.length}`);
  }
  // Ids are opaque, and nothing says how a comma in one would be written in the list.
  if (ids.some((id) => id === "" || id.includes(","))) {
    throw new RangeError(
      "GET /transactions cannot ask for an id that is empty or holds a comma: read it singly",
    );
  }
  return ids.join(",");
}

function readPage(body: unknown, limit: number): Omit<TransactionPage, "serverDateMs"> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw brokenPage(null, "expected an object");
  }
  const { transactions, ...around }: Record<string, unknown> = { ...body };
  if (!Array.isArray(transactions)) throw brokenPage("transactions", "expected a list");
  // Inside a record this costs the record; around the records nothing else on the page can be trusted.
  if (isTooDeep(around)) throw brokenPage(null, "nested too deep");
  if (transactions.length > recordsPerPageFactorMax * limit) {
    const problem = `${transactions.length} records for a limit of ${limit}`;
    throw new UnexpectedBody("transactions", problem, { code: "page_too_large" });
  }
  const echoedLimit = Number(numberText(around["limit"]) ?? Number.NaN);
  return {
    rawRecords: transactions,
    nextCursor: readCursor(around["cursor"]),
    echoedLimit: Number.isInteger(echoedLimit) ? echoedLimit : null,
  };
}

function readCursor(cursor: unknown): string | null {
  if (cursor === undefined || cursor === null || cursor === "") return null;
  const text = typeof cursor === "string" ? cursor : numberText(cursor);
  // To take an unreadable cursor for the end would seal a window that was not read to its end.
  if (text === null) throw brokenPage("cursor", "expected a text");
  if (isUnstorable(text)) throw brokenPage("cursor", "expected a text that can be kept and sent back");
  return text;
}

/** Unlike a catalogue of another shape, a page is asked for again: half an answer may be whole the next time. */
function brokenPage(field: string | null, problem: string): UnexpectedBody {
  return new UnexpectedBody(field, problem, { retry: true });
}
