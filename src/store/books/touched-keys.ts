/**
 * How a run gets from a line to the transactions that share a key with it, and back. Each statement looks from what the
 * round `:round` has added.
 */
export const ofProviders =
  "t.account_id = :account_id and lower(coalesce(t.provider, '')) = any (:'providers'::text[])";

/** What the last round has added. */
const freshLines = "(select line_id from touched_lines where round = :round::int) as fresh";
const freshTransactions =
  "(select transaction_id from touched_transactions where round = :round::int) as fresh";
const freshNames = "(select distinct kind, key from touched_names where round = :round::int) as name";

/** What a line may name a transaction by, in the form in which it is compared. */
const comparableOf = {
  provider_id: "tieout.comparable_id(l.provider_transaction_id)",
  reference: "tieout.comparable_id(l.our_reference)",
  hash: "tieout.comparable_hash(l.transaction_hash)",
} as const;
const columnOf = {
  provider_id: "l.provider_transaction_id",
  reference: "l.our_reference",
  hash: "l.transaction_hash",
} as const;
type NameKind = keyof typeof comparableOf;
const nameKinds = Object.keys(comparableOf) as NameKind[];

/**
 * The transactions of its own provider that a line names in one way. Each looked up, whatever the planner expects: joined, it
 * would read all names of every month for some thousands of lines.
 */
const namedBy = (kind: NameKind, lines: string) => `
     select l.id, l.provider, named.transaction_id
     from ${lines} as l
     cross join lateral (
       select t.transaction_id
       from tieout.transaction_keys as k
       join tieout.transactions as t on t.account_id = k.account_id and t.transaction_id = k.transaction_id
       where k.name_hash = l.${kind}_hash
         and k.account_id = :account_id
         and k.kind = '${kind}'
         and k.key = l.${kind}
         and lower(coalesce(t.provider, '')) = l.provider
       offset 0
     ) as named`;

/**
 * The transactions that the fresh lines name. As in the passes, a line whose id finds a transaction is not looked up by its
 * reference, and a line found by either is not looked up by its hash: each look-up goes through the names of every month. A
 * line that a person has parted from a transaction, or that stood in the way of others until now, is looked up by all names.
 */
const namedByLines = `
   with fresh_lines as materialized (
     select l.id, l.provider,
            ${nameKinds.map((kind) => `name.${kind}, tieout.name_hash(:account_id, '${kind}', name.${kind}) as ${kind}_hash`).join(", ")},
            l.line_key in (
              select parted.line_key
              from tieout.matches as m
              join tieout.statement_lines as parted on parted.id = m.line_id
              where m.barred
                and m.account_id = :account_id
            ) or exists (
              select
              from tieout.findings as f
              where f.line_id = l.id
                and f.code in ('ambiguous', 'duplicate_settlement')
                and f.known_to is null
            ) as by_all_names
     from ${freshLines}
     join tieout.statement_lines as l on l.id = fresh.line_id
     cross join lateral (
       select ${nameKinds.map((kind) => `${comparableOf[kind]} as ${kind}`).join(", ")} offset 0
     ) as name
   ), by_id as materialized (${namedBy("provider_id", "fresh_lines")}
   ), without_id as materialized (
     select * from fresh_lines as l where l.by_all_names or not exists (select from by_id as found where found.id = l.id)
   ), by_reference as materialized (${namedBy("reference", "without_id")}
     union all
     select l.id, l.provider, t.transaction_id
     from without_id as l
     join tieout.transactions as t on t.account_id = :account_id and t.transaction_id = l.reference
     where lower(coalesce(t.provider, '')) = l.provider
   ), without_either as materialized (
     select * from without_id as l where l.by_all_names or not exists (select from by_reference as found where found.id = l.id)
   )
   select transaction_id, provider from by_id
   union all
   select transaction_id, provider from by_reference
   union all
   select transaction_id, provider
   from (${namedBy("hash", "without_either")}
   ) as by_hash`;

/**
 * All times and names that the fresh transactions have or had. Each looked up, whatever the planner expects: joined, it would
 * read every row of every month for some thousands.
 */
export const statusesOfFresh = `
  select fresh.transaction_id, fresh.provider, s.status_date, s.provider_transaction_id, s.reference, s.transaction_hash, :round::int
  from (select transaction_id, provider from touched_transactions where round = :round::int) as fresh
  cross join lateral (
    select s.status_date, s.provider_transaction_id, s.extra ->> 'partnerContext' as reference, s.transaction_hash
    from tieout.transaction_statuses as s
    where s.account_id = :account_id
      and s.transaction_id = fresh.transaction_id
    offset 0
  ) as s`;

export const namesOfFresh = `
  select distinct s.transaction_id, name.kind, name.key, s.round
  from touched_statuses as s
  cross join lateral tieout.names_of(s.transaction_id, s.provider_transaction_id, s.reference, s.transaction_hash, null) as name
  where s.round = :round::int`;

/**
 * Everything of the same chain transfer, now or before: whether a hash is unique depends on all of it. Nearly all hashes
 * belong to one transaction, and those that do not are known.
 */
const sharingHash = `
   select t.transaction_id, lower(coalesce(t.provider, ''))
   from ${freshNames}
   join tieout.shared_hashes as shared on shared.account_id = :account_id and shared.transaction_hash = name.key
   cross join lateral tieout.named(:account_id, name.kind, name.key) as named
   join tieout.transactions as t on t.account_id = :account_id and t.transaction_id = named.transaction_id
   where name.kind = 'hash'
     and ${ofProviders}`;

/** The lines that name a fresh transaction, by whatever name it ever had. */
const namingTransactions = [
  ...nameKinds.map(
    (kind) => `
   select l.id, l.provider
   from ${freshNames}
   join tieout.statement_lines as l
     on l.account_id = :account_id
    and l.provider = any (:'providers'::text[])
    and ${comparableOf[kind]} = name.key
    and ${columnOf[kind]} is not null
   where name.kind = '${kind}'`,
  ),
  `
   select l.id, l.provider
   from ${freshTransactions}
   join tieout.statement_lines as l
     on l.account_id = :account_id
    and l.provider = any (:'providers'::text[])
    and ${comparableOf.reference} = fresh.transaction_id
    and l.our_reference is not null`,
];

/** What shares a key with what the last round has added, or is matched with it. */
export const stepsOfRound = [
  ...[namedByLines, sharingHash, matchedWith(freshLines)].map((found) => ({
    into: "touched_transactions",
    id: "transaction_id",
    found,
  })),
  ...[...namingTransactions, linesMatchedWith(freshTransactions)].map((found) => ({
    into: "touched_lines",
    id: "line_id",
    found,
  })),
];

function matchedWith(lines: string): string {
  return `
   select m.transaction_id, m.provider
   from tieout.matches as m
   join ${lines} using (line_id)
   where m.account_id = :account_id
     and m.provider = any (:'providers'::text[])
     and m.state = 'active'`;
}

function linesMatchedWith(transactions: string): string {
  return `
   select m.line_id, m.provider
   from tieout.matches as m
   join ${transactions} using (transaction_id)
   where m.account_id = :account_id
     and m.provider = any (:'providers'::text[])
     and m.state = 'active'`;
}
