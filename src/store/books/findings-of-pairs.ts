import { allowedOn, anythingDiffers, cameBack, legAgrees, legColumns, owedByPair } from "./legs.ts";
import { analyze, execute, isAny, make, type Run } from "./run.ts";

/**
 * What is wrong between a transaction and the line that settles it. Nearly all pairs agree in everything; `run_pair` holds
 * the others, once for each row that was the transaction's latest at some time. A pair exists from the later of its two
 * dates on, a person's from the day it was booked, and as long as that row was the latest.
 */
const sides = `
  select p.provider, t.transaction_id, t.status, t.status_date, t.transaction_type, t.in_code, t.in_places, t.in_is_fiat, t.in_network,
         t.out_code, t.out_places, t.out_is_fiat, t.out_network, t.transaction_hash, t.wallet_address,${legColumns("p.part_amount")},
         l.id as line_id, l.status as line_status, l.side, l.network, l.effective_at, l.reference_key,
         -- A line has one hash and one wallet: of a split, neither can be that of every transaction.
         case when p.part_amount is null then l.hash_key end as hash_key,
         l.transaction_hash as line_hash,
         case when p.part_amount is null then l.wallet_address end as line_wallet,
         l.asset as line_asset, l.crypto_amount as line_crypto, ${owedByPair} as owed, l.currency as owed_currency, p.pass,
         -- At stake is our fiat leg; where that is unknown or zero, the line's.
         coalesce(nullif(abs(t.fiat_amount), 0), p.part_amount, abs(l.fiat_amount)) as value,
         case when nullif(t.fiat_amount, 0) is null then l.fiat_currency else t.fiat_currency end as value_currency,
         -- Of a difference we lose the part that is our share.
         case when l.fiat_amount <> 0 then abs(l.net_amount / l.fiat_amount) end as share,
         greatest(t.holds_from, l.effective_at, p.booked_at) as holds_from,
         t.holds_to`;

/** The latest rows were held against their lines when they were paired; the earlier ones are few. */
const differing = `${sides}
  from run_pairs as p
  join run_lines as l on l.id = p.line_id
  join (
    select t.*, t.status_date as holds_from, 'infinity'::timestamptz as holds_to from run_transactions as t
  ) as t on t.transaction_id = p.transaction_id
  where p.line_type = 'charge'
    and p.differs
  union all${sides}
  from run_odd as t
  join run_pairs as p on p.transaction_id = t.transaction_id
  join run_lines as l on l.id = p.line_id
  where p.line_type = 'charge'
    and ${anythingDiffers("p.part_amount")}`;

const columns =
  "provider, code, transaction_id, line_id, expected_text, actual_text, value, value_currency, owed, owed_currency, dated, holds_from, holds_to";

/** Both sides in words. */
function words(code: string, expected: string, actual: string, where: string): string {
  return `
  insert into run_found (${columns})
  select p.provider, '${code}', p.transaction_id, p.line_id, ${expected}, ${actual}, p.value, p.value_currency, p.owed, p.owed_currency,
         p.status_date, p.holds_from, p.holds_to
  from run_pair as p
  where ${where}`;
}

function amounts(leg: "in" | "out"): string {
  const difference = `p.${leg}_difference`;
  return `
  insert into run_found (provider, code, transaction_id, line_id, expected, actual, currency, value, value_currency, owed, owed_currency,
    dated, holds_from, holds_to)
  select p.provider, '${leg}_amount_mismatch', p.transaction_id, p.line_id, p.${leg}_expected, p.${leg}_actual, p.${leg}_code,
         abs(p.${leg}_actual - p.${leg}_expected), p.${leg}_code,
         case when p.${leg}_is_fiat then round(abs(p.${leg}_actual - p.${leg}_expected) * p.share, 18) else p.owed end,
         p.owed_currency, p.status_date, p.holds_from, p.holds_to
  from run_pair as p${allowedOn(leg, difference)}
  where p.status = 'completed'
    and not ${legAgrees(leg, difference)}`;
}

/** A statement that is newer than our status, and carries the line. */
const isNewer = `exists (
          select
          from tieout.statement_rows as w
          join tieout.statements as v on v.id = w.statement_id
          where w.line_id = p.line_id
            and v.generated_at > p.status_date
            and v.state = 'imported'
        )`;

/**
 * The table of statuses. A provider that is still at it contradicts us only when its statement is newer than our status;
 * and we are still at it only until we have read a day beyond the line.
 */
const statusesDisagree = `case
      when p.line_status = 'unknown' then false
      when p.status = 'completed' then case
        when p.line_status in ('settled', 'delivering', 'refunded', 'charged_back') then false
        when p.line_status in ('failed', 'canceled', 'expired') then true
        else ${isNewer}
      end
      when p.status in ('failed', 'canceled') then case
        when p.line_status in ('settled', 'delivering') then not ${cameBack("p")}
        when p.line_status in ('captured', 'on_hold') then ${isNewer}
        else false
      end
      else p.line_status in ('settled', 'delivering', 'failed', 'canceled', 'expired', 'refunded', 'charged_back')
        and (select covered from run_read) @> (p.effective_at + interval '24 hours')
    end`;

const movedBack = (types: string) => `exists (
      select
      from run_pairs as back
      where back.transaction_id = p.transaction_id
        and back.line_type in (${types})
    )`;

/** A hash that was replaced is not a contradiction. */
const hadHash = `exists (
      select
      from tieout.transaction_statuses as s
      where s.account_id = :account_id
        and s.transaction_id = p.transaction_id
        and tieout.comparable_hash(s.transaction_hash) = p.hash_key
    )`;

/** The id has decided; reference or hash name another transaction of the provider. */
const conflicts = `
  create temp table run_conflicts on commit drop as
  select p.line_id, p.transaction_id, min(other.transaction_id) as other_id, bool_or(other.by_hash) as by_hash
  from run_pair as p
  join lateral (
    select held.transaction_id, false as by_hash
    from tieout.transactions as held
    where held.account_id = :account_id
      and held.transaction_id = p.reference_key
      and lower(coalesce(held.provider, '')) = p.provider
    union all
    select held.transaction_id, false
    from tieout.named(:account_id, 'reference', p.reference_key) as named
    join tieout.transactions as held on held.account_id = :account_id and held.transaction_id = named.transaction_id
    where held.extra ->> 'partnerContext' = p.reference_key
      and lower(coalesce(held.provider, '')) = p.provider
    union all
    select held.transaction_id, true
    from tieout.named(:account_id, 'hash', p.hash_key) as named
    join tieout.transactions as held on held.account_id = :account_id and held.transaction_id = named.transaction_id
    join tieout.currency_words as coin on coin.word in (held.source_currency, held.target_currency) and not coin.is_fiat
    where tieout.comparable_hash(held.transaction_hash) = p.hash_key
      and lower(coalesce(held.provider, '')) = p.provider
      and coin.code = p.line_asset
      and abs(p.line_crypto - case coin.word when held.target_currency then held.out_amount else held.in_amount end)
        <= power(10::numeric, -coin.places)
      and (tieout.comparable_address(p.line_wallet) <> tieout.comparable_address(held.wallet_address)) is not true
      and p.hash_key <> tieout.comparable_hash(p.transaction_hash)
  ) as other on other.transaction_id <> p.transaction_id
  where p.pass = 1
    and p.holds_to = 'infinity'
  group by p.line_id, p.transaction_id`;

/** A match whose two dates lie further apart than anyone waits for a statement. */
const datesApart = `
  insert into run_found (${columns})
  select p.provider, 'dates_apart', t.transaction_id, l.id, to_char(t.status_date at time zone 'UTC', 'YYYY-MM-DD'),
         to_char(l.effective_at at time zone 'UTC', 'YYYY-MM-DD'), coalesce(nullif(abs(t.fiat_amount), 0), p.part_amount, abs(l.fiat_amount)),
         t.fiat_currency, ${owedByPair}, l.currency, t.status_date, greatest(t.status_date, l.effective_at, p.booked_at), 'infinity'
  from run_pairs as p
  join run_lines as l on l.id = p.line_id
  join run_transactions as t on t.transaction_id = p.transaction_id
  join run_calendar as c on c.provider = p.provider
  where p.line_type = 'charge'
    and t.status = 'completed'
    and p.effective_at - p.status_date not between -c.statement_patience and c.statement_patience`;

const rules = [
  amounts("in"),
  amounts("out"),
  words(
    "currency_mismatch",
    "concat_ws(' → ', p.in_code, p.out_code)",
    "concat_ws(' → ', coalesce(p.in_line_code, '?'), coalesce(p.out_line_code, '?'))",
    "p.in_line_code <> p.in_code or p.out_line_code <> p.out_code",
  ),
  words(
    "network_mismatch",
    "case when p.in_is_fiat then p.out_network else p.in_network end",
    "p.network",
    `case when p.in_is_fiat then p.out_line_code = p.out_code and p.out_network_differs
                   else p.in_line_code = p.in_code and p.in_network_differs end`,
  ),
  words("direction_mismatch", "p.transaction_type", "p.side", "p.side <> p.transaction_type"),
  words("status_mismatch", "p.status", "p.line_status", statusesDisagree),
  words(
    "refunded_after_completed",
    "p.status",
    "p.line_status",
    `p.status = 'completed' and p.line_status = 'refunded' and not ${movedBack("'refund', 'chargeback'")}`,
  ),
  words(
    "charged_back",
    "p.status",
    "p.line_status",
    `p.status = 'completed' and p.line_status = 'charged_back' and not ${movedBack("'refund', 'chargeback'")}`,
  ),
  words(
    "hash_mismatch",
    "p.transaction_hash",
    "p.line_hash",
    `p.hash_key <> tieout.comparable_hash(p.transaction_hash)
    and not ${hadHash}
    and not exists (select from run_conflicts as c where c.line_id = p.line_id and c.by_hash)`,
  ),
  words(
    "address_mismatch",
    "p.wallet_address",
    "p.line_wallet",
    "tieout.comparable_address(p.line_wallet) <> tieout.comparable_address(p.wallet_address)",
  ),
  words(
    "reference_conflict",
    "p.transaction_id",
    "(select c.other_id from run_conflicts as c where c.line_id = p.line_id)",
    "p.holds_to = 'infinity' and exists (select from run_conflicts as c where c.line_id = p.line_id)",
  ),
];

export async function findInPairs(run: Run): Promise<void> {
  if (!(await isAny(run, "from run_pairs"))) return;
  await make(run, "run_pair", differing);
  await execute(run, datesApart);
  if (!(await isAny(run, "from run_pair"))) return;
  await analyze(run, "run_pair");
  await execute(run, conflicts);
  for (const rule of rules) await execute(run, rule);
}
