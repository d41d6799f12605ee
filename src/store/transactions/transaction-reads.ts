import { readsOnly } from "../application-name.ts";
import type { Class } from "../books/summary.ts";
import type { RecordColumn } from "../../core/record-fields.ts";
import {
  type AccountReader,
  addAccounts,
  addAnyWord,
  type Conditions,
  conditionsFor,
} from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { nameForms } from "../name-forms.ts";
import { isInClass, keepClass, mayBeInClass, transactionsFor } from "./class-of-transactions.ts";
import { type RecordRow, selectRecordRow } from "./record-columns.ts";

export interface TransactionRow extends RecordRow {
  is_final: boolean;
  last_changed_at: string;
  missing_since: string | null;
}

/** What transactions may be filtered by: equal to any of some words. */
const equalityColumns = [
  "status",
  "provider",
  "transaction_type",
  "source_currency",
  "target_currency",
  "payment_method",
  "country",
] as const satisfies readonly RecordColumn[];

export interface TransactionFilters extends Partial<
  Record<(typeof equalityColumns)[number], readonly string[] | undefined>
> {
  account?: readonly string[] | undefined;
  is_final?: boolean | undefined;
  /** Of completed transactions: how far each is tied out. */
  class?: TransactionClass | undefined;
  ranges: readonly Range[];
  q?: { text: string; wallets: boolean } | undefined;
}

/** Settled by a line of a statement; neither settled nor in doubt; in doubt, because an error about it is open. */
export type TransactionClass = Class;

/** One side of a range: a time, or an amount whose currency another filter fixes. */
export interface Range {
  column: "status_date" | "first_seen_at" | "last_changed_at" | "in_amount" | "out_amount";
  operator: ">=" | ">" | "<=" | "<";
  value: string;
}

/** `-status_date` is for people; `last_changed_at` for machines that follow changes. */
export const transactionSorts = {
  "-status_date": {
    keyset: keysetBy("t.status_date", true),
    positionOf: (row: TransactionRow) => [row.status_date, row.transaction_id, String(row.account_id)],
  },
  last_changed_at: {
    keyset: keysetBy("t.last_changed_at", false),
    positionOf: (row: TransactionRow) => [row.last_changed_at, row.transaction_id, String(row.account_id)],
  },
} as const;

export type TransactionSort = keyof typeof transactionSorts;

function keysetBy(expression: string, descending: boolean): Keyset {
  return {
    keys: [
      { expression, kind: "time" },
      { expression: "t.transaction_id", kind: "text" },
      { expression: "t.account_id", kind: "integer" },
    ],
    descending,
  };
}

const columns = `${selectRecordRow("t")},
       t.is_final, t.last_changed_at::text, t.missing_since::text`;

export async function listTransactions(
  reader: AccountReader,
  question: {
    filters: TransactionFilters;
    sort: TransactionSort;
    page: PageWanted;
    before?: string | undefined;
  },
): Promise<Page<TransactionRow>> {
  const { filters, page } = question;
  const read = (narrowed: TransactionFilters, wanted: PageWanted, only?: string) => {
    const conditions = transactionConditions(reader, narrowed);
    if (only !== undefined) conditions.add(only);
    if (question.before !== undefined) {
      conditions.add(`t.last_changed_at < ${conditions.bind(question.before)}::timestamptz`);
    }
    return readPage<TransactionRow>(reader.database, {
      select: columns,
      from: transactionsFor(narrowed),
      conditions,
      keyset: transactionSorts[question.sort].keyset,
      page: wanted,
      // With filters the best plan depends on how many rows they leave.
      planOnce: Object.keys(filters).length === 1 && filters.ranges.length === 0,
    });
  };
  if (filters.class === undefined) return read(filters, page);
  // The first few that may be of the class nearly always fill a page; judging all of them takes seconds.
  const anyClass = { ...filters, class: undefined };
  const limit = Math.max(likelyMin, Math.ceil(page.limit * likelyShare));
  const likely = await read(anyClass, { ...page, limit }, mayBeInClass[filters.class]);
  const rows = await keepClass(reader.database, likely.rows, filters.class);
  if (likely.hasMore && rows.length <= page.limit) return read(filters, page);
  return { rows: rows.slice(0, page.limit), hasMore: rows.length > page.limit };
}

const likelyMin = 1000;
const likelyShare = 1.5;

/** Counts up to a limit: beyond it the exact number helps nobody and costs a scan. */
export async function countTransactions(
  reader: AccountReader,
  filters: TransactionFilters,
  countMax: number,
): Promise<number> {
  const conditions = transactionConditions(reader, filters);
  const [row] = await reader.database.query<{ found: number }>(
    `select count(*)::int as found
     from (select from ${transactionsFor(filters)} where ${conditions.toSql()} limit ${conditions.bind(countMax)}) as counted`,
    conditions.values,
  );
  return row?.found ?? 0;
}

/** One id may exist in several accounts; the caller says which, or is asked. */
export async function findTransactions(
  reader: AccountReader,
  transactionId: string,
  accounts: string | readonly string[] | undefined,
): Promise<TransactionRow[]> {
  const conditions = conditionsFor(reader, "t.account_id");
  conditions.add(`t.transaction_id = ${conditions.bind(transactionId)}`);
  addAccounts(conditions, "t.account_id", accounts === undefined ? undefined : [accounts].flat());
  return reader.database.query<TransactionRow & Record<string, unknown>>(
    `select ${columns}
     from tieout.transactions as t
     where ${conditions.toSql()}
     order by t.account_id`,
    conditions.values,
  );
}

/**
 * The time before which no writing transaction is still open: whatever changed earlier can be seen by now. A row's time
 * of change is taken inside its transaction, and so never before that one began. A session without a transaction number
 * has written nothing; but one that just began may, and no statement of ours that writes runs for two minutes. An idle
 * session that listens is in a transaction while it is told of something; it shows the time of its last statement then.
 */
export async function safeUntil(database: Queryable): Promise<string> {
  const [row] = await database.query<{ until: string }>(
    `select least(clock_timestamp(), min(xact_start))::text as until
     from pg_stat_activity
     where datname = current_database()
       and pid <> pg_backend_pid()
       and backend_type = 'client backend'
       and xact_start is not null
       and state <> 'idle'
       and (backend_xid is not null
         or xact_start > clock_timestamp() - interval '2 minutes' and application_name not like '%${readsOnly}')`,
    [],
    "safe_until",
  );
  return row?.until ?? "-infinity";
}

/** What a list, its count, its totals and its file are all read by, so that they are of the same transactions. */
export function transactionConditions(reader: AccountReader, filters: TransactionFilters): Conditions {
  const conditions = conditionsFor(reader, "t.account_id");
  addAccounts(conditions, "t.account_id", filters.account);
  for (const column of equalityColumns) addAnyWord(conditions, `t.${column}`, filters[column]);
  // A provider that no record names would otherwise be looked for in all of them.
  if (filters.provider !== undefined) {
    const names = conditions.bind(filters.provider.map((name) => name.toLowerCase()));
    conditions.add(`exists (select from tieout.account_providers where provider = any (${names}::text[]))`);
  }
  if (filters.is_final !== undefined) conditions.add(filters.is_final ? "t.is_final" : "not t.is_final");
  for (const { column, operator, value } of filters.ranges) {
    const type = column.endsWith("amount") ? "numeric" : "timestamptz";
    conditions.add(`t.${column} ${operator} ${conditions.bind(value)}::${type}`);
  }
  if (filters.class !== undefined) conditions.add(isInClass(filters.class));
  if (filters.q !== undefined) conditions.add(matches(reader, filters.q, conditions));
  return conditions;
}

/** Shorter ones are looked up whole: a short prefix is shared by half the table, and names are indexed by their first eight. */
const prefixLengthMin = 8;

/**
 * Any id, hash, address or reference, whole or by its beginning. As a union of look-ups: as one `or` the planner would
 * rather walk the whole table in order of time. A name is looked for by its beginning only where none is found whole,
 * because ids that are counted up share their beginnings with millions.
 */
function matches(
  reader: AccountReader,
  q: NonNullable<TransactionFilters["q"]>,
  conditions: Conditions,
): string {
  const accounts =
    reader.accountIds === null
      ? "select id from tieout.accounts"
      : `select unnest(${conditions.bind(reader.accountIds)}::int[])`;
  const whole = conditions.bind(nameForms(q.text));
  const isId =
    q.text.length < prefixLengthMin
      ? `transaction_id = any (${whole}::text[])`
      : `(transaction_id = any (${whole}::text[]) or transaction_id like ${conditions.bind(asPrefix(q.text))})`;
  const forms = `unnest(${conditions.bind(nameForms(q.text))}::text[])`;
  const kinds = `${conditions.bind(["provider_id", "reference", "hash", ...(q.wallets ? ["wallet"] : [])])}::text[]`;
  // With the name as a value the planner knows how few names begin so; joined, it would expect many, and read them all.
  const byPrefix = (form: string) => {
    const first = `hashtext("left"(${form}::text, 8))::bigint << 32`;
    return `
    union
    select k.account_id, k.transaction_id
    from tieout.transaction_keys as k
    where k.name_hash between ${first} and (${first}) | 4294967295
      and starts_with(k.key, ${form}::text)
      and k.kind = any (${kinds})
      and k.account_id in (${accounts})
      and not exists (select from found)`;
  };
  return `(t.account_id, t.transaction_id) in (
    with found as materialized (
      select a.id as account_id, named.transaction_id
      from (${accounts}) as a (id)
      cross join unnest(${kinds}) as wanted (kind)
      cross join ${forms} as name (form)
      cross join lateral tieout.named(a.id, wanted.kind, name.form) as named
    )
    select account_id, transaction_id
    from tieout.transactions
    where account_id in (${accounts}) and ${isId}
    union
    select account_id, transaction_id
    from found
${nameForms(q.text)
  .filter((form) => form.length >= prefixLengthMin)
  .map((form) => byPrefix(conditions.bind(form)))
  .join("")}
  )`;
}

function asPrefix(text: string): string {
  return `${text.replace(/[\\%_]/g, "\\$&")}%`;
}
