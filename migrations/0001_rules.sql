-- What the tables must obey beyond what Drizzle can say: what may never change, what may not overlap, how keys are
-- compared, and the indexes over expressions. By noun; each object is defined once.

-- ---------------------------------------------------------------------------------------------------------------------
-- History is never rewritten
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.refuse_change() returns trigger
language plpgsql as $$
declare
  -- What may hold personal data, and the hashes that follow from it.
  personal text[] := case tg_table_name
    when 'audit_log' then array['subject', 'before', 'after', 'reason']
    when 'discrepancy_events' then array['facts', 'facts_hash', 'comment', 'reason']
    when 'statement_files' then array['content']
    when 'statement_rows' then array['original_text', 'reason']
    when 'statement_lines' then array['wallet_address', 'address_tag', 'extra', 'content_hash', 'line_key']
    when 'receipt_file_bytes' then array['content']
    when 'receipt_rows' then array['original_text', 'reason']
    when 'receipt_lines' then array['reference', 'end_to_end_id', 'bank_reference', 'hash', 'remittance', 'counterparty', 'bank_account',
      'keys', 'content_hash', 'line_key']
    when 'attachments' then array['file_name', 'kind', 'byte_count', 'sha256', 'content']
    when 'approval_events' then array['reason']
    when 'carried_discrepancies' then array['reason']
    else case when tg_table_name like 'transaction\_statuses%' then array['wallet_address', 'extra', 'record_hash'] end
  end;
begin
  -- The one exception is personal data on its way out, within the database transaction of its erasure (tieout.erase).
  if tg_op = 'UPDATE' and personal is not null
     and exists (select from tieout.erasures where made_in = pg_current_xact_id()::text)
     and to_jsonb(new) - personal = to_jsonb(old) - personal then
    return new;
  end if;
  -- And the bytes of a file that were kept long enough (tieout.forget_statement_files).
  if tg_op = 'DELETE' and tg_table_name = 'statement_files' then
    if exists (select from tieout.forgotten_files as f
               where f.statement_id = old.statement_id and f.made_in = pg_current_xact_id()::text) then
      return old;
    end if;
  end if;
  raise exception '% is append-only: % refused', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end
$$;

-- Append-only: a change is a new row.
create trigger refuse_change before update or delete on tieout.audit_log
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.audit_log
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.transaction_statuses
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.transaction_statuses
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.statement_files
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.statement_files
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.statement_rows
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.statement_rows
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.statement_lines
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.statement_lines
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.provider_settings
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.provider_settings
  for each statement execute function tieout.refuse_change();

create trigger refuse_change before update or delete on tieout.discrepancy_events
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.discrepancy_events
  for each statement execute function tieout.refuse_change();

-- These change, but a row is never deleted: a statement is withdrawn, a match ends, a discrepancy is closed.
create trigger refuse_delete before delete on tieout.statements
  for each row execute function tieout.refuse_change();
create trigger refuse_delete before delete on tieout.matches
  for each row execute function tieout.refuse_change();
create trigger refuse_delete before delete on tieout.discrepancies
  for each row execute function tieout.refuse_change();

-- What the customer paid on a buy, what the customer got on a sell: the amount that a line and a transaction have in common.
create function tieout.line_amount(side text, fiat_gross numeric, fiat_net numeric) returns numeric
language sql immutable parallel safe as $$
  select coalesce(case when side = 'sell' then fiat_net else fiat_gross end, fiat_gross, fiat_net)
$$;

comment on function tieout.line_amount(text, numeric, numeric) is 'The fiat amount of a line that is compared with its transaction: gross of a buy, net of a sell; where that is not stated, the other.';

-- The parts of a line come to no more than the line. A restated line keeps the parts that a person has given its
-- transactions, whatever it says now: that they no longer add up is a finding, and no reason to stop a run.
create function tieout.check_parts() returns trigger
language plpgsql as $$
declare
  line tieout.statement_lines;
begin
  select * into strict line from tieout.statement_lines where id = new.line_id;
  if (select sum(m.part_amount) from tieout.matches as m where m.line_id = line.id and m.part_amount is not null and m.state = 'active')
     <= abs(tieout.line_amount(line.side, line.fiat_gross, line.fiat_net)) then
    return null;
  end if;
  if not exists (
    select
    from tieout.statement_lines as version
    join tieout.matches as m on m.line_id = version.id
    where version.account_id = line.account_id
      and version.provider = line.provider
      and version.line_key = line.line_key
      and version.occurrence = line.occurrence
      and (m.transaction_id, m.part_no, m.part_amount) = (new.transaction_id, new.part_no, new.part_amount)
      and m.id <> new.id
  ) then
    raise exception 'the parts of line % come to more than the line', line.id using errcode = 'check_violation';
  end if;
  return null;
end
$$;

create trigger check_parts after insert on tieout.matches
  for each row when (new.part_amount is not null) execute function tieout.check_parts();

-- ---------------------------------------------------------------------------------------------------------------------
-- Audit log: it numbers and chains its own entries, so that no writer can forget to
-- ---------------------------------------------------------------------------------------------------------------------

-- For views as well, whose readers may not read these tables themselves: so it runs with the rights of the owner.
create function tieout.actor_name(actor text) returns text
language sql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    case
      when actor ~ '^person:\d{1,18}$' then
        (select p.name from tieout.people as p where p.id = substr(actor, 8)::bigint)
      when actor like 'key:%' then
        (select 'key ' || k.name || coalesce(' (' || p.name || ')', '')
         from tieout.api_keys as k
         left join tieout.people as p on p.id = k.owner_id
         where k.id = substr(actor, 5))
      when actor like 'cli:%' then substr(actor, 5) || ' (command line)'
    end,
    actor)
$$;

comment on function tieout.actor_name(text) is 'The name of whoever an actor stands for, as it is now: a person, a key with its owner, or somebody on the command line. Anything else is its own name.';

-- The text that is hashed. jsonb prints its keys in one fixed order, so the same entry always gives the same text.
create function tieout.audit_entry_text(entry tieout.audit_log) returns text
language sql immutable as $$
  select jsonb_build_object(
    'number', entry.number,
    'at', to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'actor', entry.actor,
    'actor_name', entry.actor_name,
    'action', entry.action,
    'subject', entry.subject,
    'before', entry.before,
    'after', entry.after,
    'reason', entry.reason,
    'request_id', entry.request_id
  )::text
$$;

-- Whose turn it is to write to the audit log: whoever holds the lock on this table. Not an advisory lock, because those can
-- be taken by everybody who may log in, and somebody who only reads could then keep keys from being revoked.
create table tieout.audit_turn (unused boolean);

create function tieout.chain_audit_entry() returns trigger
language plpgsql as $$
declare
  head tieout.audit_log;
begin
  -- One writer at a time until the end of its transaction: two entries with one predecessor would fork the chain.
  lock table tieout.audit_turn in exclusive mode;
  select * into head from tieout.audit_log order by number desc limit 1;
  new.number := coalesce(head.number, 0) + 1;
  new.at := clock_timestamp();
  new.actor_name := tieout.actor_name(new.actor);
  new.previous_hash := coalesce(head.hash, sha256(''));
  new.hash := sha256(new.previous_hash || convert_to(tieout.audit_entry_text(new), 'UTF8'));
  -- Heard when it is committed, by whoever writes the newest entry down outside the database.
  perform pg_notify('tieout_audit', '');
  return new;
end
$$;

create trigger chain_entry before insert on tieout.audit_log
  for each row execute function tieout.chain_audit_entry();

-- ---------------------------------------------------------------------------------------------------------------------
-- API keys: never deleted and never given another secret, because the audit log names them for ever
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.keep_api_key() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'UPDATE' then
    raise exception 'api_keys: % refused; revoke the key instead', lower(tg_op) using errcode = 'restrict_violation';
  end if;
  if (new.id, new.name, new.secret_hash, new.role, new.scopes, new.account_ids, new.owner_id)
     is distinct from (old.id, old.name, old.secret_hash, old.role, old.scopes, old.account_ids, old.owner_id) then
    raise exception 'api_keys: what a key may do is fixed; create another' using errcode = 'restrict_violation';
  end if;
  if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
    raise exception 'api_keys: a revoked key stays revoked' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger keep_api_key before update or delete on tieout.api_keys
  for each row execute function tieout.keep_api_key();
-- Says nothing that the one above does not say; the service's role is not granted what this name refuses.
create trigger refuse_delete before delete on tieout.api_keys
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.api_keys
  for each statement execute function tieout.keep_api_key();

-- ---------------------------------------------------------------------------------------------------------------------
-- Windows: no two open windows of a kind overlap, so nothing is read twice at the same time
-- ---------------------------------------------------------------------------------------------------------------------

create extension if not exists btree_gist;

alter table tieout.sync_windows add constraint open_windows_do_not_overlap
  exclude using gist (account_id with =, kind with =, tstzrange(range_from, range_to) with &&)
  where (state in ('planned', 'walking', 'failed'));

-- ---------------------------------------------------------------------------------------------------------------------
-- Transactions
-- ---------------------------------------------------------------------------------------------------------------------

-- Every status moves a row; with room left in its page, the new version stays there, and the update logs only the bytes
-- that differ.
alter table tieout.transactions set (fillfactor = 70);

-- As full as the pages of an index with random keys become by themselves; see schema/transactions.ts.
alter index tieout.transaction_is_kept_once set (fillfactor = 70);

-- ---------------------------------------------------------------------------------------------------------------------
-- Months: status rows and names lie in a partition for each month, so that new rows leave the indexes of old months alone
-- ---------------------------------------------------------------------------------------------------------------------

-- For what is dated outside the months that have been made. Nearly empty, and watched: see tieout doctor.
create table tieout.transaction_statuses_odd partition of tieout.transaction_statuses default;
create table tieout.transaction_keys_odd partition of tieout.transaction_keys default;

create trigger refuse_truncate before truncate on tieout.transaction_statuses_odd
  for each statement execute function tieout.refuse_change();

-- Makes the missing months between two times and returns how many it made. Rows that were dated ahead of their month, and
-- so went to the odd ones, move into it. The service may call this without owning the tables.
create function tieout.make_months(from_at timestamptz, to_at timestamptz) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
-- Attaching a partition waits for everyone who reads the odd one, and whoever comes later waits behind it. Months are made
-- long before they are needed, so giving up and trying again later is better.
set lock_timeout = '2s'
as $$
declare
  month date;
  next_month date;
  parent text;
  part text;
  dated text;
  columns text;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('tieout.make_months', 0));
  for month in
    select generate_series(date_trunc('month', from_at at time zone 'UTC'), to_at at time zone 'UTC', interval '1 month')
  loop
    next_month := month + interval '1 month';
    foreach parent in array array['transaction_statuses', 'transaction_keys'] loop
      part := parent || to_char(month, '_YYYY_MM');
      continue when to_regclass('tieout.' || part) is not null;

      -- The indexes follow when it is attached.
      execute format('create table tieout.%I (like tieout.%I including all excluding indexes)', part, parent);
      execute format('comment on table tieout.%I is %L', part, to_char(month, '"The month" YYYY-MM "of "') || parent || '.');

      dated := case parent when 'transaction_statuses' then 'status_date' else 'month' end;
      select string_agg(quote_ident(attname), ', ' order by attnum)
      into columns
      from pg_attribute
      where attrelid = ('tieout.' || parent)::regclass and attnum > 0 and not attisdropped and attgenerated = '';
      execute format('alter table tieout.%I disable trigger user', parent || '_odd');
      execute format(
        'with moved as (delete from tieout.%1$I where %2$I >= %3$L and %2$I < %4$L returning %5$s)
         insert into tieout.%6$I (%5$s) select %5$s from moved',
        parent || '_odd', dated, month || ' 00:00Z', next_month || ' 00:00Z', columns, part);
      execute format('alter table tieout.%I enable trigger user', parent || '_odd');

      execute format('alter table tieout.%I attach partition tieout.%I for values from (%L) to (%L)',
        parent, part, month || ' 00:00Z', next_month || ' 00:00Z');
      if parent = 'transaction_statuses' then
        execute format('create trigger refuse_truncate before truncate on tieout.%I
          for each statement execute function tieout.refuse_change()', part);
      end if;
      made := made + 1;
    end loop;
  end loop;
  return made;
end
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Keys: the names by which a transaction may be known, in the form in which names are compared
-- ---------------------------------------------------------------------------------------------------------------------

-- These functions run for every record and every line that is stored or matched. They are not strict, so that the
-- planner can inline them.

-- Ids are compared exactly, but a UUID is a number: its letters may be in either case. No regular expression here: it
-- would take a hundred times as long.
create function tieout.comparable_id(id text) returns text
language sql immutable parallel safe as $$
  select case when id like '________-____-____-____-____________' then lower(id) else id end
$$;

comment on function tieout.comparable_id(text) is 'A provider''s id or a reference as it is compared: a UUID in lower case, anything else as it is.';

-- 64 characters, or 0x, are hexadecimal: letters mean the same in either case, 0x may be left out, and leading zeros may
-- have been dropped after it. Base58 and base64 have other lengths and are never folded, because there case matters.
-- Going by length is cheaper than looking at every character, which an import of a million lines would do a million times.
create function tieout.comparable_hash(hash text) returns text
language sql immutable parallel safe as $$
  select case
    when length(hash) = 64 then lower(hash)
    when hash like '0x%' or hash like '0X%' then
      case
        when length(hash) = 66 then lower(substr(hash, 3))
        when length(hash) between 50 and 65 then lpad(lower(substr(hash, 3)), 64, '0')
        else hash
      end
    else nullif(hash, '')
  end
$$;

comment on function tieout.comparable_hash(text) is 'A chain''s transaction hash as it is compared; null for none.';

-- Hexadecimal and bech32 addresses mean the same in either case; base58 does not.
create function tieout.comparable_address(address text) returns text
language sql immutable parallel safe as $$
  select case
    when length(address) = 42 and lower(left(address, 2)) = '0x' then lower(address)
    when lower(left(address, 3)) in ('bc1', 'tb1') or lower(left(address, 4)) = 'ltc1' then lower(address)
    else nullif(address, '')
  end
$$;

comment on function tieout.comparable_address(text) is 'A wallet''s address as it is compared; null for none.';

-- What the index of names holds: 32 bits of a name's first eight characters, so that a prefix finds it, and 32 bits of all
-- of it. Two names may share one; so the name itself is compared too.
create function tieout.name_hash(account_id integer, kind text, key text) returns bigint
language sql immutable parallel safe as $$
  select (hashtext("left"(key, 8))::bigint << 32) | (hashtextextended(kind || key, account_id) & 4294967295)
$$;

comment on function tieout.name_hash(integer, text, text) is 'The hash by which transaction_keys finds a name.';

-- All names that a record brings. Its own id is one only where it is compared in another form than it has.
create function tieout.names_of(
  transaction_id text, provider_transaction_id text, reference text, transaction_hash text, wallet_address text
) returns table (kind text, key text)
language sql immutable parallel safe as $$
  select name.kind, name.key
  from (
    values ('provider_id', tieout.comparable_id(provider_transaction_id)),
           ('reference', tieout.comparable_id(reference)),
           ('reference', nullif(tieout.comparable_id(transaction_id), transaction_id)),
           ('hash', tieout.comparable_hash(transaction_hash)),
           ('wallet', tieout.comparable_address(wallet_address))
  ) as name (kind, key)
  where name.key <> ''
$$;

comment on function tieout.names_of(text, text, text, text, text) is 'The names of a record in the form in which they are compared: what transaction_keys holds of it.';

-- Those of these names that their transactions have already, going by the months in which they may have got them. In plpgsql,
-- because that keeps the plan: the statement that records pages would otherwise be planned with all months, each time.
create function tieout.kept_names(
  account_ids integer[], kinds text[], keys text[], transaction_ids text[], from_month date, to_month date
) returns table (account_id integer, kind text, key text, transaction_id text)
language plpgsql stable parallel safe as $$
begin
  return query
    select name.account_id, name.kind, name.key, name.transaction_id
    from unnest(account_ids, kinds, keys, transaction_ids) as name (account_id, kind, key, transaction_id)
    cross join lateral (
      select
      from tieout.transaction_keys as k
      where k.month between from_month and to_month
        and k.name_hash = tieout.name_hash(name.account_id, name.kind, name.key)
        and k.account_id = name.account_id
        and k.kind = name.kind
        and k.key = name.key
        and k.transaction_id = name.transaction_id
      limit 1
    ) as found;
end
$$;

comment on function tieout.kept_names(integer[], text[], text[], text[], date, date) is 'Those of these names that their transactions have already, going by the months in which they may have got them.';

-- Those of these records that are kept already. In plpgsql for the same reason.
create function tieout.kept_records(account_ids integer[], status_dates timestamptz[], record_hashes bytea[])
returns table (account_id integer, status_date timestamptz, record_hash bytea)
language plpgsql stable parallel safe as $$
begin
  return query
    select one.account_id, one.status_date, one.record_hash
    from unnest(account_ids, status_dates, record_hashes) as one (account_id, status_date, record_hash)
    cross join lateral (
      select
      from tieout.transaction_statuses as s
      where s.account_id = one.account_id and s.status_date = one.status_date and s.record_hash = one.record_hash
      limit 1
    ) as found;
end
$$;

comment on function tieout.kept_records(integer[], timestamptz[], bytea[]) is 'Those of these records that are kept already.';

-- The transactions of an account that a name stands for.
create function tieout.named(account_id integer, kind text, key text) returns table (transaction_id text)
language sql stable parallel safe as $$
  select k.transaction_id
  from tieout.transaction_keys as k
  where k.name_hash = tieout.name_hash(named.account_id, named.kind, named.key)
    and k.account_id = named.account_id
    and k.kind = named.kind
    and k.key = named.key
$$;

comment on function tieout.named(integer, text, text) is 'The transactions of an account that a name stands for.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Statements: lines are found by the same forms of their keys
-- ---------------------------------------------------------------------------------------------------------------------

create index lines_by_provider_id on tieout.statement_lines
  (tieout.comparable_id(provider_transaction_id), account_id, provider)
  where provider_transaction_id is not null;

create index lines_by_reference on tieout.statement_lines
  (tieout.comparable_id(our_reference), account_id, provider)
  where our_reference is not null;

create index lines_by_hash on tieout.statement_lines
  (tieout.comparable_hash(transaction_hash), account_id, provider)
  where transaction_hash is not null;

-- Without these the planner assumes that an expression has two hundred distinct values, and it ignores what it knows about
-- partial indexes: it read all lines to find a few, and looked up each of a provider's transactions one by one.
create statistics tieout.line_provider_ids on (tieout.comparable_id(provider_transaction_id)) from tieout.statement_lines;
create statistics tieout.line_references on (tieout.comparable_id(our_reference)) from tieout.statement_lines;
create statistics tieout.line_hashes on (tieout.comparable_hash(transaction_hash)) from tieout.statement_lines;
create statistics tieout.transaction_providers on (lower(coalesce(provider, ''))) from tieout.transactions;

-- How the matcher finds the lines that were retired or restored since its last run.
create index retirements_by_time on tieout.line_retirements (greatest(retired_at, restored_at));

-- The file and line number that a line is traced to: of the files in force that carry it, the one that was made last. Once
-- no file in force carries it, the last that did.
create view tieout.line_files as
select l.id as line_id,
       coalesce(c.statement_id, l.statement_id) as statement_id,
       coalesce(c.line_no, l.line_no) as line_no
from tieout.statement_lines as l
left join tieout.line_carriers as c on c.line_id = l.id and c.until_at is null;

comment on view tieout.line_files is 'The file and line number that each version of a line is traced to: the newest file in force that carries it.';
comment on column tieout.line_files.line_id is 'The version of the line.';
comment on column tieout.line_files.statement_id is 'The statement.';
comment on column tieout.line_files.line_no is 'The line of that file.';

-- The same as it was known at a time. A plain query in disguise, so that the planner sees through it.
create function tieout.line_files_at(known_at timestamptz)
returns table (line_id bigint, statement_id bigint, line_no integer)
language sql stable parallel safe as $$
  select l.id, coalesce(c.statement_id, l.statement_id), coalesce(c.line_no, l.line_no)
  from tieout.statement_lines as l
  left join tieout.line_carriers as c
    on c.line_id = l.id
   and c.since_at <= line_files_at.known_at
   and (c.until_at is null or c.until_at > line_files_at.known_at)
$$;

comment on function tieout.line_files_at(timestamptz) is 'line_files as it was known at a time.';

-- The parts of a file are written while it is being read, before its statement.
alter table tieout.statement_files alter constraint statement_files_statement_id_statements_id_fk
  deferrable initially deferred;

-- The bytes are compressed before they are stored; compressing them again would only take time.
alter table tieout.statement_files alter column content set storage external;

-- ---------------------------------------------------------------------------------------------------------------------
-- Discrepancies
-- ---------------------------------------------------------------------------------------------------------------------

-- The work queue is read oldest first, a page at a time; the overview adds all of it up by age, from the index alone.
create index open_discrepancies_by_age on tieout.discrepancies (since, id) include (account_id, value_currency, value)
  where state in ('open', 'investigating');

create function tieout.age_days(since timestamptz, until timestamptz) returns integer
language sql immutable parallel safe as $$
  select greatest(0, (until at time zone 'UTC')::date - (since at time zone 'UTC')::date)
$$;

comment on function tieout.age_days(timestamptz, timestamptz) is 'Whole UTC days from one day to the other, never less than 0.';

create function tieout.age_bucket(days integer) returns text
language sql immutable parallel safe as $$
  select case
    when days <= 1 then '0-1'
    when days <= 3 then '2-3'
    when days <= 7 then '4-7'
    when days <= 30 then '8-30'
    when days <= 60 then '31-60'
    when days <= 90 then '61-90'
    else '91+'
  end
$$;

comment on function tieout.age_bucket(integer) is 'The age range that a number of days falls into.';

-- ---------------------------------------------------------------------------------------------------------------------
-- Exports: a run only moves forward; once it has ended, only its file may still be removed
-- ---------------------------------------------------------------------------------------------------------------------

create function tieout.check_export_state() returns trigger
language plpgsql as $$
begin
  if (old.state, new.state) in (
    ('queued', 'running'), ('queued', 'failed'), ('queued', 'cancelled'),
    ('running', 'queued'), ('running', 'succeeded'), ('running', 'failed'), ('running', 'cancelled'),
    ('succeeded', 'expired')
  ) then
    return new;
  end if;
  raise exception 'export % is %, which cannot become %', old.id, old.state, new.state using errcode = 'restrict_violation';
end
$$;

create trigger check_state before update on tieout.exports
  for each row when (old.state <> new.state) execute function tieout.check_export_state();
