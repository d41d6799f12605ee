import { z } from "@hono/zod-openapi";
import { SECOND } from "../../core/duration.ts";
import { compareInstants, type Instant } from "../../core/instant.ts";
import { notATime, parseTime } from "../../core/period.ts";
import { quote } from "../../core/quote.ts";
import { detailFields, recordFields } from "../../core/record-fields.ts";
import type { AccountReader } from "../../store/conditions.ts";
import {
  findMirrored,
  listMirrored,
  mirroredAccount,
  mirroredName,
  mirrorKeyset,
  type MirrorRow,
} from "../../store/transactions/mirror-reads.ts";
import type { Access } from "../../access/access.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import type { Api, ApiContext } from "../deps.ts";
import { exactIsoTime } from "../present.ts";
import { type FieldProblem, problem } from "../problem.ts";
import { createMemory, type Memory } from "../../core/remember.ts";
import { addRoute } from "../route.ts";

/**
 * The aggregator's own two endpoints, answered from our tables in its shape, so that any client of it can read the copy
 * instead. A record holds a wallet address in full, and one that is masked is another record: hence the second scope.
 */
const access: Access = {
  scopes: ["transactions:read", "wallets:read"],
  credentials: "aggregator",
  policy: "mirror",
};

const limitMax = 50;
const idsMax = 50;

export function addMirrorRoutes(api: Api): void {
  const accounts = createMemory<number | null>({ now: api.deps.now, keepMs: 10 * SECOND });

  addRoute(
    api,
    {
      method: "get",
      path: "/mirror/transactions",
      operationId: "mirrorTransactions",
      summary: "The aggregator's GET /transactions, from the copy",
      description:
        "Every status row is one record. The window is half-open and selects by status date. The key is sent the aggregator's way: `Authorization` holds the bare key, `x-service-secret` its secret part (after its last underscore) or the whole key again. The key must be for one account: if there are several, limit it to one.",
      tag: "Mirror",
      access,
      query: documentedQuery,
      response: {
        description: "A page, in the aggregator's shape.",
        schema: pageSchema,
        example: pageExample,
      },
      errors: ["account_required", "cursor_mismatch"],
    },
    async ({ c, reader }) => {
      const asked = readQuery(c);
      const account = await oneAccount(accounts, reader);
      const list = { path: c.req.path, query: filtersOf(asked), sort: "mirror", keyset: mirrorKeyset.keyset };
      const after = asked.cursor === null ? null : readCursor(list, asked.cursor);
      const { rows, hasMore } = await listMirrored(account, asked, { limit: asked.limit, after });
      const last = rows.at(-1);
      const cursor = hasMore && last ? `,"cursor":"${writeCursor(list, mirrorKeyset.positionOf(last))}"` : "";
      return sendJson(
        c,
        `{"transactions":[${rows.map(writeRecord).join(",")}],"limit":${asked.limit}${cursor}}`,
      );
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/mirror/transactions/{transactionId}",
      operationId: "mirrorTransaction",
      summary: "The aggregator's GET /transactions/{transactionId}, from the copy",
      description: "The latest record of the transaction.",
      tag: "Mirror",
      access,
      params: z.strictObject({ transactionId: z.string().openapi({ example: recordExample.transactionId }) }),
      query: z.object({}),
      response: { description: "The record, not wrapped.", schema: recordSchema, example: recordExample },
      errors: ["account_required", "not_found"],
    },
    async ({ c, reader, params }) => {
      const account = await oneAccount(accounts, reader);
      const row = params.transactionId.includes("\0")
        ? null
        : await findMirrored(account, params.transactionId);
      if (row === null) throw problem("not_found", "There is no such transaction.");
      return sendJson(c, writeRecord(row));
    },
  );
}

function writeRecord(row: MirrorRow): string {
  return `{"statusDate":"${exactIsoTime(row.status_date)}",${row.record}`;
}

function sendJson(c: ApiContext, text: string): Response {
  return c.body(text, 200, {
    "content-type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
  });
}

async function oneAccount(accounts: Memory<number | null>, reader: AccountReader): Promise<AccountReader> {
  const subject = reader.accountIds === null ? "all" : reader.accountIds.join(",");
  const id = await accounts.get(subject, () => mirroredAccount(reader));
  if (id !== null) return { ...reader, accountIds: [id] };
  throw problem(
    "account_required",
    "This key is for several accounts, or for none. Create one for a single account: tieout keys create --account NAME.",
  );
}

interface MirrorQuery {
  from: Instant | null;
  to: Instant | null;
  limit: number;
  transactionIds: string[] | null;
  cursor: string | null;
}

/** An empty parameter is one that was left out; one that the aggregator does not have is passed over, as it may do. */
function readQuery(c: ApiContext): MirrorQuery {
  const errors: FieldProblem[] = [];
  const refuse = (path: string, code: string, message: string) =>
    void errors.push({ path, code, message: `${path} ${message}` });
  const text = (name: string) => c.req.query(name) || null;
  const instant = (name: string): Instant | null => {
    const given = text(name);
    if (given === null) return null;
    const read = parseTime(given);
    if (read === null) refuse(name, "invalid_time", `is ${notATime(given)}`);
    return read;
  };
  const from = instant("startDateTime");
  const to = instant("endDateTime");
  if (from !== null && to !== null && compareInstants(to, from) < 0)
    refuse("endDateTime", "conflict", "lies before startDateTime.");
  const limitText = text("limit") ?? String(limitMax);
  const limit = /^\d{1,3}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > limitMax)
    refuse(
      "limit",
      "invalid_integer",
      `is ${quote(limitText)}, and must be a whole number from 1 to ${limitMax}.`,
    );
  const transactionIds =
    text("transactionIds")
      ?.split(",")
      .map((id) => id.trim()) ?? null;
  if (transactionIds !== null && transactionIds.length > idsMax)
    refuse("transactionIds", "too_many", `holds ${transactionIds.length} ids, and may hold ${idsMax}.`);
  if (transactionIds?.some((id) => id === "" || id.includes("\0")))
    refuse("transactionIds", "empty", "holds an empty id.");
  const [first] = errors;
  if (first) throw problem("invalid_parameter", first.message, { param: first.path, errors });
  return { from, to, limit, transactionIds, cursor: text("cursor") };
}

/** What a cursor must not be used across; the limit may change between pages. */
function filtersOf({ from, to, transactionIds }: MirrorQuery): Record<string, string[]> {
  return { from: [from ?? ""], to: [to ?? ""], ids: transactionIds ?? [] };
}

// Read by `readQuery`: what the aggregator does with a parameter that is wrong in its eyes is not shown.
const documentedQuery = z.looseObject({
  startDateTime: z
    .array(z.string())
    .optional()
    .openapi({ type: "string", format: "date-time", description: "Start of the window, inclusive." }),
  endDateTime: z
    .array(z.string())
    .optional()
    .openapi({ type: "string", format: "date-time", description: "End of the window, exclusive." }),
  limit: z
    .array(z.string())
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: limitMax, default: limitMax }),
  transactionIds: z
    .array(z.string())
    .optional()
    .openapi({ type: "string", description: `Comma-separated, at most ${idsMax}.` }),
  cursor: z
    .array(z.string())
    .optional()
    .openapi({ type: "string", description: "`cursor` of the page before." }),
});

const recordSchema = z
  .looseObject({
    transactionId: z.string(),
    status: z.string(),
    statusDate: z.string(),
    ...Object.fromEntries(
      detailFields.map((field) => {
        const schema = recordFields[field].type === "decimal" ? z.number() : z.string();
        return [mirroredName(field), schema.optional()];
      }),
    ),
  })
  .openapi("MirrorRecord");

const pageSchema = z
  .strictObject({
    transactions: z.array(recordSchema),
    limit: z.int(),
    cursor: z.string().optional().describe("Absent on the last page."),
  })
  .openapi("MirrorPage");

const recordExample = {
  transactionId: "01HD670DNG2MNSDS4XGJ1EESV7",
  status: "completed",
  statusDate: "2026-11-14T09:56:42.012Z",
  apiKey: "pk_prod_example",
  country: "de",
  inAmount: 100.5,
  outAmount: 0.00152087,
  onramp: "moonpay",
  onrampTransactionId: "5f6a1f2e-97a5-4b8e-9a53-0d7b2c1e4f10",
  paymentMethod: "creditcard",
  sourceCurrency: "eur",
  targetCurrency: "btc",
  transactionType: "buy",
  transactionHash: "9f2c4e7a1b3d5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8",
  walletAddress: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
};

const pageExample = { transactions: [recordExample], limit: limitMax };
