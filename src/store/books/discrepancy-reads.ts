import { and, count, desc, eq, gte, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import { accountName } from "../accounts/accounts.ts";
import { columnsWithout } from "../columns-without.ts";
import { type AccountReader, anyOf, conditionsFor, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Orm } from "../orm.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { approvals } from "../schema/approvals.ts";
import { decisions, discrepancies, discrepancyEvents } from "../schema/findings.ts";
import { payouts } from "../schema/reconciliation.ts";
import { lineFiles, statementLines, statements } from "../schema/statements.ts";
import { transactions } from "../schema/transactions.ts";
import { type Paging, pagingBy, selectPage } from "../select-page.ts";
import { approverOfDiscrepancy, approverOfEvent } from "./approved-by.ts";
import { byValue } from "./discrepancies-by-value.ts";

export interface DiscrepancyFilters extends Filters<
  "account" | "provider" | "code" | "level" | "state" | "transactionId"
> {
  /** Whether someone still has to look at it; left out: all. */
  open?: boolean;
  /** `null`: nobody's. */
  owner?: string | null | undefined;
  ageDaysMin?: number | undefined;
  ageDaysMax?: number | undefined;
  value?: { min?: string | undefined; max?: string | undefined; currency: string } | undefined;
  payoutId?: number | undefined;
  lineId?: number | undefined;
  /** About lines of this statement. */
  statementId?: number | undefined;
  sort?: DiscrepancySort | undefined;
}

export const discrepancySorts = [
  "since",
  "-since",
  "-value",
  "value",
  "provider",
  "-last_changed_at",
] as const;
export type DiscrepancySort = (typeof discrepancySorts)[number];

/** Whole UTC days; what is closed ages no more. */
const age = sql<number>`tieout.age_days(${discrepancies.since}, coalesce(${discrepancies.resolvedAt}, clock_timestamp()))`;

export type DiscrepancyRow = Awaited<ReturnType<typeof withSides>>[number];

/** With all that the provider needs to answer, from whichever side has it. */
function withSides(orm: Orm) {
  return orm
    .select({
      ...columnsWithout(discrepancies, "fingerprint", "fingerprintVersion", "factsHash"),
      account: accountName(discrepancies.accountId),
      /** As it was then; of what tieout closed, its own. */
      resolvedByName: sql<string | null>`coalesce((select s.decided_by_name from ${decisions} as s
        where s.discrepancy_id = ${discrepancies.id} and s.known_to is null), ${discrepancies.resolvedBy})`,
      approvedByName: approverOfDiscrepancy,
      /** A proposal about it that waits for another person. */
      pendingApprovalId: sql<number | null>`(select w.id::int from ${approvals} as w
        where w.subject = 'dis_' || ${discrepancies.id} and w.kind = 'write_off' and w.state = 'proposed')`,
      ageDays: age,
      /** Of `ageDays`, as in the report of ages. */
      bucket: sql<string>`tieout.age_bucket(${age})`,
      providerTransactionId: sql<string | null>`coalesce(${statementLines.providerTransactionId},
        ${transactions.providerTransactionId})`,
      transactionHash: sql<string | null>`coalesce(nullif(${transactions.transactionHash}, ''),
        ${statementLines.transactionHash}, ${payouts.transactionHash})`,
      payoutRef: sql<string | null>`coalesce(${statementLines.payoutRef}, ${payouts.payoutRef})`,
      statementId: statements.id,
      fileName: statements.fileName,
      lineNo: lineFiles.lineNo,
    })
    .from(discrepancies)
    .leftJoin(statementLines, eq(statementLines.id, discrepancies.lineId))
    .leftJoin(lineFiles, eq(lineFiles.lineId, discrepancies.lineId))
    .leftJoin(statements, eq(statements.id, lineFiles.statementId))
    .leftJoin(
      transactions,
      and(
        eq(transactions.accountId, discrepancies.accountId),
        eq(transactions.transactionId, discrepancies.transactionId),
      ),
    )
    .leftJoin(payouts, eq(payouts.id, discrepancies.payoutId))
    .$dynamic();
}

const pagings: Record<DiscrepancySort, Paging<DiscrepancyRow>> = {
  since: pagingBy(discrepancies, "ascending", "since", "id"),
  "-since": pagingBy(discrepancies, "descending", "since", "id"),
  value: byValue("lowest"),
  "-value": byValue("highest"),
  provider: pagingBy(discrepancies, "ascending", "provider", "since", "id"),
  "-last_changed_at": pagingBy(discrepancies, "descending", "lastChangedAt", "id"),
};

/** What waits longest comes first; of what is closed, what was closed last. */
export function discrepancyPaging({
  open,
  sort,
}: Pick<DiscrepancyFilters, "open" | "sort">): Paging<DiscrepancyRow> {
  return pagings[sort ?? (open === false ? "-last_changed_at" : "since")];
}

export async function listDiscrepancies(
  reader: AccountReader,
  filters: DiscrepancyFilters,
  page: PageWanted,
): Promise<Page<DiscrepancyRow>> {
  const where = conditionsOf(reader, filters);
  return selectPage(withSides(reader.database.orm), discrepancyPaging(filters), page, where);
}

export async function readDiscrepancy(reader: AccountReader, id: number): Promise<DiscrepancyRow | null> {
  const [row] = await withSides(reader.database.orm).where(
    and(seenBy(reader, discrepancies.accountId), eq(discrepancies.id, id)),
  );
  return row ?? null;
}

/** The accounts that some discrepancies are of. */
export async function accountsOfDiscrepancies(
  reader: AccountReader,
  ids: readonly number[],
): Promise<number[]> {
  const rows = await reader.database.orm
    .selectDistinct({ accountId: discrepancies.accountId })
    .from(discrepancies)
    .where(and(seenBy(reader, discrepancies.accountId), inArray(discrepancies.id, [...ids])));
  return rows.map(({ accountId }) => accountId);
}

/** All discrepancies of one transaction, the open ones first. */
export async function discrepanciesOf(
  reader: AccountReader,
  key: { accountId: number; transactionId: string },
): Promise<DiscrepancyRow[]> {
  const { accountId, transactionId, since, id } = discrepancies;
  return withSides(reader.database.orm)
    .where(and(seenBy(reader, accountId), eq(accountId, key.accountId), eq(transactionId, key.transactionId)))
    .orderBy(isClosed, since, id)
    .limit(100);
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
  const { value, valueCurrency: currency } = discrepancies;
  return reader.database.orm
    .select({ currency, discrepancies: count(), value: sql<string | null>`trim_scale(sum(${value}))::text` })
    .from(discrepancies)
    .where(and(...conditionsOf(reader, filters)))
    .groupBy(currency)
    .orderBy(desc(count()), currency)
    .limit(1_000);
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
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add("d.state in ('open', 'investigating')");
  return reader.database.query<AgeingRow>(
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

/** What is owed to us and in doubt: of open errors alone, and each thing once however many codes name it. */
export async function moneyAtRisk(reader: AccountReader): Promise<ValueTotal[]> {
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add("d.state in ('open', 'investigating') and d.level = 'error' and d.owed > 0");
  return reader.database.query(
    `select currency, count(*)::int as discrepancies, trim_scale(sum(owed))::text as value
     from (
       select d.account_id, coalesce(d.transaction_id, 'line ' || d.line_id, encode(d.fingerprint, 'hex')) as subject,
              d.owed_currency as currency, max(d.owed) as owed
       from tieout.discrepancies as d
       where ${conditions.toSql()}
       group by 1, 2, 3
     ) as things
     group by currency
     order by discrepancies desc, currency
     limit 1000`,
    conditions.values,
  );
}

const isOpen = inArray(discrepancies.state, ["open", "investigating"]);
const isClosed = inArray(discrepancies.state, ["resolved", "written_off"]);

function conditionsOf(reader: AccountReader, filters: DiscrepancyFilters): (SQL | undefined)[] {
  const { open, owner, payoutId, ageDaysMin, ageDaysMax, value } = filters;
  const d = discrepancies;
  const given = <T>(wanted: T | undefined, condition: (wanted: T) => SQL | undefined) =>
    wanted === undefined ? undefined : condition(wanted);
  return [
    seenBy(reader, d.accountId),
    given(open, (wanted) => (wanted ? isOpen : isClosed)),
    ofAccounts(d.accountId, filters.account),
    anyOf(d.provider, filters.provider),
    anyOf(d.code, filters.code),
    anyOf(d.level, filters.level),
    anyOf(d.state, filters.state),
    anyOf(d.transactionId, filters.transactionId),
    given(owner, (name) => (name === null ? isNull(d.owner) : eq(d.owner, name))),
    given(payoutId, (id) => eq(d.payoutId, id)),
    given(filters.lineId, (id) => eq(d.lineId, id)),
    given(
      filters.statementId,
      (id) => sql`${d.lineId} in (select line_id from tieout.statement_rows where statement_id = ${id})`,
    ),
    given(ageDaysMin, (days) => gte(age, days)),
    given(ageDaysMax, (days) => lte(age, days)),
    given(value?.min, (amount) => gte(d.value, amount)),
    given(value?.max, (amount) => lte(d.value, amount)),
    given(value?.currency, (currency) => sql`upper(${d.valueCurrency}) = upper(${currency})`),
  ];
}

export type DiscrepancyEvent = Omit<typeof discrepancyEvents.$inferSelect, "facts" | "factsHash"> & {
  approvedByName: string | null;
};

export const eventPaging = pagingBy(discrepancyEvents, "ascending", "id");

/** A page of what happened to a discrepancy, in order; nothing where the reader cannot see it. */
export async function listEvents(
  reader: AccountReader,
  discrepancyId: number,
  page: PageWanted,
): Promise<Page<DiscrepancyEvent>> {
  const select = reader.database.orm
    .select({
      ...columnsWithout(discrepancyEvents, "facts", "factsHash"),
      approvedByName: approverOfEvent,
    })
    .from(discrepancyEvents)
    .innerJoin(discrepancies, eq(discrepancies.id, discrepancyEvents.discrepancyId))
    .$dynamic();
  return selectPage(select, eventPaging, page, [
    seenBy(reader, discrepancies.accountId),
    eq(discrepancyEvents.discrepancyId, discrepancyId),
  ]);
}
