import { z } from "@hono/zod-openapi";
import type { PageWanted } from "../../store/keyset.ts";
import {
  listStatuses,
  statusKeyset,
  type StatusReadRow,
  statusesOf,
} from "../../store/transactions/status-reads.ts";
import {
  countTransactions,
  findTransactions,
  listTransactions,
  safeUntil,
  type TransactionRow,
  transactionSorts,
} from "../../store/transactions/transaction-reads.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { needs } from "../../access/access.ts";
import { writeCursor } from "../cursor.ts";
import type { Api } from "../deps.ts";
import { addList, cursorList, freshnessFor, listResponse, listText, wantedPage } from "../list.ts";
import { time } from "../object.ts";
import { textParameter } from "../parameters.ts";
import { presentStatus, presentTransaction, transaction, transactionStatus } from "./schema.ts";
import { isoTime, sightOf } from "../present.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { sendListText, sendObject } from "../send.ts";
import { expandParameter, readQuestion, transactionQuery } from "./query.ts";

const tag = "Transactions";
const access = needs("transactions:read");
const totalMax = 10_000;

export const transactionIdParams = z.strictObject({
  id: z
    .string()
    .openapi({ description: "The aggregator's transaction id.", example: transaction.example.id }),
});

export const oneAccount = {
  account: textParameter("The account, if the id exists in several.", "default"),
};

export function addTransactionRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/transactions",
      operationId: "listTransactions",
      summary: "Transactions, each with its latest status",
      description:
        "Newest first. To follow changes, use sort=last_changed_at and keep passing next_cursor: rows are returned only up to safe_until, before which no write is pending, so none is missed.",
      tag,
      access,
      query: transactionQuery,
      response: listResponse(
        "TransactionPage",
        transaction,
        { url: "/v1/transactions", description: "A page of transactions." },
        { members: pageMembers, example: { safe_until: null } },
      ),
      errors: ["cursor_mismatch", "account_required", "query_too_slow"],
    },
    async ({ c, caller, reader, query }) => {
      const { filters, sort } = readQuestion(query, caller);
      const { keyset, positionOf } = transactionSorts[sort];
      const list = cursorList(c, keyset, sort);
      const following = sort === "last_changed_at";
      // Only where rows are written can be known who is still writing; and the answer must come before the reading.
      const from: AccountReader = following ? { ...reader, database: api.deps.database } : reader;
      const before = following ? await safeUntil(api.deps.database) : undefined;
      const page = wantedPage(list, query);
      if (query.starting_after !== undefined)
        page.after = positionOf(
          await oneTransaction(from, query.starting_after, query.account, "starting_after"),
        );
      const { rows, hasMore } = await listTransactions(from, { filters, sort, page, before });
      const statuses = query["expand[]"] === undefined ? undefined : await statusesByTransaction(from, rows);
      const total =
        query.include === undefined ? undefined : await countTransactions(reader, filters, totalMax + 1);
      const head = {
        hasMore,
        nextCursor: nextCursor({ rows, hasMore, following, page, list, positionOf }),
        dataAsOf: await freshnessFor(api, caller),
        more:
          `,"safe_until":${JSON.stringify(before === undefined ? null : isoTime(before))}` +
          (total === undefined
            ? ""
            : `,"total":${JSON.stringify({ count: Math.min(total, totalMax), capped: total > totalMax })}`),
      };
      const sight = sightOf(caller);
      const objects = rows.map((row) =>
        presentTransaction(row, sight, statuses ? { statuses: statuses.get(keyOf(row)) ?? [] } : {}),
      );
      return sendListText(c, listText(c.req.path, head, objects));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/transactions/{id}",
      operationId: "getTransaction",
      summary: "One transaction",
      tag,
      access,
      params: transactionIdParams,
      query: z.strictObject({ ...oneAccount, "expand[]": expandParameter }),
      response: { description: "The transaction.", ...transaction },
      errors: ["not_found", "account_required"],
    },
    async ({ c, caller, reader, params, query }) => {
      const row = await oneTransaction(reader, params.id, query.account, "account");
      const statuses =
        query["expand[]"] === undefined ? undefined : await statusesByTransaction(reader, [row]);
      const expanded = statuses ? { statuses: statuses.get(keyOf(row)) ?? [] } : {};
      return sendObject(c, presentTransaction(row, sightOf(caller), expanded));
    },
  );

  addList(
    api,
    {
      path: "/v1/transactions/{id}/statuses",
      operationId: "listTransactionStatuses",
      summary: "Every status a transaction was seen in",
      description: "In the order that decides which is the latest: status date, rank of the status, hash.",
      tag,
      access,
      params: transactionIdParams,
      filters: oneAccount,
      name: "TransactionStatusList",
      of: transactionStatus,
      page: "A page of status rows.",
      exampleUrl: `/v1/transactions/${transaction.example.id}/statuses`,
      errors: ["not_found", "account_required"],
    },
    async ({ caller, reader, params, query }) => {
      const row = await oneTransaction(reader, params.id, query.account, "account");
      const key = { accountId: row.account_id, transactionId: row.transaction_id };
      return {
        paging: statusKeyset,
        read: (page) => listStatuses(reader, key, page),
        present: (status) => presentStatus(status, sightOf(caller)),
      };
    },
  );
}

const pageMembers = {
  safe_until: time
    .nullable()
    .describe("With sort=last_changed_at: everything that changed before this is included."),
  total: z.strictObject({ count: z.int(), capped: z.boolean() }).optional().describe("With include=total."),
};

/** 404 when this key sees none; 400 when it sees several and does not say which. */
export async function oneTransaction(
  reader: AccountReader,
  id: string,
  accounts: string | readonly string[] | undefined,
  param: "account" | "starting_after",
): Promise<TransactionRow> {
  const rows = id.includes("\0") ? [] : await findTransactions(reader, id, accounts);
  const [row] = rows;
  if (row === undefined && param === "starting_after") {
    throw problem("invalid_parameter", "starting_after names no transaction that you may see.", {
      param,
    });
  }
  if (row === undefined) throw problem("not_found", "There is no such transaction that you may see.");
  if (rows.length === 1) return row;
  const holders = rows.map((one) => one.account);
  throw problem(
    "account_required",
    `This id exists in the accounts ${holders.join(", ")}. Say which with account=.`,
    {
      param: "account",
      accounts: holders,
    },
  );
}

/** A follower goes on from where it stands even when there is nothing more for now. */
function nextCursor(turn: {
  rows: TransactionRow[];
  hasMore: boolean;
  following: boolean;
  page: PageWanted;
  list: Parameters<typeof writeCursor>[0];
  positionOf: (row: TransactionRow) => string[];
}): string | null {
  if (!turn.hasMore && !turn.following) return null;
  const last = turn.rows.at(-1);
  const position = last === undefined ? turn.page.after : turn.positionOf(last);
  return position === null ? null : writeCursor(turn.list, position);
}

async function statusesByTransaction(
  reader: AccountReader,
  rows: readonly TransactionRow[],
): Promise<Map<string, StatusReadRow[]>> {
  const keys = rows.map((row) => ({ accountId: row.account_id, transactionId: row.transaction_id }));
  const found = new Map<string, StatusReadRow[]>();
  for (const status of await statusesOf(reader, keys)) {
    const held = found.get(keyOf(status));
    if (held) held.push(status);
    else found.set(keyOf(status), [status]);
  }
  return found;
}

function keyOf(row: { account_id: number; transaction_id: string }): string {
  return `${row.account_id} ${row.transaction_id}`;
}
