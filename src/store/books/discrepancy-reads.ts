import { type AccountReader, addAccounts, addAnyOf, type Conditions, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

export interface DiscrepancyRow {
  id: string;
  account: string;
  provider: string;
  code: string;
  level: string;
  subject_kind: string;
  transaction_id: string | null;
  line_id: string | null;
  payout_id: string | null;
  period_from: string | null;
  period_to: string | null;
  expected: string | null;
  actual: string | null;
  delta: string | null;
  currency: string | null;
  expected_text: string | null;
  actual_text: string | null;
  value: string | null;
  value_currency: string | null;
  since: string;
  age_days: number;
  /** Of `age_days`, as in the report of ages. */
  bucket: string;
  near_period_edge: boolean;
  state: string;
  owner: string | null;
  reason: string | null;
  resolved_by: string | null;
  resolved_at: string | null;
  first_seen_at: string;
  last_changed_at: string;
  version: number;
  /** All that the provider needs to answer, from whichever side has it. */
  provider_transaction_id: string | null;
  transaction_hash: string | null;
  payout_ref: string | null;
  statement_id: string | null;
  file_name: string | null;
  line_no: number | null;
}

export interface DiscrepancyFilters {
  /** Whether somebody still has to look at it; left out: all. */
  open?: boolean;
  account?: readonly string[];
  provider?: readonly string[];
  code?: readonly string[];
  level?: readonly string[];
  state?: readonly string[];
  /** `null`: nobody's. */
  owner?: string | null;
  ageDaysMin?: number;
  ageDaysMax?: number;
  value?: { min?: string; max?: string; currency: string };
  transactionId?: readonly string[];
  payoutId?: string;
  sort?: DiscrepancySort;
}

export const discrepancySorts = ["since", "-last_changed_at"] as const;
type DiscrepancySort = (typeof discrepancySorts)[number];

/** Whole UTC days; what is closed ages no more. */
const age = "tieout.age_days(d.since, coalesce(d.resolved_at, clock_timestamp()))";

const exact = (name: string) => `trim_scale(d.${name}) as ${name}`;
const columns = `d.id::text, ${accountName("d")}, d.provider, d.code, d.level, d.subject_kind, d.transaction_id,
  d.line_id::text, d.payout_id::text, d.period_from::text, d.period_to::text, ${["expected", "actual", "delta"].map(exact).join(", ")},
  d.currency, d.expected_text, d.actual_text, ${exact("value")}, d.value_currency, d.since::text, ${age} as age_days,
  tieout.age_bucket(${age}) as bucket, d.near_period_edge, d.state, d.owner, d.reason, d.resolved_by, d.resolved_at::text,
  d.first_seen_at::text, d.last_changed_at::text, d.version,
  coalesce(l.provider_transaction_id, t.provider_transaction_id) as provider_transaction_id,
  coalesce(nullif(t.transaction_hash, ''), l.transaction_hash, p.transaction_hash) as transaction_hash,
  coalesce(l.payout_ref, p.payout_ref) as payout_ref, s.id::text as statement_id, s.file_name, l.line_no`;

const withSides = `tieout.discrepancies as d
  left join tieout.statement_lines as l on l.id = d.line_id
  left join tieout.statements as s on s.id = l.statement_id
  left join tieout.transactions as t on t.account_id = d.account_id and t.transaction_id = d.transaction_id
  left join tieout.payouts as p on p.id = d.payout_id`;

const from = "tieout.discrepancies as d";

/** What waits longest comes first; what was closed last comes first. */
const oldestFirst: Keyset = {
  keys: [
    { expression: "d.since", kind: "time" },
    { expression: "d.id", kind: "integer" },
  ],
  descending: false,
};
const lastClosedFirst: Keyset = {
  keys: [
    { expression: "d.last_changed_at", kind: "time" },
    { expression: "d.id", kind: "integer" },
  ],
  descending: true,
};

export function discrepancyPaging({ open, sort }: Pick<DiscrepancyFilters, "open" | "sort">) {
  return (sort ?? (open === false ? "-last_changed_at" : "since")) === "since"
    ? { keyset: oldestFirst, positionOf: (row: DiscrepancyRow) => [row.since, row.id] }
    : { keyset: lastClosedFirst, positionOf: (row: DiscrepancyRow) => [row.last_changed_at, row.id] };
}

export async function listDiscrepancies(
  reader: AccountReader,
  filters: DiscrepancyFilters,
  page: PageWanted,
): Promise<Page<DiscrepancyRow>> {
  const { keyset } = discrepancyPaging(filters);
  const conditions = conditionsOf(reader, filters);
  return readPage<DiscrepancyRow & Record<string, unknown>>(reader.database, {
    select: columns,
    from: withSides,
    conditions,
    keyset,
    page,
  });
}

export async function readDiscrepancy(reader: AccountReader, id: string): Promise<DiscrepancyRow | null> {
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add(`d.id = ${conditions.bind(id)}::bigint`);
  const [row] = await reader.database.query<DiscrepancyRow & Record<string, unknown>>(
    `select ${columns} from ${withSides} where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

/** All discrepancies of one transaction, the open ones first. */
export async function discrepanciesOf(
  reader: AccountReader,
  key: { accountId: number; transactionId: string },
): Promise<DiscrepancyRow[]> {
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add(`d.account_id = ${conditions.bind(key.accountId)}`);
  conditions.add(`d.transaction_id = ${conditions.bind(key.transactionId)}`);
  return reader.database.query<DiscrepancyRow & Record<string, unknown>>(
    `select ${columns}
     from ${withSides}
     where ${conditions.toSql()}
     order by d.state in ('resolved', 'written_off'), d.since, d.id
     limit 100`,
    conditions.values,
  );
}

export interface ValueTotal {
  currency: string | null;
  discrepancies: number;
  value: string | null;
}

/** How many pass the filters, and their value by currency. */
export async function totalDiscrepancies(
  reader: AccountReader,
  filters: DiscrepancyFilters,
): Promise<ValueTotal[]> {
  const conditions = conditionsOf(reader, filters);
  return reader.database.query<ValueTotal & Record<string, unknown>>(
    `select d.value_currency as currency, count(*)::int as discrepancies, trim_scale(sum(d.value))::text as value
     from ${from}
     where ${conditions.toSql()}
     group by d.value_currency
     order by discrepancies desc, currency
     limit 100`,
    conditions.values,
  );
}

export interface AgeingRow {
  bucket: string;
  currency: string | null;
  discrepancies: number;
  value: string | null;
}

export const ageBuckets = [
  { name: "0-1", min: 0, max: 1 },
  { name: "2-3", min: 2, max: 3 },
  { name: "4-7", min: 4, max: 7 },
  { name: "8-30", min: 8, max: 30 },
  { name: "31-60", min: 31, max: 60 },
  { name: "61-90", min: 61, max: 90 },
  { name: "91+", min: 91, max: null },
] as const;

/** Of what is open: how many and how much, by age and currency. */
export async function ageing(reader: AccountReader): Promise<AgeingRow[]> {
  const conditions = conditionsOf(reader, { open: true });
  return reader.database.query<AgeingRow & Record<string, unknown>>(
    `select tieout.age_bucket((statement_timestamp() at time zone 'UTC')::date - day) as bucket, currency,
            sum(discrepancies)::int as discrepancies, trim_scale(sum(value))::text as value
     from (                           -- by day first: of these there are few, and each is given its bucket once
       select (d.since at time zone 'UTC')::date as day, d.value_currency as currency, count(*) as discrepancies,
              sum(d.value) as value
       from tieout.discrepancies as d
       where ${conditions.toSql()}
       group by 1, 2
     ) as days
     group by 1, 2`,
    conditions.values,
  );
}

function conditionsOf(reader: AccountReader, filters: DiscrepancyFilters): Conditions {
  const conditions = conditionsFor(reader, "d.account_id");
  if (filters.open !== undefined)
    conditions.add(
      filters.open ? "d.state in ('open', 'investigating')" : "d.state in ('resolved', 'written_off')",
    );
  addAccounts(conditions, "d.account_id", filters.account);
  addAnyOf(conditions, "d.provider", filters.provider);
  addAnyOf(conditions, "d.code", filters.code);
  addAnyOf(conditions, "d.level", filters.level);
  addAnyOf(conditions, "d.state", filters.state);
  if (filters.owner === null) conditions.add("d.owner is null");
  else if (filters.owner !== undefined) conditions.add(`d.owner = ${conditions.bind(filters.owner)}`);
  addAnyOf(conditions, "d.transaction_id", filters.transactionId);
  if (filters.payoutId !== undefined)
    conditions.add(`d.payout_id = ${conditions.bind(filters.payoutId)}::bigint`);
  if (filters.ageDaysMin !== undefined)
    conditions.add(`${age} >= ${conditions.bind(filters.ageDaysMin)}::int`);
  if (filters.ageDaysMax !== undefined)
    conditions.add(`${age} <= ${conditions.bind(filters.ageDaysMax)}::int`);
  const { value } = filters;
  if (value !== undefined) {
    if (value.min !== undefined) conditions.add(`d.value >= ${conditions.bind(value.min)}::numeric`);
    if (value.max !== undefined) conditions.add(`d.value <= ${conditions.bind(value.max)}::numeric`);
    conditions.add(`upper(d.value_currency) = upper(${conditions.bind(value.currency)})`);
  }
  return conditions;
}

export interface DiscrepancyEvent {
  id: string;
  at: string;
  actor: string;
  event: string;
  state: string;
  owner: string | null;
  comment: string | null;
  reason: string | null;
  request_id: string | null;
}

const eventColumns =
  "e.id::text, e.at::text, e.actor, e.event, e.state, e.owner, e.comment, e.reason, e.request_id";

const inOrder: Keyset = { keys: [{ expression: "e.id", kind: "integer" }], descending: false };

export const eventPaging = { keyset: inOrder, positionOf: (row: DiscrepancyEvent) => [row.id] };

/** A page of what happened to a discrepancy, in order; nothing where the reader cannot see it. */
export async function pageEvents(
  reader: AccountReader,
  id: string,
  page: PageWanted,
): Promise<Page<DiscrepancyEvent>> {
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add(`e.discrepancy_id = ${conditions.bind(id)}::bigint`);
  return readPage<DiscrepancyEvent & Record<string, unknown>>(reader.database, {
    select: eventColumns,
    from: "tieout.discrepancy_events as e join tieout.discrepancies as d on d.id = e.discrepancy_id",
    conditions,
    keyset: inOrder,
    page,
  });
}

/** All that happened to a discrepancy, in order. The reader has been found to see it. */
export async function listEvents(reader: AccountReader, id: string): Promise<DiscrepancyEvent[]> {
  return reader.database.query<DiscrepancyEvent & Record<string, unknown>>(
    `select ${eventColumns}
     from tieout.discrepancy_events as e
     where e.discrepancy_id = $1::bigint
     order by e.id
     limit 500`,
    [id],
  );
}
