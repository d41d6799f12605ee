import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { type Instant, parseInstant } from "../../core/instant.ts";
import { columnsWithout } from "../columns-without.ts";
import { type AccountReader, addAnyOf, anyOf, conditionsFor, type Filters, seenBy } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accounts } from "../schema/accounts.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/**
 * Without what has been read of it, which may be thousands of ranges; and with its state as people see it: the view decides
 * when an account counts as failing. For `withState`.
 */
export const accountColumns = {
  ...columnsWithout(accounts, "covered", "refusedCredentials", "pausedReason", "pausedAt"),
  state: sql<string>`f.state`,
  stateReason: sql<string | null>`f.state_reason`,
  stateSince: sql<string | null>`f.state_since::text`,
};

/** What to join for `accountColumns`. */
export const withState = [sql`reporting.data_freshness as f`, sql`f.account = ${accounts.name}`] as const;

export type AccountRow = Omit<
  typeof accounts.$inferSelect,
  "covered" | "refusedCredentials" | "pausedReason" | "pausedAt"
> & { stateReason: string | null; stateSince: string | null };

export interface FreshnessRow {
  name: string;
  data_as_of: string | null;
  lag_seconds: number | null;
  last_success_at: string | null;
  open_windows: number;
  failed_windows: number;
  quarantined: number;
  state: string;
  state_reason: string | null;
  state_since: string | null;
}

export interface CoverageRow {
  name: string;
  sync_start: string;
  planned_to: string | null;
  covered: TimeSpan[];
  covered_count: number;
  gaps: TimeSpan[];
  gap_count: number;
  share: number;
}

export interface TimeSpan {
  from: string;
  to: string;
}

/** For screens that say something of all accounts. They come from a configuration, so there are never so many. */
export const everyAccount: PageWanted = { limit: 10_000, after: null };

export const accountPaging = pagingBy(accounts, "ascending", "name");

export async function listAccounts(
  reader: AccountReader,
  filters: Filters<"account">,
  page: PageWanted,
): Promise<Page<AccountRow>> {
  const select = reader.database.orm
    .select(accountColumns)
    .from(accounts)
    .innerJoin(...withState)
    .$dynamic();
  return selectPage(select, accountPaging, page, [
    seenBy(reader, accounts.id),
    anyOf(accounts.name, filters.account),
  ]);
}

export interface ReportableAccount {
  id: number;
  name: string;
  syncStart: Instant;
  /** How far it has been read, or had been by a time; `null` when nothing has. */
  coveredTo: Instant | null;
}

export async function reportableAccounts(
  database: Queryable,
  accountIds: readonly number[] | null,
  knownAt: Instant | null = null,
): Promise<ReportableAccount[]> {
  const covered =
    knownAt === null
      ? accounts.covered
      : sql`(select known.covered from tieout.read_at(array[${accounts.id}], ${knownAt}::timestamptz) as known)`;
  const instant = (at: SQL | PgColumn) => sql<string>`to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  const rows = await database.orm
    .select({
      id: accounts.id,
      name: accounts.name,
      syncStart: instant(accounts.syncStart),
      coveredTo: instant(sql`upper(${covered})`),
    })
    .from(accounts)
    .where(seenBy({ accountIds }, accounts.id))
    .orderBy(accounts.name);
  return rows.map(({ syncStart, coveredTo, ...account }) => ({
    ...account,
    syncStart: parseInstant(syncStart) as Instant,
    coveredTo: parseInstant(coveredTo ?? ""),
  }));
}

/** Whether any of these accounts had one by then. */
export async function hasFunctionalCurrency(
  database: Queryable,
  { accountIds, knownAt }: { accountIds: readonly number[]; knownAt: Instant },
): Promise<boolean> {
  const [row] = await database.query<{ any: boolean }>(
    `select exists (
       select
       from unnest($1::int[]) as one (account_id)
       where tieout.account_setting(one.account_id, 'functional_currency', $2::timestamptz) #>> '{}' is not null
     ) as any`,
    [accountIds, knownAt],
  );
  return row?.any ?? false;
}

export async function listFreshness(
  reader: AccountReader,
  filters: Filters<"account">,
  page: PageWanted,
): Promise<Page<FreshnessRow>> {
  return readAccounts(reader, filters, page, {
    select: `a.name, f.data_as_of::text, f.lag_seconds, f.last_success_at::text, f.open_windows::int,
      f.failed_windows::int, f.quarantined::int, f.state, f.state_reason, f.state_since::text`,
    from: "tieout.accounts as a join reporting.data_freshness as f on f.account = a.name",
  });
}

/** The oldest of the accounts decides: up to then all of them have been read. */
export async function dataAsOf(reader: AccountReader): Promise<string | null> {
  const conditions = conditionsFor(reader, "a.id");
  const [row] = await reader.database.query<{ data_as_of: string | null }>(
    `select case when count(*) = count(f.data_as_of) then min(f.data_as_of)::text end as data_as_of
     from tieout.accounts as a
     join reporting.data_freshness as f on f.account = a.name
     where ${conditions.toSql()}`,
    conditions.values,
  );
  return row?.data_as_of ?? null;
}

/** Beyond this many a list of ranges is not a reading for anyone; the count still says how many there are. */
const rangesShownMax = 1_000;

export async function listCoverage(
  reader: AccountReader,
  filters: Filters<"account">,
  page: PageWanted,
): Promise<Page<CoverageRow>> {
  const whole = "nullif(extract(epoch from c.planned_to - c.sync_start), 0)";
  return readAccounts(reader, filters, page, {
    select: `a.name, c.sync_start::text, c.planned_to::text, ${spans("c.covered")} as covered,
      ${count("c.covered")} as covered_count, ${spans("c.gaps")} as gaps, ${count("c.gaps")} as gap_count,
      coalesce(1 - coalesce(${seconds("c.gaps")}, 0) / ${whole}, 0)::double precision as share`,
    from: "tieout.accounts as a join reporting.sync_coverage as c on c.account = a.name",
  });
}

function spans(ranges: string): string {
  return `coalesce((
      select json_agg(json_build_object('from', lower(part)::text, 'to', upper(part)::text) order by part)
      from (select part from unnest(${ranges}) as part order by part limit ${rangesShownMax}) as shown), '[]')`;
}

function count(ranges: string): string {
  return `(select count(*)::int from unnest(${ranges}))`;
}

function seconds(ranges: string): string {
  return `(select sum(extract(epoch from upper(part) - lower(part))) from unnest(${ranges}) as part)`;
}

const byName: Keyset = { keys: [{ expression: "a.name", kind: "text" }], descending: false };

async function readAccounts<Row extends object>(
  reader: AccountReader,
  filters: Filters<"account">,
  page: PageWanted,
  question: { select: string; from: string },
): Promise<Page<Row>> {
  const conditions = conditionsFor(reader, "a.id");
  addAnyOf(conditions, "a.name", filters.account);
  return readPage<Row>(reader.database, { ...question, conditions, keyset: byName, page });
}
