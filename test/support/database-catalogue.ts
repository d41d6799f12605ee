import type { Queryable } from "../../src/store/database.ts";

export interface Schema {
  [column: string]: unknown;
  name: string;
  comment: string;
}

export interface Relation {
  [column: string]: unknown;
  schema: string;
  name: string;
  kind: "view" | "table";
  comment: string;
  /** Columns of the primary key, in its order. */
  key: string[];
  /** Of a view: the tables it reads. */
  sources: string[];
}

export interface Column {
  [column: string]: unknown;
  schema: string;
  relation: string;
  name: string;
  type: string;
  nullable: boolean;
  comment: string;
}

export interface Reference {
  [column: string]: unknown;
  from: string;
  to: string;
  column: string;
}

// One order on every machine, whatever the collation of the database.
const byName = `collate "C"`;

/** The contract first, then what is behind it. */
export async function readSchemas(database: Queryable): Promise<Schema[]> {
  return database.query<Schema>(
    `select nspname as name, coalesce(obj_description(oid, 'pg_namespace'), '') as comment
     from pg_namespace
     where nspname in ('reporting', 'tieout')
     order by nspname ${byName}`,
  );
}

export async function readRelations(database: Queryable): Promise<Relation[]> {
  return database.query<Relation>(
    `select n.nspname as schema,
            c.relname as name,
            case c.relkind when 'v' then 'view' else 'table' end as kind,
            coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
            array(select a.attname::text
                  from pg_index as i
                  cross join unnest(i.indkey) with ordinality as part (attnum, place)
                  join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = part.attnum
                  where i.indrelid = c.oid and i.indisprimary
                  order by part.place) as key,
            array(select distinct source.relnamespace::regnamespace::text || '.' || source.relname
                  from pg_rewrite as rule
                  join pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = rule.oid
                  join pg_class as source on d.refclassid = 'pg_class'::regclass and source.oid = d.refobjid
                  where rule.ev_class = c.oid and source.oid <> c.oid
                  order by 1) as sources
     from pg_class as c
     join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname in ('reporting', 'tieout')
       and c.relkind in ('r', 'p', 'v')
       and not c.relispartition
     order by n.nspname ${byName}, c.relname ${byName}`,
  );
}

export async function readColumns(database: Queryable): Promise<Column[]> {
  return database.query<Column>(
    `select n.nspname as schema,
            c.relname as relation,
            a.attname as name,
            format_type(a.atttypid, a.atttypmod) as type,
            not a.attnotnull as nullable,
            coalesce(col_description(c.oid, a.attnum), '') as comment
     from pg_attribute as a
     join pg_class as c on c.oid = a.attrelid
     join pg_namespace as n on n.oid = c.relnamespace
     where n.nspname in ('reporting', 'tieout')
       and c.relkind in ('r', 'p', 'v')
       and not c.relispartition
       and a.attnum > 0
       and not a.attisdropped
     order by n.nspname ${byName}, c.relname ${byName}, a.attnum`,
  );
}

/** Foreign keys within `tieout`. */
export async function readReferences(database: Queryable): Promise<Reference[]> {
  return database.query<Reference>(
    `select source.relname as from,
            target.relname as to,
            string_agg(a.attname, ', ' order by part.place) as column
     from pg_constraint as k
     join pg_class as source on source.oid = k.conrelid
     join pg_class as target on target.oid = k.confrelid
     cross join unnest(k.conkey) with ordinality as part (attnum, place)
     join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = part.attnum
     where k.contype = 'f'
       and k.conparentid = 0
       and source.relnamespace = 'tieout'::regnamespace
     group by k.oid, source.relname, target.relname
     order by source.relname ${byName}, target.relname ${byName}, 3`,
  );
}
