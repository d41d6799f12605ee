-- What others are told: the outbox of events, how each fact gets into it, and what the tables mean.

-- ---------------------------------------------------------------------------------------------------------------------
-- The outbox. A fact and its event are one database transaction; without an endpoint that wants it, no event is written.
-- The statement that records pages calls tell_transactions by itself (src/store/transactions/record-pages-sql.ts): a trigger
-- would cost every page, whether anybody listens or not.
-- ---------------------------------------------------------------------------------------------------------------------

-- Whether any endpoint wants one of these, a disabled one included: what it missed can be sent again once it is enabled.
create function tieout.is_told(variadic types text[]) returns boolean
language sql stable as $$
  select exists (select from tieout.webhook_endpoints as e where e.events && (types || '{*}'))
$$;

comment on function tieout.is_told(text[]) is 'Whether any webhook endpoint wants events of one of these types.';

-- Numbers are drawn while the subject's row is locked, so events of one subject are numbered in the order of commits.
create function tieout.address_event() returns trigger
language plpgsql as $$
begin
  -- This one is for one endpoint alone, and whoever writes it says which.
  if new.type = 'webhook.test' then return null; end if;
  insert into tieout.webhook_deliveries (endpoint_id, event_id, subject)
  select e.id, new.id, coalesce(new.account_id, 0) || ' ' || new.subject
  from tieout.webhook_endpoints as e
  where e.state = 'enabled'
    and e.events && array[new.type, '*']
    and (e.account_ids is null or new.account_id = any (e.account_ids));
  -- Heard when it is committed; many in one transaction are one.
  if found then perform pg_notify('tieout_webhooks', ''); end if;
  return null;
end
$$;

-- A delivery is claimed and settled: with room left in its page, the claim touches no index.
alter table tieout.webhook_deliveries set (fillfactor = 70);

create trigger address_event after insert on tieout.events
  for each row execute function tieout.address_event();

-- A changed endpoint is noticed at once, too.
create function tieout.ring_webhooks() returns trigger
language plpgsql as $$
begin
  perform pg_notify('tieout_webhooks', '');
  return null;
end
$$;

create trigger ring_webhooks after insert or update of url, events, account_ids, state, secret_version on tieout.webhook_endpoints
  for each statement execute function tieout.ring_webhooks();

-- Transactions whose latest row a page has changed, with the windows of that page. What a backfill reads is history, and no
-- news. Strict: with nothing to tell it is not called at all.
create function tieout.tell_transactions(account_ids integer[], transaction_ids text[], window_ids bigint[]) returns integer
language plpgsql strict as $$
declare
  told integer;
begin
  insert into tieout.events (account_id, type, subject, at, data)
  select t.account_id, 'transaction.changed', 'transaction ' || t.transaction_id, t.last_changed_at,
         jsonb_build_object('account', a.name, 'transaction_id', t.transaction_id, 'status', t.status, 'is_final', t.is_final,
           'status_date', to_char(t.status_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'provider', t.provider, 'transaction_type', t.transaction_type, 'record_hash', encode(t.record_hash, 'hex'))
  from unnest(account_ids, transaction_ids, window_ids) as changed (account_id, transaction_id, window_id)
  join tieout.sync_windows as w on w.id = changed.window_id and w.kind <> 'backfill'
  join tieout.transactions as t on t.account_id = changed.account_id and t.transaction_id = changed.transaction_id
  join tieout.accounts as a on a.id = changed.account_id
  order by t.account_id, t.transaction_id;
  get diagnostics told = row_count;
  return told;
end
$$;

comment on function tieout.tell_transactions(integer[], text[], bigint[]) is 'Writes transaction.changed into the outbox for transactions whose latest row has changed.';

create function tieout.tell_discrepancies() returns trigger
language plpgsql as $$
begin
  if not tieout.is_told('discrepancy.raised', 'discrepancy.cleared', 'discrepancy.assigned') then return null; end if;
  insert into tieout.events (account_id, type, subject, at, data)
  select d.account_id, told.type, 'discrepancy ' || d.id, happened.at,
         jsonb_build_object('account', a.name, 'id', 'dis_' || d.id, 'event', happened.event, 'code', d.code, 'level', d.level,
           'provider', d.provider, 'state', happened.state, 'owner', happened.owner, 'transaction_id', d.transaction_id,
           'payout', 'po_' || d.payout_id, 'value', trim_scale(d.value)::text, 'value_currency', d.value_currency)
  from added as happened
  join tieout.discrepancies as d on d.id = happened.discrepancy_id
  join tieout.accounts as a on a.id = d.account_id
  join (values ('raised', 'discrepancy.raised'), ('reopened', 'discrepancy.raised'),
               ('agreed', 'discrepancy.cleared'), ('resolved', 'discrepancy.cleared'), ('written_off', 'discrepancy.cleared'),
               ('assigned', 'discrepancy.assigned')) as told (event, type) on told.event = happened.event
  where tieout.is_told(told.type)
  order by happened.id;
  return null;
end
$$;

create trigger tell after insert on tieout.discrepancy_events
  referencing new table as added
  for each statement execute function tieout.tell_discrepancies();

-- A payout is declared when a statement first says what is paid, and again when another amount is said.
create function tieout.tell_payout() returns trigger
language plpgsql as $$
begin
  if not tieout.is_told('payout.declared') then return null; end if;
  insert into tieout.events (account_id, type, subject, data)
  select new.account_id, 'payout.declared', 'payout ' || new.id,
         jsonb_build_object('account', a.name, 'id', 'po_' || new.id, 'provider', new.provider, 'payout_ref', new.payout_ref,
           'currency', new.currency, 'net_declared', trim_scale(new.net_declared)::text,
           'net_computed', trim_scale(new.net_computed)::text, 'status', new.status)
  from tieout.accounts as a
  where a.id = new.account_id;
  return null;
end
$$;

create trigger tell_new after insert on tieout.payouts
  for each row when (new.net_declared is not null) execute function tieout.tell_payout();
create trigger tell_changed after update of net_declared on tieout.payouts
  for each row when (new.net_declared is not null and new.net_declared is distinct from old.net_declared)
  execute function tieout.tell_payout();

-- What has arrived of payouts, against what was known of them at the run before. Received: nothing is missing. Short: something is,
-- also where all of it is missing because a bank line was taken back. The run over an account's receipts calls this by itself
-- (src/store/receipts/tell-receipts.ts), once matches and findings both say the new state.
create function tieout.tell_receipts(of_account integer, known_before timestamptz) returns integer
language plpgsql as $$
declare
  told integer;
begin
  if not tieout.is_told('payout.received', 'payout.short') then return 0; end if;
  with moved as (                                           -- only these are judged: an account may have very many payouts
    select m.payout_id
    from tieout.receipt_matches as m
    where m.account_id = of_account
      and (m.matched_at > known_before or m.ended_at > known_before)
    union
    select p.id
    from tieout.findings as f
    join tieout.payouts as p
      on p.account_id = f.account_id
     and p.provider = f.provider
     and p.payout_ref = f.payout_ref
     and p.currency = f.currency
    where f.account_id = of_account
      and f.code in ('payout_short', 'payout_over')
      and (f.known_from > known_before or f.known_to > known_before)
  ), stands as (
    select p.id, p.account_id, p.provider, p.payout_ref, p.currency, coalesce(p.net_declared, p.net_computed) as expected,
           held.received, held.bank_fee, held.state,
           case when held.state in ('received', 'over') then 'payout.received' else 'payout.short' end as type
    from moved
    join tieout.payouts as p on p.id = moved.payout_id
    cross join lateral tieout.payout_received(p, 'infinity', 'infinity') as held
    cross join lateral tieout.payout_received(p, 'infinity', known_before) as before
    where (held.state, held.received, held.bank_fee) is distinct from (before.state, before.received, before.bank_fee)
      and (held.state in ('received', 'over', 'short') or before.state in ('received', 'over', 'short'))
  )
  insert into tieout.events (account_id, type, subject, data)
  select s.account_id, s.type, 'payout ' || s.id,
         jsonb_build_object('account', a.name, 'id', 'po_' || s.id, 'provider', s.provider, 'payout_ref', s.payout_ref,
           'currency', s.currency, 'expected', trim_scale(s.expected)::text, 'received', s.received::text,
           'bank_fee', s.bank_fee::text, 'state', s.state)
  from stands as s
  join tieout.accounts as a on a.id = s.account_id
  where tieout.is_told(s.type)
  order by s.id;
  get diagnostics told = row_count;
  return told;
end
$$;

comment on function tieout.tell_receipts(integer, timestamptz) is 'Writes payout.received and payout.short into the outbox for payouts of which something else has arrived than was known at a time.';

-- What was signed about a month. A preparation that has lapsed is told as well: who heard of it would count on it.
create function tieout.tell_period() returns trigger
language plpgsql as $$
declare
  told text := case new.event when 'prepared' then 'period.prepared' when 'lapsed' then 'period.lapsed'
                              when 'approved' then 'period.closed' when 'reopened' then 'period.reopened' end;
begin
  if not tieout.is_told(told) then return null; end if;
  insert into tieout.events (account_id, type, subject, at, data)
  select new.account_id, told, 'period ' || new.month, new.at,
         jsonb_build_object('account', a.name, 'month', new.month, 'timezone', new.zone,
           'from', to_char(new.from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'to', to_char(new.to_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'state', p.state, 'by', new.actor_name, 'reason', new.reason,
           'known_at', to_char(new.known_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           'pack_sha256', encode(new.pack_sha256, 'hex'))
  from tieout.accounts as a
  join tieout.periods as p on p.account_id = a.id and p.month = new.month
  where a.id = new.account_id;
  return null;
end
$$;

-- After fold_event, which comes first by its name: the period is then what the event made it.
create trigger tell_event after insert on tieout.period_events
  for each row when (new.event in ('prepared', 'lapsed', 'approved', 'reopened'))
  execute function tieout.tell_period();

create function tieout.tell_statement() returns trigger
language plpgsql as $$
begin
  if not tieout.is_told('statement.imported') then return null; end if;
  insert into tieout.events (account_id, type, subject, data)
  select new.account_id, 'statement.imported', 'statement ' || new.id,
         jsonb_build_object('account', a.name, 'id', 'stm_' || new.id, 'provider', new.provider, 'file_name', new.file_name,
           'sha256', encode(new.sha256, 'hex'))
  from tieout.accounts as a
  where a.id = new.account_id;
  return null;
end
$$;

create trigger tell after insert on tieout.statements
  for each row execute function tieout.tell_statement();

-- The condition comes first, so that the statements that only note a success or a pace call nothing.
create function tieout.tell_account() returns trigger
language plpgsql as $$
declare
  told text := case when new.state = 'active' then 'account.resumed' else 'account.paused' end;
begin
  if not tieout.is_told(told) then return null; end if;
  insert into tieout.events (account_id, type, subject, data)
  values (new.id, told, 'account ' || new.id,
    jsonb_build_object('account', new.name, 'state', new.state, 'reason', new.paused_reason));
  return null;
end
$$;

create trigger tell after update of state on tieout.accounts
  for each row when (new.state is distinct from old.state) execute function tieout.tell_account();

-- ---------------------------------------------------------------------------------------------------------------------
-- What the tables mean
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.webhook_endpoints is 'Who is told about events, and how that goes. Signing secrets are not stored: they are derived from a key outside the database.';
comment on column tieout.webhook_endpoints.id is 'Drawn at random; the API writes wh_ before it.';
comment on column tieout.webhook_endpoints.url is 'Where events are sent.';
comment on column tieout.webhook_endpoints.description is 'Whose it is and what it is for.';
comment on column tieout.webhook_endpoints.events is 'Types of events that it wants; * means all.';
comment on column tieout.webhook_endpoints.account_ids is 'Accounts whose events it gets; null means all.';
comment on column tieout.webhook_endpoints.state is 'enabled or disabled: a disabled one is sent nothing.';
comment on column tieout.webhook_endpoints.disabled_reason is 'Why it is disabled.';
comment on column tieout.webhook_endpoints.disabled_at is 'When it was disabled.';
comment on column tieout.webhook_endpoints.secret_version is 'Which secret signs now; a rotation adds one.';
comment on column tieout.webhook_endpoints.previous_until is 'Until then the secret before the last rotation signs as well.';
comment on column tieout.webhook_endpoints.key_fingerprint is 'The first digits of a hash of the signing key that its secrets are derived from.';
comment on column tieout.webhook_endpoints.created_at is 'When it was created.';
comment on column tieout.webhook_endpoints.created_by is 'Who created it.';
comment on column tieout.webhook_endpoints.failures is 'Attempts that have failed since the last success.';
comment on column tieout.webhook_endpoints.failing_since is 'When the first of them failed; null while deliveries succeed.';
comment on column tieout.webhook_endpoints.last_success_at is 'When a delivery last succeeded, to within five seconds.';
comment on column tieout.webhook_endpoints.last_error is 'Why the last attempt failed.';
comment on column tieout.webhook_endpoints.version is 'Counts changes: two people cannot change one unknowingly.';

comment on table tieout.events is 'The outbox: what happened, written in the database transaction in which it happened, when some endpoint wants it. Kept for 30 days.';
comment on column tieout.events.id is 'Number; evt_ and this number is the id of the event for receivers.';
comment on column tieout.events.account_id is 'The account that it concerns; null for the service as a whole.';
comment on column tieout.events.type is 'What happened, such as transaction.changed.';
comment on column tieout.events.subject is 'What it happened to. Events of one subject are delivered in order.';
comment on column tieout.events.at is 'When it happened.';
comment on column tieout.events.data is 'Ids and a few facts, as receivers get them.';

comment on table tieout.webhook_deliveries is 'One event for one endpoint, and how far its delivery has got.';
comment on column tieout.webhook_deliveries.endpoint_id is 'The endpoint.';
comment on column tieout.webhook_deliveries.event_id is 'The event.';
comment on column tieout.webhook_deliveries.subject is 'Account and subject of the event: an earlier pending one of the same endpoint goes first.';
comment on column tieout.webhook_deliveries.state is 'pending, delivered, or failed after all attempts.';
comment on column tieout.webhook_deliveries.attempts is 'How many attempts were made.';
comment on column tieout.webhook_deliveries.next_at is 'No attempt before this time.';
comment on column tieout.webhook_deliveries.lease_until is 'Until then a sender is trying.';
comment on column tieout.webhook_deliveries.sender is 'The sender that tries or tried last.';
comment on column tieout.webhook_deliveries.status is 'The receiver''s HTTP status at the last attempt; null without an answer.';
comment on column tieout.webhook_deliveries.error is 'Why the last attempt failed.';
comment on column tieout.webhook_deliveries.created_at is 'When the event was addressed to the endpoint.';
comment on column tieout.webhook_deliveries.settled_at is 'When it was delivered or given up; null while pending.';

comment on table tieout.upstream_events is 'Signed hints of the aggregator that a transaction has changed. The transaction is read again; the hint itself changes no figure.';
comment on column tieout.upstream_events.account_id is 'The account whose secret signed it.';
comment on column tieout.upstream_events.event_id is 'The aggregator''s id of the event: a replay is ignored by it.';
comment on column tieout.upstream_events.transaction_id is 'The transaction that is read again.';
comment on column tieout.upstream_events.window_id is 'The window in which it is read.';
comment on column tieout.upstream_events.received_at is 'When it arrived.';

comment on table tieout.alert_rules is 'What people want to be alerted about. The page shows every alert.';
comment on column tieout.alert_rules.id is 'Our number.';
comment on column tieout.alert_rules.kind is 'data_old, value_at_risk, payout_overdue, statement_missing, account_paused or quarantine.';
comment on column tieout.alert_rules.account_ids is 'The accounts that it watches; null means all.';
comment on column tieout.alert_rules.limit_seconds is 'How old data may get, or how late something may be.';
comment on column tieout.alert_rules.limit_amount is 'How much value may be at risk.';
comment on column tieout.alert_rules.currency is 'The currency of that amount.';
comment on column tieout.alert_rules.by_email is 'Whether e-mail is sent.';
comment on column tieout.alert_rules.by_webhook is 'Whether alert.raised and alert.cleared are sent to webhook endpoints.';
comment on column tieout.alert_rules.created_at is 'When it was created.';
comment on column tieout.alert_rules.created_by is 'Who created it.';
comment on column tieout.alert_rules.version is 'Counts changes: two people cannot change one unknowingly.';

comment on table tieout.alert_settings is 'Where alerts go by e-mail and when: one row.';
comment on column tieout.alert_settings.one is 'Always true: there is one row.';
comment on column tieout.alert_settings.recipients is 'E-mail addresses.';
comment on column tieout.alert_settings.zone is 'The time zone of the hours below.';
comment on column tieout.alert_settings.quiet_from is 'From this minute of the day on, e-mail waits; null for no quiet hours.';
comment on column tieout.alert_settings.quiet_to is 'Until this minute of the day, which may be on the next day.';
comment on column tieout.alert_settings.digest_at is 'Minute of the day of the daily digest; null for none.';
comment on column tieout.alert_settings.digest_day is 'The day of the last digest, in that zone.';

comment on table tieout.alerts is 'What rules have found: one row for one thing for as long as it stays true.';
comment on column tieout.alerts.id is 'Our number.';
comment on column tieout.alerts.rule_id is 'The rule that found it.';
comment on column tieout.alerts.account_id is 'The account that it concerns.';
comment on column tieout.alerts.kind is 'The kind of the rule.';
comment on column tieout.alerts.subject is 'Tells two things of one rule apart.';
comment on column tieout.alerts.title is 'One line for people.';
comment on column tieout.alerts.path is 'Where on the page to look.';
comment on column tieout.alerts.raised_at is 'When it was found.';
comment on column tieout.alerts.cleared_at is 'When it was no longer true; null while it is.';
comment on column tieout.alerts.emailed_at is 'When it was sent by e-mail; null while it waits, or when the rule sends none.';
