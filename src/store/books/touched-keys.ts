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

const lineOfFresh = `${freshLines}
   join tieout.statement_lines as l on l.id = fresh.line_id`;

/** The transactions that the fresh lines name. */
const namedByLines = [
  `
   select t.transaction_id, lower(coalesce(t.provider, ''))
   from ${lineOfFresh}
   join tieout.transactions as t on t.transaction_id = tieout.comparable_id(l.our_reference)
   where ${ofProviders}`,
  `
   select t.transaction_id, lower(coalesce(t.provider, ''))
   from ${lineOfFresh}
   cross join lateral (
     values ('provider_id', tieout.comparable_id(l.provider_transaction_id)),
            ('reference', tieout.comparable_id(l.our_reference)),
            ('hash', tieout.comparable_hash(l.transaction_hash))
   ) as name (kind, key)
   cross join lateral tieout.named(l.account_id, name.kind, name.key) as named
   join tieout.transactions as t on t.account_id = :account_id and t.transaction_id = named.transaction_id
   where ${ofProviders}`,
];

/** All names that the fresh transactions have or had, looked up once for the steps that ask for them. */
export const namesOfFresh = `
  select distinct name.kind, name.key
  from ${freshTransactions}
  join tieout.transaction_statuses as s on s.account_id = :account_id and s.transaction_id = fresh.transaction_id
  cross join lateral tieout.names_of(
    s.transaction_id, s.provider_transaction_id, s.extra ->> 'partnerContext', s.transaction_hash, null
  ) as name`;

/**
 * Everything of the same chain transfer, now or before: whether a hash is unique depends on all of it. Nearly all hashes
 * belong to one transaction, and those that do not are known.
 */
const sharingHash = `
   select t.transaction_id, lower(coalesce(t.provider, ''))
   from fresh_names as name
   join tieout.shared_hashes as shared on shared.account_id = :account_id and shared.transaction_hash = name.key
   cross join lateral tieout.named(:account_id, name.kind, name.key) as named
   join tieout.transactions as t on t.account_id = :account_id and t.transaction_id = named.transaction_id
   where name.kind = 'hash'
     and ${ofProviders}`;

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

/** The lines that name a fresh transaction, by whatever name it ever had. */
const namingTransactions = [
  ...(["provider_id", "reference", "hash"] as const).map(
    (kind) => `
   select l.id, l.provider
   from fresh_names as name
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
  ...[...namedByLines, sharingHash, matchedWith(freshLines)].map((found) => ({
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
