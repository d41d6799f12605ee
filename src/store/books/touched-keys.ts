/**
 * How a run gets from a line to the transactions that share a key with it, and back. The statements take the account, the
 * provider and the number of the round that is looked from.
 */
export const ofProvider = "t.account_id = $1 and lower(coalesce(t.provider, '')) = $2";

/** What the last round has added. */
const freshLines = "(select line_id from touched_lines where round = $3::int) as fresh";
const freshTransactions = "(select transaction_id from touched_transactions where round = $3::int) as fresh";

const lineOfFresh = `${freshLines}
   join tieout.statement_lines as l on l.id = fresh.line_id`;
const transactionOfFresh = `${freshTransactions}
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = fresh.transaction_id`;

/** The transactions that the fresh lines name. */
const namedByLines = [
  `
   select t.transaction_id
   from ${lineOfFresh}
   join tieout.transactions as t on t.provider_transaction_id = tieout.comparable_id(l.provider_transaction_id)
   where ${ofProvider}`,
  `
   select t.transaction_id
   from ${lineOfFresh}
   join tieout.transactions as t on t.transaction_id = tieout.comparable_id(l.our_reference)
   where ${ofProvider}`,
  `
   select t.transaction_id
   from ${lineOfFresh}
   join tieout.transactions as t
     on t.extra ->> 'partnerContext' = tieout.comparable_id(l.our_reference)
    and t.extra ? 'partnerContext'
   where ${ofProvider}`,
  `
   select t.transaction_id
   from ${lineOfFresh}
   join tieout.earlier_keys as k
     on k.account_id = $1
    and (k.kind, k.key) in (('provider_id', tieout.comparable_id(l.provider_transaction_id)),
                            ('reference', tieout.comparable_id(l.our_reference)),
                            ('hash', tieout.comparable_hash(l.transaction_hash)))
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = k.transaction_id
   where ${ofProvider}`,
];

/** Everything of the same chain transfer: whether a hash is unique depends on all of it. */
const sharingHash = [
  `
   select t.transaction_id
   from ${lineOfFresh}
   cross join lateral (values (tieout.comparable_hash(l.transaction_hash)), ('0x' || tieout.comparable_hash(l.transaction_hash)))
     as forms (hash)
   join tieout.transactions as t on t.transaction_hash = forms.hash and t.transaction_hash <> ''
   where ${ofProvider}`,
  `
   select t.transaction_id
   from ${freshTransactions}
   join tieout.transactions as same on same.account_id = $1 and same.transaction_id = fresh.transaction_id
   join tieout.transactions as t on t.transaction_hash = same.transaction_hash and t.transaction_hash <> ''
   where ${ofProvider}`,
  // And of the hashes that it has had: what was shared with it is shared no longer.
  `
   select t.transaction_id
   from ${freshTransactions}
   join tieout.earlier_keys as k
     on k.account_id = $1
    and k.transaction_id = fresh.transaction_id
    and k.kind = 'hash'
   join tieout.transaction_statuses as had on had.account_id = $1 and had.transaction_id = k.transaction_id
   join tieout.transactions as t on t.transaction_hash = had.transaction_hash and t.transaction_hash <> ''
   where ${ofProvider}`,
];

const keysOf = {
  provider_id: {
    column: "provider_transaction_id",
    comparable: "tieout.comparable_id",
    latest: "select t.provider_transaction_id",
  },
  reference: {
    column: "our_reference",
    comparable: "tieout.comparable_id",
    latest:
      "select t.transaction_id union all select t.extra ->> 'partnerContext' where t.extra ? 'partnerContext'",
  },
  hash: {
    column: "transaction_hash",
    comparable: "tieout.comparable_hash",
    latest: "select tieout.comparable_hash(t.transaction_hash)",
  },
} as const;

/** The lines that name a fresh transaction, by whatever key it ever had. */
const namingTransactions = (["provider_id", "reference", "hash"] as const).map((kind) => {
  const { column, comparable, latest } = keysOf[kind];
  return `
   select l.id
   from ${transactionOfFresh}
   cross join lateral (
     ${latest}
     union all
     select k.key
     from tieout.earlier_keys as k
     where k.account_id = $1
       and k.transaction_id = t.transaction_id
       and k.kind = '${kind}'
   ) as keys (key)
   join tieout.statement_lines as l
     on l.account_id = $1
    and l.provider = $2
    and ${comparable}(l.${column}) = keys.key
    and l.${column} is not null`;
});

/** What shares a key with what the last round has added, or is matched with it. */
export const stepsOfRound = [
  ...[...namedByLines, ...sharingHash, matchedWith(freshLines)].map((found) => ({
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

export function matchedWith(lines: string): string {
  return `
   select m.transaction_id
   from tieout.matches as m
   join ${lines} using (line_id)
   where m.account_id = $1
     and m.provider = $2
     and m.state = 'active'`;
}

export function linesMatchedWith(transactions: string): string {
  return `
   select m.line_id
   from tieout.matches as m
   join ${transactions} using (transaction_id)
   where m.account_id = $1
     and m.provider = $2
     and m.state = 'active'`;
}
