import { and, desc, eq, getTableColumns, isNotNull, isNull } from "drizzle-orm";
import { type AccountReader, anyOf, type Filters, ofAccounts, seenBy } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { accounts } from "../schema/accounts.ts";
import { alerts } from "../schema/alerts.ts";
import { pagingBy, selectPage } from "../select-page.ts";

export type Alert = typeof alerts.$inferSelect;

/**
 * Holds every rule against what is true now: what has come to be true is raised once, what is no longer true is cleared.
 * Rules that send webhooks write their events with it.
 */
export async function judgeAlerts(tx: Transaction): Promise<{ raised: number; cleared: number }> {
  const [row] = await tx.query<{ raised: number; cleared: number }>(
    `with found as (
       ${found}
     ), cleared as (
       update tieout.alerts as a
       set cleared_at = clock_timestamp()
       where a.cleared_at is null
         and not exists (select from found as f where f.rule_id = a.rule_id and f.subject = a.subject)
       returning a.*
     ), raised as (
       insert into tieout.alerts (rule_id, account_id, kind, subject, title, path)
       select f.rule_id, f.account_id, f.kind, f.subject, f.title, f.path
       from found as f
       where not exists (
         select from tieout.alerts as a
         where a.rule_id = f.rule_id and a.subject = f.subject and a.cleared_at is null
       )
       order by f.rule_id, f.subject
       on conflict do nothing
       returning *
     ), told as (
       ${tell("select raised.*, 'alert.raised' as type from raised union all select cleared.*, 'alert.cleared' from cleared")}
     )
     select (select count(*)::int from raised) as raised, (select count(*)::int from cleared) as cleared`,
  );
  return row ?? { raised: 0, cleared: 0 };
}

/** Clears what a rule had found, and tells everyone who was told of it. Called before the rule itself is removed. */
export async function clearAlertsOf(tx: Transaction, ruleId: number): Promise<void> {
  await tx.query(
    `with cleared as (
       update tieout.alerts set cleared_at = clock_timestamp() where rule_id = $1 and cleared_at is null returning *
     )
     ${tell("select cleared.*, 'alert.cleared' as type from cleared")}`,
    [ruleId],
  );
}

/** Events about alerts, each with the type of its event, of rules that send webhooks. */
function tell(alertsWithType: string): string {
  return `insert into tieout.events (account_id, type, subject, data)
       select a.account_id, a.type, 'alert ' || a.id,
              jsonb_build_object('id', 'alr_' || a.id, 'kind', a.kind, 'account', account.name, 'title', a.title, 'path', a.path)
       from (${alertsWithType}) as a
       join tieout.alert_rules as r on r.id = a.rule_id and r.by_webhook
       left join tieout.accounts as account on account.id = a.account_id
       where tieout.is_told('alert.raised', 'alert.cleared')`;
}

const watched = (account: string) => `(r.account_ids is null or ${account} = any (r.account_ids))`;

/** One row for each thing that a rule says someone should know. */
const found = `select r.id as rule_id, r.kind, a.id as account_id, 'account ' || a.id as subject,
              'Data of account ' || a.name || ' is more than ' || justify_interval(r.limit_seconds * interval '1 second') || ' old' as title,
              '/sync' as path
       from tieout.alert_rules as r
       join tieout.accounts as a on ${watched("a.id")}
       join reporting.data_freshness as f on f.account = a.name
       where r.kind = 'data_old'
         and coalesce(f.lag_seconds, extract(epoch from clock_timestamp() - a.created_at)) > r.limit_seconds
       union all
       select r.id, r.kind, a.id, 'currency ' || r.currency,
              'Open discrepancies in ' || r.currency || ' add up to more than ' || trim_scale(r.limit_amount)
                || coalesce(', account ' || a.name, ''),
              '/discrepancies'
       from tieout.alert_rules as r
       left join tieout.accounts as a on r.account_ids = array[a.id]
       where r.kind = 'value_at_risk'
         and (select sum(d.value)
              from tieout.discrepancies as d
              where d.state in ('open', 'investigating')
                and lower(d.value_currency) = lower(r.currency)
                and ${watched("d.account_id")}) > r.limit_amount
       union all
       select r.id, r.kind, d.account_id, 'discrepancy ' || d.id,
              case
                when d.code = 'payout_not_received' then 'Payout ' || p.payout_ref || ' of ' || d.provider || ' has not arrived'
                else case d.code when 'payout_overdue' then 'A payout of ' else 'A statement of ' end || d.provider || ' for '
                  || to_char(d.period_from at time zone 'UTC', 'YYYY-MM-DD') || ' to ' || to_char(d.period_to at time zone 'UTC', 'YYYY-MM-DD')
                  || ' is overdue'
              end || ', account ' || a.name,
              '/discrepancies/' || d.id
       from tieout.alert_rules as r
       join tieout.discrepancies as d
         on d.code = any (case r.kind
              when 'payout_overdue' then array['payout_overdue', 'payout_not_received']
              when 'statement_missing' then array['statement_overdue']
            end)
        and d.state in ('open', 'investigating')
        and ${watched("d.account_id")}
       join tieout.accounts as a on a.id = d.account_id
       left join tieout.payouts as p on p.id = d.payout_id
       union all
       select r.id, r.kind, a.id, 'account ' || a.id, 'Account ' || a.name || ' is ' || a.state, '/sync'
       from tieout.alert_rules as r
       join tieout.accounts as a on a.state <> 'active' and ${watched("a.id")}
       where r.kind = 'account_paused'
       union all
       select r.id, r.kind, a.id, 'account ' || a.id, 'Records of account ' || a.name || ' are in quarantine', '/sync/quarantine'
       from tieout.alert_rules as r
       join tieout.accounts as a on ${watched("a.id")}
       where r.kind = 'quarantine'
         and exists (select from tieout.quarantined_records as q where q.account_id = a.id)`;

export async function hasRules(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ any: boolean }>(
    `select exists (select from tieout.alert_rules)
         or exists (select from tieout.alerts where cleared_at is null)
         or exists (select from tieout.alert_settings where digest_at is not null) as any`,
  );
  return row?.any ?? false;
}

/** What is true now, for those who may see the account. */
export async function listOpenAlerts(reader: AccountReader): Promise<Alert[]> {
  return reader.database.orm
    .select()
    .from(alerts)
    .where(and(seenBy(reader, alerts.accountId), isNull(alerts.clearedAt)))
    .orderBy(desc(alerts.raisedAt), desc(alerts.id))
    .limit(500);
}

/** An alert with the name of its account. */
export type NamedAlert = Alert & { account: string | null };

export const alertPaging = pagingBy(alerts, "descending", "raisedAt", "id");

/** `state`: open, cleared, or both. */
export async function listAlerts(
  reader: AccountReader,
  filters: Filters<"state" | "kind" | "account">,
  page: PageWanted,
): Promise<Page<NamedAlert>> {
  const select = reader.database.orm
    .select({ ...getTableColumns(alerts), account: accounts.name })
    .from(alerts)
    .leftJoin(accounts, eq(accounts.id, alerts.accountId))
    .$dynamic();
  const [state, ...others] = new Set(filters.state ?? []);
  const inState = state === "open" ? isNull(alerts.clearedAt) : isNotNull(alerts.clearedAt);
  return selectPage(select, alertPaging, page, [
    seenBy(reader, alerts.accountId),
    anyOf(alerts.kind, filters.kind),
    ofAccounts(alerts.accountId, filters.account),
    state === undefined || others.length > 0 ? undefined : inState,
  ]);
}

/** The process that holds this row judges and sends; the others have nothing to do. */
export async function holdAlertSettings(tx: Transaction): Promise<{ digestDay: string | null } | null> {
  await tx.query("insert into tieout.alert_settings default values on conflict do nothing");
  const [row] = await tx.query<{ digestDay: string | null }>(
    `select digest_day as "digestDay" from tieout.alert_settings for update skip locked`,
  );
  return row ?? null;
}

/** Open alerts of rules that send e-mail, which have not gone out yet. */
export async function listToEmail(tx: Transaction): Promise<Alert[]> {
  return tx.query<Alert>(
    `select a.id::int as id, a.kind, a.title, a.path, a.raised_at::text as "raisedAt"
     from tieout.alerts as a
     join tieout.alert_rules as r on r.id = a.rule_id and r.by_email
     where a.cleared_at is null and a.emailed_at is null
     order by a.raised_at, a.id`,
  );
}

export async function noteEmailed(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query("update tieout.alerts set emailed_at = clock_timestamp() where id = any ($1::bigint[])", [
    ids,
  ]);
}

export async function noteDigest(tx: Transaction, day: string): Promise<void> {
  await tx.query("update tieout.alert_settings set digest_day = $1", [day]);
}
