-- Readers write nothing. Whoever may connect could still make large objects, which stay, and write any message into the
-- write-ahead log: both fill the disk, and neither asks for a right of its own.

-- Where an administrator runs this, what is closed stays open to the owner and, for locks, to the service. Others leave it as it is.
create function tieout.close_to_readers() returns boolean
language plpgsql as $$
declare
  routine record;
  owner name := (select pg_get_userbyid(nspowner) from pg_namespace where nspname = 'reporting');
begin
  if (select rolsuper from pg_roles where rolname = current_user) then
    for routine in select closed.name, closed.is_lock from tieout.functions_closed_to_readers() as closed
    loop
      execute format('revoke execute on function %s from public', routine.name);
      execute format('grant execute on function %s to %I', routine.name, owner);
      if routine.is_lock and exists (select from pg_roles where rolname = 'tieout_service') then
        execute format('grant execute on function %s to tieout_service', routine.name);
      end if;
    end loop;
  end if;
  return not exists (
    select from tieout.functions_closed_to_readers() as closed where has_function_privilege('public', closed.name, 'execute')
  );
end
$$;

comment on function tieout.close_to_readers() is 'Takes from everyone but the owner of the tables and the service what reading needs no right for: advisory locks, large objects and messages in the write-ahead log. Changes something only when a superuser runs it, because the functions are the server''s. Says whether all of them are closed now.';

create function tieout.functions_closed_to_readers() returns table (name regprocedure, is_lock boolean)
language sql stable parallel safe as $$
  select oid::regprocedure, proname like '%advisory%'
  from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and (proname like 'pg\_%advisory%' or proname like 'lo\_%' or proname in ('loread', 'lowrite', 'pg_logical_emit_message'))
$$;

comment on function tieout.functions_closed_to_readers() is 'The functions of the server with which someone who may only read could make others wait or fill the disk.';

-- By its first name, under which admit_reader() calls it.
create or replace function tieout.close_advisory_locks() returns void
language sql as 'select tieout.close_to_readers()';

comment on function tieout.close_advisory_locks() is 'The same as close_to_readers().';

select tieout.close_to_readers();
