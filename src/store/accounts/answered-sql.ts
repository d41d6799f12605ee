/**
 * Part of what keeps pages: the accounts of `held` were answered. After an outage, windows that gave up on it do not wait for the
 * rest of their quarter of an hour. They keep their failures, so a window that fails by itself is not asked for again and again.
 */
export const answeredSql = `answered as (                 -- every five seconds is enough, and keeps the statements apart: the row is everyone's
  update tieout.accounts as a
  set last_success_at = clock_timestamp(),
      failing_since = null,
      last_error = null,
      state = case when stale.is_admitted then 'active' else a.state end,
      paused_reason = case when stale.is_admitted then null else a.paused_reason end,
      paused_at = case when stale.is_admitted then null else a.paused_at end
  from (select id, is_admitted,
               coalesce(failing_since < clock_timestamp() - interval '2 minutes', false) as was_away
        from tieout.accounts
        cross join lateral (     -- before the next probe is due, an answer is one from before the refusal
          select state = 'refused' and (probe_at is null or probe_at <= clock_timestamp())
        ) as probe (is_admitted)
        where id in (select account_id from held)
          and (last_success_at is null or last_success_at < clock_timestamp() - interval '5 seconds'
               or failing_since is not null or is_admitted)
        order by id              -- one lock order for all workers
        for no key update of accounts) as stale
  where a.id = stale.id
  returning a.id, stale.was_away
), due_again as (                -- nothing was answered for minutes: what gave up on that need not wait any longer
  update tieout.sync_windows as w
  set not_before = null
  from answered
  where answered.was_away
    and w.account_id = answered.id
    and w.state in ('planned', 'failed')
    and w.not_before is not null
    and w.error_code in ('unreachable', 'timeout', 'connection_lost', 'tls_refused', 'server_error')`;
