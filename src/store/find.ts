/** One search over everything that has a name: each part is a look-up by an index or in a small table, and ends after a few rows. */
import type { AccountReader } from "./conditions.ts";
import { nameForms } from "./name-forms.ts";

export interface FoundLine {
  statement_id: number;
  line_no: number;
  file_name: string;
  provider: string;
  line_type: string;
  effective_at: string;
  net_amount: string;
  net_currency: string | null;
  name: string | null;
}

export interface FoundPayout {
  id: number;
  payout_ref: string;
  provider: string;
  payout_date: string | null;
  net_declared: string | null;
  net_computed: string;
  currency: string;
}

export interface FoundStatement {
  id: number;
  file_name: string;
  provider: string;
  state: string;
}

export interface FoundDiscrepancy {
  id: number;
  code: string;
  provider: string;
  state: string;
  value: string | null;
  value_currency: string | null;
}

export interface FoundPerson {
  id: number;
  name: string;
  email: string;
}

const foundMax = 20;

export async function findLines(reader: AccountReader, text: string): Promise<FoundLine[]> {
  const { database, accountIds } = reader;
  return database.query<FoundLine & Record<string, unknown>>(
    accountIds === null ? findLinesSql("") : findLinesSql("and l.account_id = any ($3::int[])"),
    [nameForms(text), foundMax, ...(accountIds === null ? [] : [accountIds])],
  );
}

/**
 * The lines that go by these names in one of their columns. What the person may not see, or no longer counts, is left out
 * before the limit: otherwise it would use the limit up, and the person's own lines would not be found.
 */
const byName = (comparable: string, column: string, seen: string) => `
  select l.id
  from unnest($1::text[]) as name (form)
  cross join lateral (
    select l.id
    from tieout.statement_lines as l
    where ${comparable}(l.${column}) = name.form
      and l.${column} is not null
      ${seen}
      and not exists (
        select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
      )
    limit $2
  ) as l`;

const findLinesSql = (seen: string) => `
with named as (${byName("tieout.comparable_id", "provider_transaction_id", seen)}
  union${byName("tieout.comparable_id", "our_reference", seen)}
  union${byName("tieout.comparable_hash", "transaction_hash", seen)}
)
select f.statement_id::int, f.line_no, s.file_name, l.provider, l.line_type, l.effective_at::text,
       trim_scale(l.net_amount)::text as net_amount, l.net_currency,
       coalesce(l.provider_transaction_id, l.our_reference, l.transaction_hash) as name
from named
join tieout.statement_lines as l on l.id = named.id
join tieout.line_files as f on f.line_id = l.id
join tieout.statements as s on s.id = f.statement_id
order by f.statement_id desc, f.line_no
limit $2`;

export async function findPayouts(
  reader: AccountReader,
  text: string,
  amount: string | null,
): Promise<FoundPayout[]> {
  return reader.database.query<FoundPayout & Record<string, unknown>>(
    `select p.id::int, p.payout_ref, p.provider, p.payout_date::text, trim_scale(p.net_declared)::text as net_declared,
            trim_scale(p.net_computed)::text as net_computed, p.currency
     from tieout.payouts as p
     where p.id in (
         select id from tieout.payouts where lower(payout_ref) = lower($1)
         union
         select id from tieout.payouts where net_declared = $2::numeric
         union
         select id from tieout.payouts where net_computed = $2::numeric
       )
       and ($3::int[] is null or p.account_id = any ($3::int[]))
     order by p.id desc
     limit $4`,
    [text, amount, reader.accountIds, foundMax],
  );
}

export async function findStatements(reader: AccountReader, text: string): Promise<FoundStatement[]> {
  return reader.database.query<FoundStatement & Record<string, unknown>>(
    `select s.id::int, s.file_name, s.provider, s.state
     from tieout.statements as s
     where starts_with(lower(s.file_name), lower($1))
       and ($2::int[] is null or s.account_id = any ($2::int[]))
     order by s.id desc
     limit $3`,
    [text, reader.accountIds, foundMax],
  );
}

export async function findDiscrepanciesOf(
  reader: AccountReader,
  amount: string,
): Promise<FoundDiscrepancy[]> {
  return reader.database.query<FoundDiscrepancy & Record<string, unknown>>(
    `select d.id::int, d.code, d.provider, d.state, trim_scale(d.value)::text as value, d.value_currency
     from tieout.discrepancies as d
     where d.value = $1::numeric
       and ($2::int[] is null or d.account_id = any ($2::int[]))
     order by d.id desc
     limit $3`,
    [amount, reader.accountIds, foundMax],
  );
}

/** There are few: everyone who works here. Those of other accounts are left out. */
export async function findPeople(reader: AccountReader, text: string): Promise<FoundPerson[]> {
  return reader.database.query<FoundPerson & Record<string, unknown>>(
    `select p.id::int, p.name, p.email
     from tieout.people as p
     where (lower(p.name) = lower($1) or lower(p.email) = lower($1) or lower(split_part(p.name, ' ', 1)) = lower($1))
       and ($2::int[] is null or p.account_ids <@ $2::int[])
     order by p.id
     limit $3`,
    [text, reader.accountIds, foundMax],
  );
}
