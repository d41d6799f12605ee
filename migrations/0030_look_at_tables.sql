-- Postgres looks at a table when it has changed by a tenth, within a minute or so. That is too late for what was read or imported
-- just now, so the service has it looked at. Until Postgres 17 only the owner of a table may do that, and the service owns none.
create function tieout.look_at_tables(tables regclass[], sample integer default null, columns text[] default null) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  usual text := current_setting('default_statistics_target');
  only_columns text := coalesce((select ' (' || string_agg(format('%I', one), ', ') || ')' from unnest(columns) as one), '');
begin
  if exists (
    select
    from unnest(tables) as one
    left join pg_class as c on c.oid = one
    where pg_get_userbyid(c.relowner) is distinct from current_user
  ) then
    raise exception 'only tables of % are looked at', current_user using errcode = 'insufficient_privilege';
  end if;
  perform set_config('default_statistics_target', coalesce(sample::text, usual), true);
  execute 'analyze (skip_locked) ' || (select string_agg(one || only_columns, ', ') from unnest(tables) as one);
  perform set_config('default_statistics_target', usual, true);
end
$$;

comment on function tieout.look_at_tables(regclass[], integer, text[]) is 'Counts and samples these tables, or these columns of them, for the planner, as their owner. A table that someone else is looking at is left to them.';
