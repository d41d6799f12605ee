import { MINUTE } from "../../core/duration.ts";
import { type AccountReader, conditionsFor } from "../conditions.ts";
import { readCoverage } from "../windows/coverage.ts";
import { reportableAccounts } from "./account-reads.ts";

/** How far a new service has come, computed from its tables; nothing is ticked by hand. */
export interface Onboarding {
  accounts: { name: string; answered: boolean; trouble: string | null; share: number }[];
  statements: number;
  providers: number;
  /** Providers for which someone has set something. */
  providersSet: number;
  people: number;
  monthsClosed: number;
}

/** More accounts than anyone begins with: of these the rest is for Sync. */
const accountsMax = 20;

/** What is younger is still on its way, and no gap. */
const settledAfterMs = 15 * MINUTE;

export async function readOnboarding(reader: AccountReader, nowMs: number): Promise<Onboarding> {
  const { database, accountIds } = reader;
  const known = (await reportableAccounts(database, accountIds)).slice(0, accountsMax);
  const states = await database.query<{ id: number; answered: boolean; trouble: string | null }>(
    `select id, last_success_at is not null as answered, coalesce(paused_reason, last_error) as trouble
     from tieout.accounts
     where id = any ($1)`,
    [known.map(({ id }) => id)],
  );
  const conditions = conditionsFor(reader, "account_id");
  const [counts] = await database.query<Omit<Onboarding, "accounts">>(
    `with used as (
       select account_id, provider from tieout.account_providers where ${conditions.toSql()} and provider <> ''
     )
     select (select count(*)::int from tieout.statements where withdrawn_at is null and ${conditions.toSql()}) as statements,
            (select count(*)::int from used) as providers,
            (select count(*)::int
             from used
             where exists (
               select
               from tieout.provider_settings as s
               where s.provider in (used.provider, '*')
                 and (s.account_id = used.account_id or s.account_id is null)
                 and s.kind <> 'profile'
             )) as "providersSet",
            (select count(*)::int from tieout.people where state <> 'suspended') as people,
            (select count(*)::int from tieout.periods where state = 'closed' and ${conditions.toSql()}) as "monthsClosed"`,
    conditions.values,
  );
  const to = new Date(nowMs - settledAfterMs).toISOString();
  const accounts = await Promise.all(
    known.map(async ({ id, name }) => {
      const { answered = false, trouble = null } = states.find((each) => each.id === id) ?? {};
      return { name, answered, trouble, share: (await readCoverage(database, id, { to })).share };
    }),
  );
  const none = { statements: 0, providers: 0, providersSet: 0, people: 0, monthsClosed: 0 };
  return { accounts, ...(counts ?? none) };
}
