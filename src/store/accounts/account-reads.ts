import { type AccountReader, addAccounts, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

export interface AccountRow {
  account_id: number;
  name: string;
  base_url: string;
  state: string;
  paused_reason: string | null;
  paused_at: string | null;
  sync_start: string;
  created_at: string;
  last_success_at: string | null;
  catalogue_read_at: string | null;
}

export interface FreshnessRow {
  name: string;
  data_as_of: string | null;
  lag_seconds: number | null;
  last_success_at: string | null;
  open_windows: number;
  failed_windows: number;
  quarantined: number;
  state: string;
  paused_reason: string | null;
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

interface AccountFilters {
  account?: readonly string[];
}

const byName: Keyset = { keys: [{ expression: "a.name", kind: "text" }], descending: false };

export const accountKeyset = { keyset: byName, positionOf: ({ name }: { name: string }) => [name] };

export async function listAccounts(
  reader: AccountReader,
  filters: AccountFilters,
  page: PageWanted,
): Promise<Page<AccountRow>> {
  return readAccounts(reader, filters, page, {
    select: `a.id as account_id, a.name, a.base_url, a.state, a.paused_reason, a.paused_at::text, a.sync_start::text,
      a.created_at::text, a.last_success_at::text, a.catalogue_read_at::text`,
    from: "tieout.accounts as a",
  });
}

export async function listFreshness(
  reader: AccountReader,
  filters: AccountFilters,
  page: PageWanted,
): Promise<Page<FreshnessRow>> {
  return readAccounts(reader, filters, page, {
    select: `a.name, f.data_as_of::text, f.lag_seconds, f.last_success_at::text, f.open_windows::int,
      f.failed_windows::int, f.quarantined::int, f.state, f.paused_reason`,
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

/** Beyond this many a list of ranges is no reading for anybody; the count still says how many there are. */
const rangesShownMax = 1_000;

export async function listCoverage(
  reader: AccountReader,
  filters: AccountFilters,
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

async function readAccounts<Row extends Record<keyof Row, unknown>>(
  reader: AccountReader,
  filters: AccountFilters,
  page: PageWanted,
  question: { select: string; from: string },
): Promise<Page<Row>> {
  const conditions = conditionsFor(reader, "a.id");
  addAccounts(conditions, "a.id", filters.account);
  return readPage<Row & Record<string, unknown>>(reader.database, {
    ...question,
    conditions,
    keyset: byName,
    page,
  });
}
