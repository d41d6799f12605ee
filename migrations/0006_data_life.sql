-- Data that has a life: what may be erased although it is kept for ever, how long the rest is kept, and who may read it.

-- ---------------------------------------------------------------------------------------------------------------------
-- Erasure: personal data leaves, and everything else about a row stays provable (docs/decisions/0019)
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.erasures is 'Personal data that was erased: who asked, who agreed, and how much went. Append-only.';
comment on column tieout.erasures.id is 'Number of the erasure.';
comment on column tieout.erasures.account_id is 'Account.';
comment on column tieout.erasures.kind is 'What was named: a wallet or a transaction.';
comment on column tieout.erasures.digest is 'What was named, as a digest under the erasure key, which is not in the database.';
comment on column tieout.erasures.key_id is 'Which erasure key: tells two keys apart, and nothing more.';
comment on column tieout.erasures.reason is 'Why, in the words of who asked.';
comment on column tieout.erasures.approval_id is 'The approval that it carries out.';
comment on column tieout.erasures.proposed_by is 'Who asked: the person who proposed the approval.';
comment on column tieout.erasures.approved_by is 'Who agreed: the person who approved it; somebody else.';
comment on column tieout.erasures.erased_at is 'When.';
comment on column tieout.erasures.made_in is 'The database transaction that did it: within it, and only there, rows that are kept for ever may lose personal data.';
comment on column tieout.erasures.counts is 'How many rows of which table were changed.';

comment on table tieout.erased_subjects is 'What must not come back, as digests under the erasure key: what arrives is compared with these. Append-only.';
comment on column tieout.erased_subjects.account_id is 'Account.';
comment on column tieout.erased_subjects.kind is 'wallet, transaction (the aggregator''s id) or name (an id by which statements know it).';
comment on column tieout.erased_subjects.digest is 'Its digest.';
comment on column tieout.erased_subjects.erasure_id is 'The erasure that first named it.';

comment on table tieout.erasure_seals is 'Rows that an erasure changed: a commitment to what they were, and the hash of what they are where the row has none of its own. Append-only; the audit log holds the hash of all seals of an erasure.';
comment on column tieout.erasure_seals.erasure_id is 'The erasure.';
comment on column tieout.erasure_seals.relation is 'The table.';
comment on column tieout.erasure_seals.row_key is 'The row.';
comment on column tieout.erasure_seals.commitment is 'Digest of what it was, under the erasure key: whoever still has the original, and the key, can show that it was this.';
comment on column tieout.erasure_seals.seal is 'SHA-256 of what it is now; null where the row''s own hash says it.';

comment on table tieout.erasure_requests is 'What an erasure that waits for a second person is about, sealed with the erasure key. Gone as soon as it is decided.';
comment on column tieout.erasure_requests.approval_id is 'The approval that waits.';
comment on column tieout.erasure_requests.sealed is 'The wallet or the transaction, readable by whoever has the erasure key, which is not in the database.';

-- Whoever was refused is nobody's business any longer. What is approved is removed by tieout.erase.
create function tieout.drop_erasure_request() returns trigger
language plpgsql as $$
begin
  delete from tieout.erasure_requests where approval_id = new.id;
  return null;
end
$$;

create trigger drop_erasure_request after update on tieout.approvals
  for each row when (new.kind = 'erase' and new.state in ('rejected', 'withdrawn'))
  execute function tieout.drop_erasure_request();

-- Two people stand behind an erasure: what they agreed on, and no other, and once. Their names come from the approval.
create function tieout.check_erasure() returns trigger
language plpgsql as $$
declare
  approval tieout.approvals;
begin
  select * into approval from tieout.approvals where id = new.approval_id;
  if (approval.kind, approval.state, approval.account_id, approval.details ->> 'digest')
     is distinct from ('erase', 'approved', new.account_id, encode(new.digest, 'hex')) then
    raise exception 'erasures: this needs the approval of a second person' using errcode = 'restrict_violation';
  end if;
  new.proposed_by := 'person:' || approval.proposed_by;
  new.approved_by := 'person:' || approval.decided_by;
  new.reason := approval.reason;
  return new;
end
$$;

create trigger check_erasure before insert on tieout.erasures
  for each row execute function tieout.check_erasure();

create trigger refuse_change before update or delete on tieout.erasures
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.erasures
  for each statement execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.erased_subjects
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.erased_subjects
  for each statement execute function tieout.refuse_change();
create trigger refuse_change before update or delete on tieout.erasure_seals
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.erasure_seals
  for each statement execute function tieout.refuse_change();

-- True, or an error: whoever writes records must know of every erasure, or erased data would come back with them.
create function tieout.knows_erasures(version bigint) returns boolean
language plpgsql stable as $$
declare
  newest bigint := (select coalesce(max(id), 0) from tieout.erasures);
begin
  if version is distinct from newest then
    raise exception 'erasure % is not known here', newest using errcode = 'TE001';
  end if;
  return true;
end
$$;

comment on function tieout.knows_erasures(bigint) is 'True when this is the newest erasure, otherwise an error (TE001): read erased_subjects again, and try again.';

-- Waits for pages and imports that are being written, and keeps the next ones waiting until the end of the transaction.
create function tieout.hold_for_erasure() returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  lock table tieout.transaction_statuses, tieout.statement_rows, tieout.receipt_rows, tieout.attachments
    in share row exclusive mode;
end
$$;

comment on function tieout.hold_for_erasure() is 'Keeps pages and imports from being written until the end of the transaction.';
revoke execute on function tieout.hold_for_erasure() from public;

-- The one door through which rows that are kept for ever may lose personal data. Which values go is worked out by the
-- caller, who has the key; this changes nothing but the columns that may hold personal data (see tieout.refuse_change),
-- and writes seals and the audit entry in the same database transaction.
create function tieout.erase(about jsonb, changes jsonb, contents bytea[]) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  account integer := (about ->> 'account_id')::integer;
  ids text[] := array(select jsonb_array_elements_text(changes -> 'transaction_ids'));
  erasure bigint;
  made tieout.erasures;
  counts jsonb;
  counted bigint;
  word record;
  held record;
  fact record;
begin
  -- Nobody writes meanwhile, and whoever waits has to know of this erasure afterwards.
  perform tieout.hold_for_erasure();

  insert into tieout.erasures (account_id, kind, digest, key_id, approval_id, reason, proposed_by, approved_by, counts)
  values (account, about ->> 'kind', decode(about ->> 'digest', 'hex'), about ->> 'key_id', (about ->> 'approval_id')::bigint,
          '', '', '', about -> 'counts')
  returning * into made;
  erasure := made.id;
  delete from tieout.erasure_requests where approval_id = made.approval_id;

  insert into tieout.erased_subjects (account_id, kind, digest, erasure_id)
  select account, s ->> 'kind', decode(s ->> 'digest', 'hex'), erasure
  from jsonb_array_elements(changes -> 'subjects') as s
  on conflict do nothing;

  -- Status rows, with all that goes by their hash.
  update tieout.sync_windows as w
  set digest = w.digest # changed.digest
  from (
    select s.window_id,
           bit_xor(('x' || (c ->> 'hash'))::bit(256) # ('x' || (c ->> 'new_hash'))::bit(256)) as digest
    from jsonb_array_elements(changes -> 'status_rows') as c
    join tieout.transaction_statuses as s
      on s.account_id = account and s.status_date = (c ->> 'status_date')::timestamptz
     and s.record_hash = decode(c ->> 'hash', 'hex')
    group by s.window_id
  ) as changed
  where w.id = changed.window_id;

  update tieout.matches as m
  set record_hash = decode(c ->> 'new_hash', 'hex')
  from jsonb_array_elements(changes -> 'status_rows') as c
  where m.account_id = account and m.transaction_id = any (ids) and m.record_hash = decode(c ->> 'hash', 'hex');

  update tieout.transaction_statuses as s
  set record_hash = decode(c ->> 'new_hash', 'hex'), wallet_address = c ->> 'wallet_address', extra = (c ->> 'extra')::jsonb
  from jsonb_array_elements(changes -> 'status_rows') as c
  where s.account_id = account and s.status_date = (c ->> 'status_date')::timestamptz
    and s.record_hash = decode(c ->> 'hash', 'hex');

  -- Statements: the file, its rows, and the lines that were made of them.
  update tieout.statement_files as f
  set content = contents[(c ->> 'at')::integer]
  from jsonb_array_elements(changes -> 'files') as c
  where f.statement_id = (c ->> 'statement_id')::bigint and f.part = (c ->> 'part')::integer;

  update tieout.statement_rows as r
  set original_text = c ->> 'text', reason = c ->> 'reason'
  from jsonb_array_elements(changes -> 'rows') as c
  where r.statement_id = (c ->> 'statement_id')::bigint and r.line_no = (c ->> 'line_no')::integer;

  update tieout.statement_lines as l
  set line_key = c ->> 'line_key', content_hash = decode(c ->> 'content_hash', 'hex'),
      wallet_address = c ->> 'wallet_address', address_tag = c ->> 'address_tag', extra = (c ->> 'extra')::jsonb
  from jsonb_array_elements(changes -> 'lines') as c
  where l.id = (c ->> 'id')::bigint;

  -- Bank files, in the same way.
  update tieout.receipt_file_bytes as f
  set content = contents[(c ->> 'at')::integer]
  from jsonb_array_elements(changes -> 'receipt_files') as c
  where f.file_id = (c ->> 'file_id')::bigint and f.part = (c ->> 'part')::integer;

  update tieout.receipt_rows as r
  set original_text = c ->> 'text', reason = c ->> 'reason'
  from jsonb_array_elements(changes -> 'receipt_rows') as c
  where r.file_id = (c ->> 'file_id')::bigint and r.row_no = (c ->> 'row_no')::integer;

  update tieout.receipt_lines as l
  set line_key = c ->> 'line_key', content_hash = decode(c ->> 'content_hash', 'hex'), bank_account = c ->> 'bank_account',
      reference = c ->> 'reference', end_to_end_id = c ->> 'end_to_end_id', bank_reference = c ->> 'bank_reference',
      hash = c ->> 'hash', remittance = c ->> 'remittance', counterparty = c ->> 'counterparty',
      keys = (c ->> 'keys')::text[]
  from jsonb_array_elements(changes -> 'receipt_lines') as c
  where l.id = (c ->> 'id')::bigint;

  -- What people put beside a discrepancy.
  update tieout.attachments as a
  set content = contents[(c ->> 'at')::integer], byte_count = length(contents[(c ->> 'at')::integer]),
      sha256 = sha256(contents[(c ->> 'at')::integer]), kind = 'text'
  from jsonb_array_elements(changes -> 'attachments') as c
  where a.id = (c ->> 'id')::bigint;

  insert into tieout.erasure_seals (erasure_id, relation, row_key, commitment, seal)
  select erasure, s ->> 'relation', s ->> 'row_key', decode(s ->> 'commitment', 'hex'), decode(s ->> 'seal', 'hex')
  from jsonb_array_elements(changes -> 'seals') as s;

  -- Texts that quote a wallet: what was found about a transaction, what people did about it, and everything else.
  for word in
    select w ->> 'pattern' as pattern, w ->> 'flags' as flags, w ->> 'to' as new_text, (w ->> 'everywhere')::boolean as everywhere
    from jsonb_array_elements(changes -> 'words') as w
  loop
    for fact in
      select distinct f.facts_hash as old_hash,
             sha256(convert_to(concat_ws(e'\x1f', coalesce(f.expected::text, ''), coalesce(f.actual::text, ''),
               coalesce(f.currency, ''), coalesce(regexp_replace(f.expected_text, word.pattern, word.new_text, word.flags), ''),
               coalesce(regexp_replace(f.actual_text, word.pattern, word.new_text, word.flags), '')), 'UTF8')) as new_hash
      from tieout.findings as f
      where (word.everywhere or f.account_id = account and f.transaction_id = any (ids))
        and (f.expected_text ~* word.pattern or f.actual_text ~* word.pattern)
    loop
      update tieout.findings set facts_hash = fact.new_hash where facts_hash = fact.old_hash;
      update tieout.discrepancies set facts_hash = fact.new_hash where facts_hash = fact.old_hash;
      update tieout.decisions set facts_hash = fact.new_hash where facts_hash = fact.old_hash;
      update tieout.discrepancy_events set facts_hash = fact.new_hash where facts_hash = fact.old_hash;
    end loop;

    if not word.everywhere then
      update tieout.findings
      set expected_text = regexp_replace(expected_text, word.pattern, word.new_text, word.flags),
          actual_text = regexp_replace(actual_text, word.pattern, word.new_text, word.flags)
      where account_id = account and transaction_id = any (ids)
        and (expected_text ~* word.pattern or actual_text ~* word.pattern);
      update tieout.discrepancy_events as e
      set facts = regexp_replace(e.facts::text, word.pattern, word.new_text, word.flags)::jsonb,
          comment = regexp_replace(e.comment, word.pattern, word.new_text, word.flags),
          reason = regexp_replace(e.reason, word.pattern, word.new_text, word.flags)
      from tieout.discrepancies as d
      where d.id = e.discrepancy_id and d.account_id = account and d.transaction_id = any (ids)
        and (e.facts::text ~* word.pattern or e.comment ~* word.pattern or e.reason ~* word.pattern);
      update tieout.discrepancies
      set expected_text = regexp_replace(expected_text, word.pattern, word.new_text, word.flags),
          actual_text = regexp_replace(actual_text, word.pattern, word.new_text, word.flags)
      where account_id = account and transaction_id = any (ids)
        and (expected_text ~* word.pattern or actual_text ~* word.pattern);
      continue;
    end if;

    for held in
      select c.relname as relation, a.attname as column_name, a.atttypid::regtype::text as type
      from pg_attribute as a
      join pg_class as c on c.oid = a.attrelid
      where c.relnamespace = 'tieout'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and a.atttypid in ('text'::regtype, 'jsonb'::regtype)
        -- Those above are done, and the key of the audit log is not in what it says.
        and c.relname not in ('transaction_statuses', 'transactions', 'transaction_keys', 'statement_rows', 'statement_lines',
          'receipt_rows', 'receipt_lines', 'audit_log', 'erasures', 'erased_subjects', 'erasure_seals', 'migrations', 'provider_settings',
          -- What two people signed stays as they signed it.
          'period_events', 'periods')
    loop
      execute format('update tieout.%1$I set %2$I = regexp_replace(%2$I::text, $1, $2, $3)::%3$s where %2$I::text ~* $1',
        held.relation, held.column_name, held.type)
      using word.pattern, word.new_text, word.flags;
      get diagnostics counted = row_count;
      if counted > 0 then
        counts := coalesce(counts, '{}') || jsonb_build_object(held.relation,
          coalesce((counts ->> held.relation)::bigint, 0) + counted);
      end if;
    end loop;

    with changed as (
      update tieout.audit_log
      set subject = regexp_replace(subject, word.pattern, word.new_text, word.flags),
          before = regexp_replace(before::text, word.pattern, word.new_text, word.flags)::jsonb,
          after = regexp_replace(after::text, word.pattern, word.new_text, word.flags)::jsonb,
          reason = regexp_replace(reason, word.pattern, word.new_text, word.flags)
      where subject ~* word.pattern or before::text ~* word.pattern or after::text ~* word.pattern or reason ~* word.pattern
      returning number, hash, sha256(convert_to(tieout.audit_entry_text(audit_log), 'UTF8')) as seal
    )
    -- The entry's own hash is the commitment: it is in the chain, and in the heads outside.
    insert into tieout.erasure_seals (erasure_id, relation, row_key, commitment, seal)
    select erasure, 'audit_log', number::text, hash, seal
    from changed
    on conflict on constraint row_is_sealed_once do nothing;
  end loop;

  insert into tieout.audit_log (number, at, actor, action, subject, after, reason, request_id, previous_hash, hash)
  values (0, clock_timestamp(), made.approved_by, 'data.erased', 'erasure ' || erasure,
    jsonb_build_object('kind', made.kind, 'account', (select name from tieout.accounts where id = account),
      'approval', 'apr_' || made.approval_id, 'proposed_by', made.proposed_by, 'approved_by', made.approved_by,
      'counts', (about -> 'counts') || coalesce(counts, '{}'), 'seals', tieout.seals_hash(erasure)),
    made.reason, about ->> 'request_id', '', '');
  return erasure;
end
$$;

comment on function tieout.erase(jsonb, jsonb, bytea[]) is 'Takes personal data out of rows that are kept for ever, and writes the seals and the audit entry with it. Called by tieout erase.';

-- All seals of an erasure as one hash, which its audit entry holds: a seal that is changed or added later does not fit it.
create function tieout.seals_hash(erasure bigint) returns text
language sql stable as $$
  select encode(sha256(convert_to(coalesce(string_agg(
    concat_ws(e'\x1f', s.relation, s.row_key, encode(s.commitment, 'hex'), coalesce(encode(s.seal, 'hex'), '')), e'\n'
    order by s.relation collate "C", s.row_key collate "C"), ''), 'UTF8')), 'hex')
  from tieout.erasure_seals as s
  where s.erasure_id = seals_hash.erasure
$$;

comment on function tieout.seals_hash(bigint) is 'SHA-256 over all seals of an erasure, as its audit entry has it.';

revoke execute on function tieout.erase(jsonb, jsonb, bytea[]) from public;

-- ---------------------------------------------------------------------------------------------------------------------
-- Retention: the bytes of files may go; what was read of them stays
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.forgotten_files is 'Files whose bytes were kept long enough, as the settings have it. Their rows, lines and totals stay. Append-only.';
comment on column tieout.forgotten_files.statement_id is 'The statement.';
comment on column tieout.forgotten_files.forgotten_at is 'When its bytes were removed.';
comment on column tieout.forgotten_files.made_in is 'The database transaction that removed them: within it, and only there, they may go.';

create trigger refuse_change before update or delete on tieout.forgotten_files
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.forgotten_files
  for each statement execute function tieout.refuse_change();

-- Removes the bytes of a few files that were imported longer ago than this, and says of how many. Never of the last 30 days,
-- whatever it is asked: whoever takes over the service cannot use it to get rid of evidence.
create function tieout.forget_statement_files(kept interval, at_most integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  forgotten bigint[];
  one bigint;
begin
  if kept < interval '30 days' then
    raise exception 'files are kept for 30 days at least' using errcode = 'restrict_violation';
  end if;
  with chosen as (
    select s.id
    from tieout.statements as s
    where s.imported_at < clock_timestamp() - kept
      and not exists (select from tieout.forgotten_files as f where f.statement_id = s.id)
    order by s.id
    limit at_most
  ), noted as (
    insert into tieout.forgotten_files (statement_id) select id from chosen
    on conflict do nothing
    returning statement_id
  )
  select array_agg(statement_id order by statement_id) into forgotten from noted;
  delete from tieout.statement_files where statement_id = any (forgotten);
  foreach one in array coalesce(forgotten, '{}') loop
    insert into tieout.audit_log (number, at, actor, action, subject, reason, previous_hash, hash)
    values (0, clock_timestamp(), 'retention', 'statement.file_forgotten', 'statement ' || one, 'kept for ' || kept, '', '');
  end loop;
  return coalesce(cardinality(forgotten), 0);
end
$$;

comment on function tieout.forget_statement_files(interval, integer) is 'Removes the bytes of a few files that were imported longer ago than this, audited; never of the last 30 days.';
revoke execute on function tieout.forget_statement_files(interval, integer) from public;

-- ---------------------------------------------------------------------------------------------------------------------
-- Readers: a login for each person who asks in SQL
-- ---------------------------------------------------------------------------------------------------------------------

comment on table tieout.reader_roles is 'People who ask in SQL: a login each. The views of the schema reporting show them their accounts.';
comment on column tieout.reader_roles.role_name is 'The login; a member of tieout_reader.';
comment on column tieout.reader_roles.account_ids is 'The accounts it sees; null: all of them.';
comment on column tieout.reader_roles.wallets is 'Whether it sees wallet addresses, original rows and unknown fields; masked otherwise.';
comment on column tieout.reader_roles.created_at is 'When it was made.';
comment on column tieout.reader_roles.created_by is 'Who made it.';

-- For whoever may make roles: the owner of the tables, or an administrator. The running service may not.
create function tieout.add_reader(name text, password text, account_ids integer[], wallets boolean, made_by text) returns text
language plpgsql as $$
declare
  login text := 'tieout_reader_' || name;
begin
  insert into tieout.reader_roles (role_name, account_ids, wallets, created_by)
  values (login, account_ids, wallets, made_by);
  execute format('create role %I login password %L connection limit 5', login, password);
  execute format('grant tieout_reader to %I', login);
  execute format('alter role %I set default_transaction_read_only = on', login);
  execute format('alter role %I set statement_timeout = %L', login, '60s');
  execute format('alter role %I set idle_in_transaction_session_timeout = %L', login, '60s');
  -- Without a table or function of their own, not even a temporary one, nothing they write runs before the views' conditions.
  execute format('revoke temporary on database %I from public', current_database());
  if exists (select from pg_roles where rolname = 'tieout_service') then
    execute format('grant temporary on database %I to tieout_service', current_database());
  end if;
  insert into tieout.audit_log (number, at, actor, action, subject, after, previous_hash, hash)
  values (0, clock_timestamp(), made_by, 'reader.added', login,
    jsonb_build_object('accounts', (select jsonb_agg(a.name order by a.name) from tieout.accounts as a
                                    where a.id = any (add_reader.account_ids)), 'wallets', wallets), '', '');
  return login;
end
$$;

comment on function tieout.add_reader(text, text, integer[], boolean, text) is 'Makes a login for one person who asks in SQL. Called by tieout reader add.';

-- What is open is closed, where that is allowed; and what stays open sees nothing from now on.
create function tieout.remove_reader(name text, removed_by text) returns boolean
language plpgsql as $$
declare
  login text := 'tieout_reader_' || name;
begin
  delete from tieout.reader_roles where role_name = login;
  if not found then
    return false;
  end if;
  begin
    perform pg_terminate_backend(pid) from pg_stat_activity where usename = login;
  exception when insufficient_privilege then
    null;
  end;
  execute format('drop role if exists %I', login);
  insert into tieout.audit_log (number, at, actor, action, subject, previous_hash, hash)
  values (0, clock_timestamp(), removed_by, 'reader.removed', login, '', '');
  return true;
end
$$;

comment on function tieout.remove_reader(text, text) is 'Removes the login of a person who asked in SQL. Called by tieout reader remove.';

revoke execute on function tieout.add_reader(text, text, integer[], boolean, text), tieout.remove_reader(text, text) from public;

select tieout.admit_service();
