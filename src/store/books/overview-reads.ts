import { eq } from "drizzle-orm";
import { everyAccount } from "../accounts/account-reads.ts";
import { type AccountReader, conditionsFor, seenBy } from "../conditions.ts";
import { accounts } from "../schema/accounts.ts";
import { dailyTotalsProgress } from "../schema/web.ts";
import type { Class } from "./summary.ts";

/** Half-open, in days of a zone: what the totals are kept by. */
export interface Days {
  from: string;
  to: string;
  zone: string;
}

export interface DayFigures {
  day: string;
  transactions: number;
  completed: number;
  open: number;
  /** Canceled or failed. */
  ended: number;
}

export interface ProviderFigures {
  account: string;
  provider: string | null;
  transactions: number;
  completed: number;
  open: number;
  ended: number;
  latest_status_date: string;
}

export interface VolumeFigures {
  currency: string | null;
  transactions: number;
  completed: number;
  completed_amount: string | null;
}

const outcomes = `sum(d.transactions)::int as transactions,
  coalesce(sum(d.transactions) filter (where d.status = 'completed'), 0)::int as completed,
  coalesce(sum(d.transactions) filter (where d.status not in ('completed', 'canceled', 'failed')), 0)::int as open,
  coalesce(sum(d.transactions) filter (where d.status in ('canceled', 'failed')), 0)::int as ended`;

/** Every day of the period, those without transactions included: a chart must not close a gap. */
export async function dayFigures(reader: AccountReader, days: Days): Promise<DayFigures[]> {
  const conditions = conditionsOf(reader, days);
  const from = conditions.bind(days.from);
  const to = conditions.bind(days.to);
  return reader.database.query<DayFigures>(
    `select calendar.day::date::text as day, coalesce(f.transactions, 0) as transactions,
            coalesce(f.completed, 0) as completed, coalesce(f.open, 0) as open, coalesce(f.ended, 0) as ended
     from generate_series(${from}::date, ${to}::date - 1, interval '1 day') as calendar (day)
     left join (
       select d.day, ${outcomes}
       from tieout.daily_totals as d
       where ${conditions.toSql()}
       group by d.day
     ) as f on f.day = calendar.day
     order by calendar.day`,
    conditions.values,
  );
}

/** Of more, those with the most transactions. */
export const providersMax = 100;

export async function providerFigures(reader: AccountReader, days: Days): Promise<ProviderFigures[]> {
  const conditions = conditionsOf(reader, days);
  return reader.database.query<ProviderFigures>(
    `select a.name as account, f.provider, f.transactions, f.completed, f.open, f.ended, f.latest_status_date
     from (
       select d.account_id, d.provider, ${outcomes}, max(d.latest_status_date)::text as latest_status_date
       from tieout.daily_totals as d
       where ${conditions.toSql()}
       group by d.account_id, d.provider
     ) as f
     join tieout.accounts as a on a.id = f.account_id
     order by f.transactions desc, a.name, f.provider
     limit ${providersMax}`,
    conditions.values,
  );
}

/** What customers gave, by currency; the sum is of completed transactions alone. */
export async function volumeFigures(reader: AccountReader, days: Days): Promise<VolumeFigures[]> {
  const conditions = conditionsOf(reader, days);
  return reader.database.query<VolumeFigures>(
    `select d.source_currency as currency, sum(d.transactions)::int as transactions,
            coalesce(sum(d.transactions) filter (where d.status = 'completed'), 0)::int as completed,
            trim_scale(sum(d.in_amount) filter (where d.status = 'completed'))::text as completed_amount
     from tieout.daily_totals as d
     where ${conditions.toSql()}
     group by d.source_currency
     order by completed desc, d.source_currency
     limit 1000`,
    conditions.values,
  );
}

function conditionsOf(reader: AccountReader, days: Days) {
  const conditions = conditionsFor(reader, "d.account_id");
  conditions.add(`d.zone = ${conditions.bind(days.zone)}`);
  conditions.add(`d.day >= ${conditions.bind(days.from)}::date`);
  conditions.add(`d.day < ${conditions.bind(days.to)}::date`);
  return conditions;
}

export interface ClassFigures {
  currency: string | null;
  class: Class;
  transactions: number;
  amount: string | null;
}

/** Of completed transactions: what is tied out, what waits and what disagrees, in money. */
export async function classFigures(reader: AccountReader, days: Days): Promise<ClassFigures[]> {
  const conditions = conditionsOf(reader, days);
  return reader.database.query<ClassFigures>(
    `select d.source_currency as currency, d.class, sum(d.transactions)::int as transactions,
            trim_scale(sum(d.in_amount))::text as amount
     from tieout.daily_totals as d
     where ${conditions.toSql()} and d.class is not null
     group by d.source_currency, d.class
     order by sum(sum(d.transactions)) over (partition by d.source_currency) desc, currency, class
     limit 3000`,
    conditions.values,
  );
}

/** Whether any statement line has been compared with a transaction. */
export async function anyCompared(reader: AccountReader): Promise<boolean> {
  const conditions = conditionsFor(reader, "m.account_id");
  const [row] = await reader.database.query<{ compared: boolean }>(
    `select exists (select from tieout.matches as m where m.state = 'active' and ${conditions.toSql()}) as compared`,
    conditions.values,
  );
  return row?.compared ?? false;
}

/** When the daily totals of a zone were last brought up to date; `null` before the first time. */
export async function totalsAsOf(reader: AccountReader, zone: string): Promise<string | null> {
  const [row] = await reader.database.orm
    .select()
    .from(dailyTotalsProgress)
    .where(eq(dailyTotalsProgress.zone, zone));
  return row?.addedUpTo ?? null;
}

/** The words that filters offer, as far as they occur. */
export async function filterWords(
  reader: AccountReader,
): Promise<{ accounts: string[]; providers: string[]; currencies: string[] }> {
  const conditions = conditionsFor(reader, "d.account_id");
  const wordsOf = (column: "provider" | "source_currency") =>
    `array(
       select distinct d.${column}
       from tieout.daily_totals as d
       where d.zone = 'UTC' and ${conditions.toSql()} and d.${column} <> ''
       order by d.${column}
       limit 1000)`;
  const [words] = await reader.database.query<{ providers: string[]; currencies: string[] }>(
    `select ${wordsOf("provider")} as providers, ${wordsOf("source_currency")} as currencies`,
    conditions.values,
  );
  const names = await reader.database.orm
    .select({ name: accounts.name })
    .from(accounts)
    .where(seenBy(reader, accounts.id))
    .orderBy(accounts.name)
    .limit(everyAccount.limit);
  return {
    accounts: names.map(({ name }) => name),
    providers: words?.providers ?? [],
    currencies: words?.currencies ?? [],
  };
}
