import type { Queryable } from "../database.ts";

export interface BookedElsewhere {
  fileName: string;
  format: string;
  fileId: number;
  /** How many lines of the new file it holds already, and the first of them. */
  lines: number;
  example: string;
}

/**
 * Files of another format, or of another CSV layout, that hold bookings of a new file. Within one format a booking is known by its
 * number or its text, so that two equal ones on a day are two; between formats neither is the same. Bookings are compared by
 * account, day, amount and direction; where the accounts are written differently, by a name that both carry, or if all bookings of
 * the file are known. Of a batch, one format may have the sum and the other its payments: then all of a day is compared.
 */
export async function findBookedElsewhere(
  tx: Queryable,
  file: { accountId: number; fileId: number; format: string; profile: unknown },
): Promise<BookedElsewhere[]> {
  // Nothing is known yet of how many lines were just written: a nested loop would compare each with each.
  await tx.query("set local enable_nestloop = off");
  const found = await tx.query<BookedElsewhere>(
    `with new as materialized (
       select w.row_no, ${compared}
       from tieout.receipt_rows as w
       join tieout.receipt_lines as l on l.id = w.line_id
       where w.file_id = $2
         and l.hash is null
         -- New, or known from a file that was withdrawn.
         and ((l.file_id = $2 and l.version = 1) or ${isRetired})
     ), held as materialized (
       select l.file_id, ${compared}
       from tieout.receipt_lines as l
       join tieout.receipt_files as f on f.id = l.file_id
       where l.account_id = $1
         and l.file_id <> $2
         and l.hash is null
         and (f.format <> $3 or f.profile is distinct from $4::jsonb)
         and l.effective_at between (select min(effective_at) - interval '${daysApartMax} days' from new)
                                and (select max(effective_at) + interval '${daysApartMax} days' from new)
         and not ${isRetired}
     ), new_days as materialized (${perDay("new")}
     ), held_days as materialized (${perDay("held")}
     ), new_keys as materialized (${perKey("new_days")}
     ), held_keys as materialized (${perKey("held_days")}
     ), dated as (                          -- equal bookings once: two files full of them would make as many pairs as both multiplied
       select distinct file_id, bank_account, currency, direction, amount, day from held_days
     ), named as (
       select distinct h.file_id, h.bank_account, n.row_no
       from new_keys as n
       join held_keys as h using (currency, direction, amount, day, key)
     ), pairs as materialized (
       select h.file_id, n.row_no, n.said, n.amount, ${sameAccount} or k.row_no is not null as is_same
       from new_days as n
       join dated as h using (currency, direction, amount, day)
       left join named as k on k.file_id = h.file_id and k.bank_account = h.bank_account and k.row_no = n.row_no
       where ${sameAccount} or not (${isIban("n")} and ${isIban("h")})
     ), whole as materialized (               -- an account under a name of its own, with all its bookings
       select count(distinct row_no) = (select count(*) from new) and count(distinct amount) >= ${amountsMin} as is_known from pairs
     ), alike as (
       select p.file_id, p.row_no, p.said from pairs as p cross join whole as w where p.is_same or w.is_known
     ), days as (
       select h.file_id, n.row_no, n.said
       from (
         select bank_account, currency, direction, booking_date, sum(amount) as amount, count(*) as lines,
                min(row_no) as row_no, min(said) as said
         from new group by bank_account, currency, direction, booking_date
       ) as n
       join (
         select file_id, bank_account, currency, direction, booking_date, sum(amount) as amount, count(*) as lines
         from held group by file_id, bank_account, currency, direction, booking_date
       ) as h using (currency, direction, booking_date, amount)
       where ${sameAccount} and n.lines <> h.lines
     )
     select f.file_name as "fileName", f.format, f.id::int as "fileId", count(distinct a.row_no)::int as lines,
            (array_agg(a.said order by a.row_no))[1] as example
     from (select * from alike union select * from days) as a
     join tieout.receipt_files as f on f.id = a.file_id
     group by f.id
     order by f.id desc
     limit ${filesNamedMax}`,
    [file.accountId, file.fileId, file.format, file.profile === null ? null : JSON.stringify(file.profile)],
  );
  await tx.query("set local enable_nestloop = on");
  return found;
}

const compared = `upper(regexp_replace(l.bank_account, '[^A-Za-z0-9]', '', 'g')) as bank_account, upper(l.currency) as currency,
  l.direction, l.amount, l.value_date, coalesce(l.booking_date, l.value_date) as booking_date, l.effective_at, l.keys,
  concat_ws(' ', case l.direction when 'credit' then l.amount else -l.amount end, l.currency, 'on', coalesce(l.booking_date, l.value_date)) as said`;

const isRetired =
  "exists (select from tieout.receipt_retirements as r where r.line_id = l.id and r.restored_at is null)";

/** One format may have the day of booking only, another that of value. */
const perDay = (lines: string) => `
  select l.*, d.day
  from ${lines} as l
  cross join lateral (select l.value_date union select l.booking_date) as d (day)`;

/** Once for each name in its texts. */
const perKey = (lines: string) => `
  select l.*, name.key from ${lines} as l cross join lateral (select distinct unnest(l.keys)) as name (key)`;

/** An IBAN ends with the number of the account, which is all that some formats have. */
const sameAccount = `(n.bank_account = h.bank_account
  or (least(length(n.bank_account), length(h.bank_account)) >= 6
    and (right(n.bank_account, length(h.bank_account)) = h.bank_account
      or right(h.bank_account, length(n.bank_account)) = n.bank_account)))`;

/** Two of them, when they differ, are two accounts. */
const isIban = (line: string) => `${line}.bank_account ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'`;

/** Fewer equal amounts on equal days are chance. */
const amountsMin = 3;
/** Between the days of booking and of value. */
const daysApartMax = 7;
const filesNamedMax = 3;
